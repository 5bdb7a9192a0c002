#!/usr/bin/python3
"""Times this build against PyTorch on this computer, in turn, and writes docs/performance.md.

    performance.py BUILD [--rounds 3] [--print]     --print: to standard output instead

The peer (peer_pytorch.py) is asked in both of its set-ups and the faster one counts. Needs python3-torch and
libopenblas0-openmp.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BATCHES = [1, 8, 32, 128, 512]
CASES = [("cnn", 28), ("cnn", 14), ("cnn", 56), ("mlp", 28)]


def lines(command, **more):
    out = subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout
    return [json.loads(line) for line in out.splitlines()]


def ours(build, model, resolution, threads, batch):
    command = [build / "bin" / "lockstep-cli", "bench", "train", "--json", "--model", model, "--resolution",
               str(resolution), "--threads", str(threads), "--batch", str(batch)]
    return lines(command)[0]


def peers(model, resolution, threads):
    """Samples per second by batch and set-up."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    command = ["/usr/bin/python3", HERE / "peer_pytorch.py", "--model", model, "--resolution", str(resolution), "--threads",
               str(threads), "--batch", *map(str, BATCHES)]
    return {(line["batch"], line["setup"]): line["samples_per_s"] for line in lines(command, env=environment)}


def measure(build, model, resolution, threads, rounds):
    """One row for each batch: our median, the peer's median, the median of the rounds' ratios."""
    by_batch = {batch: [] for batch in BATCHES}
    for _ in range(rounds):
        peer = peers(model, resolution, threads)
        for batch in BATCHES:
            mine = ours(build, model, resolution, threads, batch)
            best = max(peer[batch, "default"], peer[batch, "tuned"])
            by_batch[batch].append((mine["samples_per_s"], best, mine["samples_per_s"] / best, mine["share_of_peak"],
                                    mine["gflop_per_s"]))
    rows = []
    for batch, measured in by_batch.items():
        mine, peer, ratio, share, gflop = (statistics.median(column) for column in zip(*measured))
        rows.append(f"| {model} {resolution} px | {threads} | {batch} | {mine:,.0f} | {peer:,.0f} | {ratio:.1f} | "
                    f"{gflop:.0f} | {100 * share:.0f} % |")
        print(rows[-1], file=sys.stderr)
    return rows


def rounds_text(rounds):
    if rounds == 1:
        return "One round, in which Lockstep and PyTorch took turns."
    return (f"Each figure is the median of {rounds} rounds in which Lockstep and PyTorch took turns; ratios are medians "
            "of the rounds' own.")


def processor():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    return next(line.split(":")[1].strip() for line in text.splitlines() if line.startswith("model name"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--print", action="store_true")
    arguments = parser.parse_args()
    build = arguments.build
    table = []
    for model, resolution in CASES:
        for threads in (1, 2):
            table += measure(build, model, resolution, threads, arguments.rounds)
    cli = build / "bin" / "lockstep-cli"
    replicas = [lines([cli, "bench", "replicas", "--json", "--set", "training.batch_per_worker=32", "--set",
                       "training.resolution_px=28"])[0] for _ in range(arguments.rounds)]
    reduces = {size: [lines([cli, "bench", "collective", "--json", "--elements", str(size // 4)])[0]
                      for _ in range(arguments.rounds)] for size in (10_000, 1_000_000, 10_000_000)}
    middle = lambda rows, key: statistics.median(row[key] for row in rows)
    page = ["# Speed", "",
            f"Measured by `tests/bench/performance.py` (`./dev bench performance`) on {processor()}, "
            f"{os.cpu_count()} cores. {rounds_text(arguments.rounds)} A busy computer slows both.", "",
            "## One network: forward, backward and update", "",
            "Samples per second. PyTorch is Debian's 1.13 with OpenBLAS in the faster of two set-ups: as written in "
            "its tutorials, or channels-last with pooling before ReLU and an allocator that keeps its memory. Operations "
            "are those executed, not those skipped; the peak is that of multiply-adds on registers, measured in the "
            "same run.", "",
            "| network | threads | batch | Lockstep | PyTorch | ratio | GFLOP/s | of the peak |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |", *table, "",
            "## Eight replicas", "",
            f"CNN at 28 px, batch 32 each, ring all-reduce, 2 threads: {middle(replicas, 'samples_per_s'):,.0f} samples/s, "
            f"{100 * middle(replicas, 'share'):.0f} % of the same replicas left to themselves.", "",
            "## All-reduce in memory", "",
            "Ring over eight buffers, 2 threads. The limit reads and writes each buffer once, at the copying rate of the "
            "same run.", "", "| each buffer | time | of the limit |", "| --- | --- | --- |"]
    for size, rows in reduces.items():
        page.append(f"| {size / 1e6:g} MB | {1e6 * middle(rows, 'seconds'):,.0f} µs | "
                    f"{100 * middle(rows, 'share_of_limit'):.0f} % |")
    text = "\n".join(page) + "\n"
    if arguments.print:
        print(text)
    else:
        (HERE.parents[1] / "docs" / "performance.md").write_text(text)


if __name__ == "__main__":
    main()
