// Evaluates a program on several devices: every device runs a copy, and the copies
// communicate through collectives. The oracle for programs of many devices.
#ifndef TENON_REFERENCE_DEVICES_H_
#define TENON_REFERENCE_DEVICES_H_

#include <span>
#include <vector>

#include "tenon/dialects/stablehlo/process_groups.h"
#include "tenon/reference/evaluate.h"

namespace tenon::reference {

// Runs `function` on every device of `grid`. `arguments[i]` are the arguments of process
// i, and element i of the returned vector are its results, in the same form as for
// Evaluate; the limits of `options` hold for each device. partition_id and replica_id
// return the numbers of the device.
//
// Devices run one after another on the calling thread, each until it waits in a
// collective or ends. A collective is executed when all devices of its group wait in it;
// devices of different groups may be at different places. If no device can run and some
// wait, the error FAILED_PRECONDITION says which devices wait in which operation, at
// which location, and what the devices that they wait for do.
//
// Reductions combine the members of a group in a balanced binary tree over their
// positions, so the result does not depend on the order in which devices arrive.
StatusOr<std::vector<std::vector<Literal>>> EvaluateOnDevices(
    mlir::func::FuncOp function, const stablehlo::ProcessGrid& grid,
    std::span<const std::vector<Literal>> arguments, const EvaluateOptions& options = {});

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_DEVICES_H_
