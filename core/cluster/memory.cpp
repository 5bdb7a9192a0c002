#include "cluster/memory.h"

#include <algorithm>
#include <cmath>

namespace lockstep {

namespace {

constexpr double kBytesOfState = 4;  // optimizers work in fp32

int rememberedValues(OptimizerKind optimizer) {
    switch (optimizer) {
        case OptimizerKind::Sgd:
            return 0;
        case OptimizerKind::Adam:
            return 2;
        case OptimizerKind::Momentum:
        case OptimizerKind::Nesterov:
        case OptimizerKind::Lars:
            return 1;
    }
    return 0;
}

}  // namespace

double bytesPerElement(Precision precision) {
    return precision == Precision::Fp16 || precision == Precision::Bf16 ? 2 : 4;
}

MemoryUse MemoryModel::at(double batch) const {
    MemoryUse use = fixed;
    use.activationsBytes = batch * activationsBytesPerSample;
    use.workspaceBytes = batch * workspaceBytesPerSample;
    return use;
}

long long MemoryModel::largestBatch() const {
    const double room = fixed.capacityBytes - fixed.totalBytes();
    const double perSample = activationsBytesPerSample + workspaceBytesPerSample;
    if (room <= 0 || perSample <= 0) return 0;
    return static_cast<long long>(std::floor(room / perSample));
}

MemoryModel memoryModel(const ModelTotals& model, Precision precision, OptimizerKind optimizer, double capacityBytes) {
    const double element = bytesPerElement(precision);
    const bool keepsMasterCopy = element < kBytesOfState;
    MemoryModel memory;
    memory.fixed.parametersBytes = model.parameters * element;
    memory.fixed.gradientsBytes = model.parameters * element;
    memory.fixed.optimizerBytes =
        model.parameters * kBytesOfState * (rememberedValues(optimizer) + (keepsMasterCopy ? 1 : 0));
    memory.fixed.capacityBytes = capacityBytes;
    memory.activationsBytesPerSample = element * model.storedElements + model.storedBytes;
    memory.workspaceBytesPerSample = 2 * element * model.largestOutputs;
    return memory;
}

}  // namespace lockstep
