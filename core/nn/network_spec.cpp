#include "nn/network_spec.h"

#include <fmt/format.h>

namespace lockstep {

NetworkSpec softmaxSpec(int resolutionPx, int channels, int classes) {
    return {{resolutionPx, resolutionPx, channels}, {{LayerType::Dense, classes}}, {}};
}

NetworkSpec mlpSpec(int resolutionPx, int channels, int classes) {
    return {{resolutionPx, resolutionPx, channels},
            {{LayerType::Dense, 128},
             {LayerType::Relu},
             {LayerType::Dense, 64},
             {LayerType::Relu},
             {LayerType::Dense, classes}},
            {}};
}

NetworkSpec cnnSpec(int resolutionPx, int channels, int classes) {
    return {{resolutionPx, resolutionPx, channels},
            {{LayerType::Convolution, 16, 3},
             {LayerType::Relu},
             {LayerType::MaxPool, 0, 2},
             {LayerType::Convolution, 32, 3},
             {LayerType::Relu},
             {LayerType::MaxPool, 0, 2},
             {LayerType::Dense, 128},
             {LayerType::Relu},
             {LayerType::Dense, classes}},
            {}};
}

namespace {

LayerSpec convolution(int outputs, int stride = 1) { return {LayerType::Convolution, outputs, 3, stride}; }

LayerSpec residualBlock(int outputs, int stride) {
    return {.type = LayerType::Residual,
            .block = {convolution(outputs, stride),
                      {LayerType::BatchNorm},
                      {LayerType::Relu},
                      convolution(outputs),
                      {LayerType::BatchNorm}}};
}

}  // namespace

NetworkSpec residualCnnSpec(int resolutionPx, int channels, int classes) {
    return {{resolutionPx, resolutionPx, channels},
            {convolution(16),
             {LayerType::BatchNorm},
             {LayerType::Relu},
             residualBlock(16, 1),
             residualBlock(32, 2),
             residualBlock(64, 2),
             {LayerType::GlobalAveragePool},
             {LayerType::Dense, classes}},
            {}};
}

Result<NetworkSpec> namedNetworkSpec(std::string_view name, int resolutionPx, int channels, int classes) {
    if (name == "softmax") return softmaxSpec(resolutionPx, channels, classes);
    if (name == "mlp") return mlpSpec(resolutionPx, channels, classes);
    if (name == "cnn") return cnnSpec(resolutionPx, channels, classes);
    if (name == "residual-cnn") return residualCnnSpec(resolutionPx, channels, classes);
    return fail(fmt::format("no network is called \"{}\"; known: softmax, mlp, cnn, residual-cnn", name));
}

}  // namespace lockstep
