#!/usr/bin/env python3
"""Writes layers.json: each layer's values and gradients, computed here in double by other means than the kernels use
(windows by sliding_window_view, sums by einsum; pooling by reshaping to blocks), for tests/core/nn/test_layers.cpp.
Run in this folder; needs NumPy."""
import json

import numpy as np

random = np.random.default_rng(20240601)


def draw(*shape):
    return np.round(random.uniform(-1, 1, shape), 3)


def listed(array):
    return [float(f"{value:.9g}") for value in np.asarray(array, dtype=float).ravel()]


def windows(x, kernel):
    pad = kernel // 2
    padded = np.pad(x, ((pad, pad), (pad, pad), (0, 0)))
    view = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), axis=(0, 1))
    return np.moveaxis(view, 2, -1)  # [y, x, ky, kx, channel]


def pool(y, size):
    height, width, channels = y.shape
    cut = y[:height // size * size, :width // size * size]
    blocks = cut.reshape(height // size, size, width // size, size, channels).transpose(0, 2, 4, 1, 3)
    flat = blocks.reshape(*blocks.shape[:3], size * size)
    return flat.max(-1), flat.argmax(-1)


def unpool(gradient, chosen, size, shape):
    full = np.zeros(shape)
    for (i, j, c), place in np.ndenumerate(chosen):
        full[i * size + place // size, j * size + place % size, c] = gradient[i, j, c]
    return full


def convolution(height, width, inputs, outputs, kernel, size, relu):
    x, weights, bias = draw(height, width, inputs), draw(kernel, kernel, inputs, outputs), draw(outputs)
    dense = np.einsum("yxabi,abio->yxo", windows(x, kernel), weights) + bias
    pooled, chosen = pool(dense, size)
    y = np.maximum(pooled, 0) if relu else pooled
    gradient = draw(*y.shape)
    open_gradient = gradient * (y > 0) if relu else gradient
    dense_gradient = unpool(open_gradient, chosen, size, dense.shape)
    weight_gradient = np.einsum("yxabi,yxo->abio", windows(x, kernel), dense_gradient)
    # Correlation's transpose is a correlation with the kernel turned by half a turn.
    input_gradient = np.einsum("yxabo,abio->yxi", windows(dense_gradient, kernel), weights[::-1, ::-1])
    return {"height": height, "width": width, "inputs": inputs, "outputs": outputs, "kernel": kernel, "pool": size,
            "relu": relu, "x": listed(x), "weights": listed(weights), "bias": listed(bias), "y": listed(y),
            "gradient": listed(gradient), "weight_gradient": listed(weight_gradient),
            "bias_gradient": listed(dense_gradient.sum((0, 1))), "input_gradient": listed(input_gradient)}


def pooling(height, width, channels, size, relu):
    x = draw(height, width, channels)
    pooled, chosen = pool(x, size)
    y = np.maximum(pooled, 0) if relu else pooled
    gradient = draw(*y.shape)
    open_gradient = gradient * (y > 0) if relu else gradient
    return {"height": height, "width": width, "channels": channels, "window": size, "relu": relu, "x": listed(x),
            "y": listed(y), "gradient": listed(gradient),
            "input_gradient": listed(unpool(open_gradient, chosen, size, x.shape))}


def dense(samples, inputs, outputs, relu):
    x, weights, bias = draw(samples, inputs), draw(outputs, inputs), draw(outputs)
    y = x @ weights.T + bias
    y = np.maximum(y, 0) if relu else y
    gradient = draw(samples, outputs)
    return {"samples": samples, "inputs": inputs, "outputs": outputs, "relu": relu, "x": listed(x),
            "weights": listed(weights), "bias": listed(bias), "y": listed(y), "gradient": listed(gradient),
            "input_gradient": listed(gradient @ weights), "weight_gradient": listed(gradient.T @ x),
            "bias_gradient": listed(gradient.sum(0))}


def sparse_dense(samples, pixels, channels, outputs):
    x = np.maximum(draw(samples, pixels, channels), 0)
    mean, deviation = np.round(random.uniform(0.2, 0.4, channels), 3), np.round(random.uniform(0.2, 0.5, channels), 3)
    standard = ((x - mean) / deviation).reshape(samples, -1)
    weights, bias, gradient = draw(pixels * channels, outputs), draw(outputs), draw(samples, outputs)
    return {"samples": samples, "inputs": pixels * channels, "channels": channels, "outputs": outputs, "x": listed(x),
            "scale": listed(1 / deviation), "shift": listed(mean / deviation), "weights": listed(weights),
            "bias": listed(bias), "y": listed(standard @ weights + bias), "gradient": listed(gradient),
            "weight_gradient": listed(standard.T @ gradient), "bias_gradient": listed(gradient.sum(0))}


def softmax(samples, classes, stretch):
    logits = np.round(draw(samples, classes) * stretch, 3)
    labels = random.integers(0, classes, samples)
    shifted = logits - logits.max(1, keepdims=True)
    probabilities = np.exp(shifted) / np.exp(shifted).sum(1, keepdims=True)
    loss = -np.log(probabilities[np.arange(samples), labels]).sum()
    gradient = (probabilities - np.eye(classes)[labels]) / samples
    return {"samples": samples, "classes": classes, "logits": listed(logits), "labels": [int(v) for v in labels],
            "loss": float(loss), "gradient": listed(gradient), "predictions": [int(v) for v in logits.argmax(1)]}


def strided(height, width, inputs, outputs, kernel, stride, border):
    """Dense gradients of a convolution, from the stride-1 one by leaving outputs out."""
    x, weights, bias = draw(height, width, inputs), draw(kernel, kernel, inputs, outputs), draw(outputs)
    seen = windows(x, kernel)
    y = (np.einsum("yxabi,abio->yxo", seen, weights) + bias)[::stride, ::stride]
    gradient = draw(*y.shape)
    full = np.zeros((height, width, outputs))
    full[::stride, ::stride] = gradient
    return {"height": height, "width": width, "inputs": inputs, "outputs": outputs, "kernel": kernel,
            "stride": stride, "extra_border": border, "x": listed(x), "weights": listed(weights),
            "bias": listed(bias), "y": listed(y), "gradient": listed(gradient),
            "weight_gradient": listed(np.einsum("yxabi,yxo->abio", seen, full)),
            "input_gradient": listed(np.einsum("yxabo,abio->yxi", windows(full, kernel), weights[::-1, ::-1]))}


def normalization(samples, height, width, channels, relu, add):
    """Batch normalization; its gradient from the Jacobian of one channel's n values, written out in full:
    d y_i / d x_j = factor (delta_ij - 1/n - u_i u_j / n) with the normalized values u."""
    x, addend = draw(samples, height, width, channels) + 0.5, draw(samples, height, width, channels)
    scale, shift = draw(channels) + 1.5, draw(channels)
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    normal = (x - mean) / np.sqrt(variance + 1e-5)
    z = normal * scale + shift + (addend if add else 0)
    y = np.maximum(z, 0) if relu else z
    gradient = draw(*y.shape)
    opened = gradient * (y > 0) if relu else gradient
    input_gradient = np.zeros_like(x)
    for c in range(channels):
        u = normal[..., c].ravel()
        n = len(u)
        jacobian = np.eye(n) - 1 / n - np.outer(u, u) / n
        column = scale[c] / np.sqrt(variance[c] + 1e-5) * jacobian.T @ opened[..., c].ravel()
        input_gradient[..., c] = column.reshape(x.shape[:3])
    return {"samples": samples, "height": height, "width": width, "channels": channels, "relu": relu, "add": add,
            "x": listed(x), "addend": listed(addend), "scale": listed(scale), "shift": listed(shift),
            "mean": listed(mean), "variance": listed(variance), "y": listed(y), "gradient": listed(gradient),
            "opened": listed(opened), "input_gradient": listed(input_gradient),
            "scale_gradient": listed((opened * normal).sum((0, 1, 2))), "shift_gradient": listed(opened.sum((0, 1, 2)))}


fixtures = {
    "convolution": [convolution(6, 7, 1, 16, 3, 2, True), convolution(5, 5, 3, 16, 3, 2, True),
                    convolution(7, 6, 16, 16, 3, 2, True), convolution(4, 5, 16, 18, 3, 1, True),
                    convolution(5, 4, 2, 5, 5, 1, False), convolution(3, 3, 20, 33, 1, 1, True),
                    convolution(2, 2, 16, 16, 3, 2, False)],
    "pooling": [pooling(7, 8, 3, 3, True), pooling(5, 5, 2, 2, False), pooling(3, 4, 2, 1, True)],
    "dense": [dense(1, 5, 3, True), dense(7, 35, 13, True), dense(9, 64, 10, False), dense(6, 128, 7, True)],
    "sparse_dense": [sparse_dense(5, 40, 1, 16), sparse_dense(3, 13, 3, 21), sparse_dense(2, 9, 1, 150)],
    "softmax": [softmax(4, 10, 3), softmax(3, 2, 60), softmax(2, 100, 1)],
    "strided": [strided(6, 7, 16, 16, 3, 2, 0), strided(5, 5, 3, 18, 3, 2, 1), strided(7, 4, 16, 33, 1, 2, 1),
                strided(6, 5, 2, 5, 5, 1, 0), strided(4, 4, 16, 32, 3, 1, 0), strided(1, 1, 2, 3, 3, 2, 0)],
    "normalization": [normalization(3, 4, 5, 16, True, False), normalization(2, 3, 3, 21, True, True),
                      normalization(4, 1, 1, 3, False, False), normalization(2, 2, 5, 33, False, True)],
}
with open("layers.json", "w", encoding="utf-8") as file:
    json.dump(fixtures, file, separators=(",", ":"))
    file.write("\n")
