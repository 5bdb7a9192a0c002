#include "train/snapshot.h"

namespace lockstep {

const char* runStateName(RunState state) {
    switch (state) {
        case RunState::Preparing:
            return "preparing";
        case RunState::Running:
            return "running";
        case RunState::Paused:
            return "paused";
        case RunState::Waiting:
            return "waiting";
        case RunState::Done:
            return "done";
        case RunState::Stopped:
            return "stopped";
        case RunState::Diverged:
            return "diverged";
        case RunState::Failed:
            return "failed";
    }
    return "failed";
}

}  // namespace lockstep
