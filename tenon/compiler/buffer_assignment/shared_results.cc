#include "tenon/compiler/buffer_assignment/shared_results.h"

namespace tenon::compiler {
namespace {

bool WritesAllAlike(const ImageCollective& collective, int64_t num_devices) {
  return (collective.kind == CollectiveKind::kAllReduce ||
          collective.kind == CollectiveKind::kAllGather) &&
         collective.groups.size() == 1 && std::ssize(collective.groups[0]) == num_devices;
}

}  // namespace

std::vector<bool> SharedResults(ir::ProgramOp program,
                                const std::vector<ImageCollective>& collectives,
                                int64_t num_devices) {
  const auto is_written_alike = [&](mlir::OpOperand& use) {
    auto collective = llvm::dyn_cast<ir::CollectiveOp>(use.getOwner());
    const unsigned first_output =
        collective ? static_cast<unsigned>(collective.getInputs().size()) : 0;
    return collective && use.getOperandNumber() >= first_output &&
           WritesAllAlike(collectives[collective.getSite()], num_devices);
  };
  std::vector<bool> shared;
  for (int64_t r = 0; r < program.getNumResultBuffers(); ++r) {
    mlir::Value buffer = program.getBody().getArgument(program.getNumParameters() + r);
    shared.push_back(num_devices > 1 && program.getResultAliases()[r] < 0 &&
                     !buffer.use_empty() &&
                     llvm::all_of(buffer.getUses(), is_written_alike));
  }
  return shared;
}

}  // namespace tenon::compiler
