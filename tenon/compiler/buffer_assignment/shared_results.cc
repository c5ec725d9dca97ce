#include "tenon/compiler/buffer_assignment/shared_results.h"

#include "llvm/ADT/TypeSwitch.h"
#include "tenon/compiler/buffer_assignment/shared_segments.h"

namespace tenon::compiler {
namespace {

// Visits all uses of a result's buffer.
class Uses {
 public:
  Uses(mlir::ModuleOp module, const std::vector<ImageCollective>& collectives)
      : module_(module), collectives_(collectives) {}

  // Whether all uses of `view` read it, or are collectives like those found before.
  bool Visit(mlir::Value view) {
    return llvm::all_of(view.getUses(), [&](mlir::OpOperand& use) { return Visit(use); });
  }
  // The first collective that writes the buffer, or -1.
  int64_t site() const { return site_; }

 private:
  bool Visit(mlir::OpOperand& use) {
    const unsigned number = use.getOperandNumber();
    return llvm::TypeSwitch<mlir::Operation*, bool>(use.getOwner())
        .Case<ir::CastViewOp, ir::SubviewOp>([&](auto op) { return Visit(op.getView()); })
        .Case([&](ir::LaunchOp op) {
          auto kernel = module_.lookupSymbol<ir::KernelOp>(op.getKernel());
          return kernel && Visit(kernel.getBody().getArgument(number));
        })
        .Case([&](ir::CollectiveOp op) {
          return number >= op.getInputs().size() ? IsLikeOthers(op) : true;
        })
        // Their first operands, which they read.
        .Case<ir::LoadOp, ir::ReadOp, ir::CopyOp>([&](auto) { return number == 0; })
        .Case<ir::ContractOp, ir::ConvolutionOp>([&](auto) { return number < 2; })
        .Default([](mlir::Operation*) { return false; });
  }

  bool IsLikeOthers(ir::CollectiveOp op) {
    const auto site = static_cast<int64_t>(op.getSite());
    const ImageCollective& collective = collectives_[site];
    if (!WritesMembersAlike(collective)) return false;
    if (site_ < 0) site_ = site;
    return SortedGroups(collective) == SortedGroups(collectives_[site_]);
  }

  mlir::ModuleOp module_;
  const std::vector<ImageCollective>& collectives_;
  int64_t site_ = -1;
};

}  // namespace

std::vector<int64_t> SharedResults(mlir::ModuleOp module, ir::ProgramOp program,
                                   const std::vector<ImageCollective>& collectives) {
  std::vector<int64_t> shared;
  for (int64_t r = 0; r < program.getNumResultBuffers(); ++r) {
    Uses uses(module, collectives);
    const bool is_shared =
        !collectives.empty() &&
        uses.Visit(program.getBody().getArgument(program.getNumParameters() + r));
    shared.push_back(is_shared ? uses.site() : -1);
  }
  return shared;
}

}  // namespace tenon::compiler
