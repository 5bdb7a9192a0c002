#!/usr/bin/python3
"""What the same training costs in PyTorch: samples per second, forward + backward + momentum update.

    peer_pytorch.py [--model cnn|mlp] [--resolution 28] [--threads 1] [--batch 1 8 32 128 512] [--setup default|tuned|both]

The peer is the faster of two set-ups: as its tutorials write it ("default"), and with what helps it most on CPUs
("tuned": channels-last memory, pooling before ReLU, and an allocator that keeps its memory, which is set before PyTorch
starts). Debian: python3-torch with libopenblas0-openmp; the reference BLAS is no fair peer. Prints one JSON line per
measurement; the median of several rounds.
"""
import argparse
import json
import os
import statistics
import sys
import time


def keep_memory():
    """glibc gives large blocks back to the system on each free unless told otherwise before the start."""
    wanted = {"MALLOC_MMAP_THRESHOLD_": "1073741824", "MALLOC_TRIM_THRESHOLD_": "1073741824",
              "MALLOC_TOP_PAD_": "67108864"}
    if any(os.environ.get(key) != value for key, value in wanted.items()):
        os.environ.update(wanted)
        os.execv(sys.executable, [sys.executable] + sys.argv)


def build(torch, model, resolution, tuned):
    nn = torch.nn
    if model == "mlp":
        return nn.Sequential(nn.Flatten(), nn.Linear(resolution * resolution, 128), nn.ReLU(), nn.Linear(128, 64),
                             nn.ReLU(), nn.Linear(64, 10))
    side = resolution // 4

    def block(inputs, outputs):
        convolution = nn.Conv2d(inputs, outputs, 3, padding=1)
        tail = [nn.MaxPool2d(2), nn.ReLU()] if tuned else [nn.ReLU(), nn.MaxPool2d(2)]
        return [convolution] + tail

    return nn.Sequential(*block(1, 16), *block(16, 32), nn.Flatten(), nn.Linear(32 * side * side, 128), nn.ReLU(),
                         nn.Linear(128, 10))


def samples_per_s(torch, arguments, batch, tuned, seconds=0.3, rounds=3):
    torch.manual_seed(1)
    network = build(torch, arguments.model, arguments.resolution, tuned)
    images = (2 * torch.rand(batch, 1, arguments.resolution, arguments.resolution) - 1).clamp(min=0)
    images = (images - 0.286) / 0.353
    if tuned and arguments.model == "cnn":
        network = network.to(memory_format=torch.channels_last)
        images = images.to(memory_format=torch.channels_last)
    labels = torch.randint(0, 10, (batch,))
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-4, momentum=0.9)
    loss_of = torch.nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad()
        loss_of(network(images), labels).backward()
        optimizer.step()

    for _ in range(5):
        step()
    results, by_cpu = [], []
    for _ in range(rounds):
        begin, cpu_begin, steps = time.perf_counter(), time.process_time(), 0
        while time.perf_counter() - begin < seconds:
            step()
            steps += 1
        results.append(steps * batch / (time.perf_counter() - begin))
        by_cpu.append(steps * batch * arguments.threads / (time.process_time() - cpu_begin))
    return statistics.median(results), max(by_cpu)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=["cnn", "mlp"], default="cnn")
    parser.add_argument("--resolution", type=int, default=28)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 8, 32, 128, 512])
    parser.add_argument("--setup", choices=["default", "tuned", "both"], default="both")
    arguments = parser.parse_args()
    if arguments.setup == "both":
        for setup in ("default", "tuned"):
            environment = {key: value for key, value in os.environ.items() if not key.startswith("MALLOC_")}
            command = [sys.executable, sys.argv[0]] + sys.argv[1:] + ["--setup", setup]
            if os.spawnve(os.P_WAIT, sys.executable, command, environment) != 0:
                return 1
        return 0
    if arguments.setup == "tuned":
        keep_memory()
    import torch
    torch.set_num_threads(arguments.threads)
    for batch in arguments.batch:
        rate, by_cpu = samples_per_s(torch, arguments, batch, arguments.setup == "tuned")
        print(json.dumps({"peer": "pytorch " + torch.__version__, "setup": arguments.setup, "model": arguments.model,
                          "resolution_px": arguments.resolution, "threads": arguments.threads, "batch": batch,
                          "samples_per_s": round(rate, 1), "best_by_processor_time": round(by_cpu, 1)}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
