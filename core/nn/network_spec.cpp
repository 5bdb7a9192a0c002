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

Result<NetworkSpec> namedNetworkSpec(std::string_view name, int resolutionPx, int channels, int classes) {
    if (name == "softmax") return softmaxSpec(resolutionPx, channels, classes);
    if (name == "mlp") return mlpSpec(resolutionPx, channels, classes);
    if (name == "cnn") return cnnSpec(resolutionPx, channels, classes);
    return fail(fmt::format("no network is called \"{}\"; known: softmax, mlp, cnn", name));
}

}  // namespace lockstep
