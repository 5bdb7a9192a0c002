#include "nn/layer_limits.h"

#include <fmt/format.h>

namespace lockstep {

Result<void> checkConvolution(const LayerSpec& layer) {
    if (layer.kernel < 1 || layer.kernel > 7 || layer.kernel % 2 == 0)
        return fail(fmt::format("a convolution's kernel must be 1, 3, 5 or 7, not {}", layer.kernel));
    if (layer.outputs < 1 || layer.outputs > 1024)
        return fail(fmt::format("a convolution needs 1..1024 outputs, not {}", layer.outputs));
    if (layer.stride < 1 || layer.stride > 2)
        return fail(fmt::format("a convolution's stride must be 1 or 2, not {}", layer.stride));
    return {};
}

Result<void> checkMaxPool(const LayerSpec& layer, const ImageShape& input) {
    if (layer.kernel < 2 || layer.kernel > 8)
        return fail(fmt::format("a pooling window must be 2..8, not {}", layer.kernel));
    if (layer.kernel > input.heightPx || layer.kernel > input.widthPx)
        return fail(fmt::format("a pooling window of {} does not fit {} x {} pixels", layer.kernel, input.heightPx,
                                input.widthPx));
    return {};
}

Result<void> checkDense(const LayerSpec& layer) {
    if (layer.outputs < 1 || layer.outputs > 4096)
        return fail(fmt::format("a dense layer needs 1..4096 outputs, not {}", layer.outputs));
    return {};
}

}  // namespace lockstep
