#pragma once

#include "catalogue/catalogue.h"
#include "cluster/prediction.h"

namespace lockstep {

/// Bytes of an element that takes part in arithmetic: 4 for fp32 and tf32, 2 for fp16 and bf16.
[[nodiscard]] double bytesPerElement(Precision precision);

/// What one device holds to train a replica, linear in the batch:
///   parameters = P e, gradients = P e (e bytes per element, P parameters)
///   optimizer = 4 P for each value that the rule remembers (momentum, nesterov, lars: 1; adam: 2; sgd: 0), and with
///   fp16
///     or bf16 another 4 P for the fp32 master copy (Micikevicius et al., Mixed Precision Training, ICLR 2018)
///   activations = batch x (e x stored elements + stored bytes), see ModelSpec for what is stored
///   workspace = batch x 2 e x the largest layer output: the gradients of a layer's output and of its input, which live
///     at the same time during the backward pass
/// Capacity is the device's nominal memory in units of 10^9 bytes; what the driver and the framework take for
/// themselves is not counted, nor is what a nominal gigabyte is short of 2^30 bytes.
///
/// Optimizer state is counted on the replica's device in every architecture, although a parameter server would keep it:
/// so a change of architecture changes times, not the largest batch.
///
/// Beside the worksheet's estimate for ResNet-50 at 224 pixels (every convolution output kept twice, 88.9 MB for each
/// image, 175 images on 16 GB): the same idea, tensor by tensor. Shortcut normalizations are kept once, the image and
/// the pooling indices are added, and with the workspace it comes to a few percent more an image.
struct MemoryModel {
    MemoryUse fixed;  ///< at batch 0
    double activationsBytesPerSample = 0;
    double workspaceBytesPerSample = 0;

    [[nodiscard]] MemoryUse at(double batch) const;
    /// The largest batch that the capacity holds; 0 when not even one sample fits.
    [[nodiscard]] long long largestBatch() const;
};

[[nodiscard]] MemoryModel memoryModel(const ModelTotals& model, Precision precision, OptimizerKind optimizer,
                                      double capacityBytes);

}  // namespace lockstep
