#!/usr/bin/env python3
"""Runs the experiments of docs/experiments.md for real and writes the page and its curves.

    experiments.py BUILD [SECTION ...]      writes docs/experiments.md and docs/pictures/experiment-*.svg

Each run is one call of `lockstep-cli train`; what is printed is what it measured.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASE = {"cluster.architecture": "all-reduce", "cluster.workers": 8, "training.batch_per_worker": 32,
        "training.resolution_px": 28, "training.epochs": 3}
SGD = {"training.optimizer": "sgd", "training.learning_rate": 0.05, "training.learning_rate_scaling": "none"}
# The rate that 64 samples learn well with, for the sections on large batches.
LARGE = {"training.optimizer": "sgd", "training.learning_rate": 0.05, "training.base_batch": 64, "training.epochs": 5}


def large(batch, **more):
    return {**LARGE, "cluster.workers": batch // 64, "training.batch_per_worker": 64,
            **{f"training.{key}": value for key, value in more.items()}}


def stale(workers, rate):
    return {**SGD, "cluster.architecture": "parameter-server", "cluster.workers": workers,
            "training.synchronization": "asynchronous", "training.learning_rate": rate}


SECTIONS = [
    ("none", "Without synchronization replicas drift",
     "Eight workers, batch 32 each, sgd at a rate of 0.05 whatever the batch. Left to themselves, the replicas go "
     "their own ways; each has seen an eighth of the images and is worse than the synchronized model. Where all began "
     "alike and the shards are random, the average of the replicas stays good all the same. It is the shards sorted by "
     "label, or different beginnings, that make it useless.",
     [("synchronous", {**SGD}),
      ("none, random shards", {**SGD, "training.synchronization": "none"}),
      ("none, shards by label", {**SGD, "training.synchronization": "none", "training.partition": "by-label"}),
      ("none, different starts", {**SGD, "training.synchronization": "none", "training.initialization": "different"})]),
    ("local", "Local SGD lies between",
     "As above with the shards sorted by label, where it shows: the more steps between two averages, the closer to no "
     "synchronization.",
     [("synchronous", {**SGD, "training.partition": "by-label"}),
      ("every 8 steps", {**SGD, "training.partition": "by-label", "training.synchronization": "local-sgd",
                         "training.local_steps": 8}),
      ("every 64 steps", {**SGD, "training.partition": "by-label", "training.synchronization": "local-sgd",
                          "training.local_steps": 64}),
      ("none", {**SGD, "training.partition": "by-label", "training.synchronization": "none"})]),
    ("batch", "A large global batch at equal epochs learns less",
     "Workers with 64 images each, sgd. At the rate that 64 samples learn well with, larger batches take fewer steps of "
     "the same length and get less far. Scaling the rate with the batch brings most of it back, with a warm-up more "
     "surely, until it does not.",
     [(f"{batch}, {name}", large(batch, **more))
      for batch in (64, 256, 1024, 4096)
      for name, more in (("fixed rate", {"learning_rate_scaling": "none"}),
                         ("linear", {"learning_rate_scaling": "linear"}),
                         ("linear, warm-up of one epoch", {"learning_rate_scaling": "linear",
                                                           "warmup_steps": 60000 // batch}))
      if batch > 64 or name == "fixed rate"]),
    ("stale", "Stale gradients want a smaller rate",
     "Asynchronous workers around a parameter server, batch 32, sgd. With N equal workers a gradient is about N - 1 "
     "updates old when it is applied. The rate that is best for one is too much for many.",
     [(f"{workers} {'worker' if workers == 1 else 'workers'}, rate {rate}", stale(workers, rate))
      for rate in (0.01, 0.05, 0.1) for workers in (1, 4, 16, 64)]),
    ("full", "Gradient descent against stochastic gradient descent",
     "Equal passes over the data: one full gradient a pass against a step for each mini-batch.",
     [("mini-batches", {**SGD, "training.epochs": 5}),
      ("full gradient", {**SGD, "training.gradient": "full", "training.epochs": 5}),
      ("full gradient, rate 0.5", {**SGD, "training.gradient": "full", "training.epochs": 5,
                                   "training.learning_rate": 0.5})]),
]


def run(build, settings):
    command = [str(build / "bin" / "lockstep-cli"), "train", "{}", "--json", "--every", "50"]
    for key, value in {**BASE, **settings}.items():
        command += ["--set", f"{key}={value}"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    snapshots = [json.loads(line) for line in lines]
    return snapshots[:-1], snapshots[-1]["summary"]


def percent(value):
    return "–" if value is None else f"{100 * value:.1f} %"


def number(value, digits):
    return "–" if value is None else f"{value:.{digits}f}" if value else "0"


def row(label, snapshots, summary):
    by_epoch = {round(s["epoch"]): s["test_accuracy"] for s in snapshots if s["test_accuracy"] is not None}
    last = max(by_epoch, default=0)
    outcome = "" if summary["outcome"] == "done" else f" (diverged at step {summary['diverged_at_step']:,})"
    cells = [label + outcome, percent(by_epoch.get(1)), percent(by_epoch.get(last)),
             percent(summary["average_model_test_accuracy"]),
             number(summary["divergence"]["mean_distance_to_average"], 2),
             percent(summary["divergence"]["prediction_disagreement"]),
             number(summary["staleness"]["mean"], 1)]
    return "| " + " | ".join(cells) + " |"


COLOURS = ["#2f6fb3", "#c8553d", "#3d8c5f", "#8a5fb0", "#b8862b", "#3f8f9e", "#a34a7b", "#6b6b6b", "#7c9c3a", "#d07f5a",
           "#4f5fa8", "#997755"]


def curves(title, runs):
    """Test accuracy against epochs as a small SVG."""
    width, height, left, bottom, right = 720, 300, 52, 40, 230
    most = max(1, *(s["epoch"] for _, snapshots, _ in runs for s in snapshots))
    x = lambda epoch: left + (width - left - right) * epoch / most
    y = lambda accuracy: 20 + (height - 20 - bottom) * (1 - accuracy)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
             f'font-size="12"><title>{title}</title><rect width="{width}" height="{height}" fill="#fff"/>']
    for accuracy in (0, 0.2, 0.4, 0.6, 0.8, 1):
        parts.append(f'<path d="M{left} {y(accuracy):.1f}H{width - right}" stroke="#ddd"/><text x="{left - 6}" '
                     f'y="{y(accuracy) + 4:.1f}" text-anchor="end" fill="#444">{100 * accuracy:.0f} %</text>')
    for epoch in range(int(most) + 1):
        parts.append(f'<text x="{x(epoch):.1f}" y="{height - bottom + 16}" text-anchor="middle" fill="#444">{epoch}</text>')
    parts.append(f'<text x="{x(most / 2):.1f}" y="{height - 6}" text-anchor="middle" fill="#444">epochs</text>'
                 f'<text x="{left}" y="12" fill="#444">test accuracy, measured</text>')
    for i, (label, snapshots, _) in enumerate(runs):
        points = [(s["epoch"], s["test_accuracy"]) for s in snapshots if s["test_accuracy"] is not None]
        colour = COLOURS[i % len(COLOURS)]
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{colour}"/>' for a, b in points]
        parts.append(f'<rect x="{width - right + 14}" y="{22 + 20 * i}" width="10" height="10" fill="{colour}"/>'
                     f'<text x="{width - right + 30}" y="{31 + 20 * i}" fill="#222">{label}</text>')
    return "\n".join(parts + ["</svg>\n"])


def main():
    build, wanted = pathlib.Path(sys.argv[1]), sys.argv[2:]
    page = ["# What real runs show", "",
            "Measured, not modelled: the CNN on Fashion-MNIST at 28 pixels, seed 1, by `tests/bench/experiments.py`. One "
            "seed; the last digit or two would differ with another. Test accuracy is that of the model, and without "
            "synchronization the mean over the replicas; \"of the average\" is what the average of their parameters "
            "reaches. The distance is the mean Euclidean distance of a replica to the average, \"disagree\" the share of "
            "test images on which at least two replicas say something else.", ""]
    for name, title, text, runs in SECTIONS:
        if wanted and name not in wanted:
            continue
        print(title, file=sys.stderr)
        done = []
        for label, settings in runs:
            done.append((label, *run(build, settings)))
            print("  " + row(*done[-1]), file=sys.stderr)
        (ROOT / "docs" / "pictures" / f"experiment-{name}.svg").write_text(curves(title, done))
        page += [f"## {title}", "", text, "", f"![{title}](pictures/experiment-{name}.svg)", "",
                 "| run | after 1 epoch | at the end | of the average | distance | disagree | staleness |",
                 "| --- | --- | --- | --- | --- | --- | --- |"] + [row(*one) for one in done] + [""]
    if not wanted:
        (ROOT / "docs" / "experiments.md").write_text("\n".join(page))


if __name__ == "__main__":
    main()
