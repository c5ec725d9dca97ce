#include "tenon/compiler/analysis/program_frame.h"

#include "llvm/Support/MathExtras.h"

namespace tenon::compiler {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kScalarBytes = 16;  // the widest scalar is complex<f64>

bool IsScalar(mlir::Value value) {
  return llvm::isa<mlir::RankedTensorType>(value.getType());
}

class FrameBuilder {
 public:
  explicit FrameBuilder(ir::ProgramOp program) {
    for (mlir::Operation& op : program.getBody().front()) {
      calls_ += CountCalls(op);
      suspends_ |= Suspends(op);
    }
    if (!suspends_) return;
    frame_.bytes = SegmentAddress(std::ssize(program.getSharedSites()));
    NumberSegments(program.getBody().front());
    PlaceBlock(program.getBody().front());
    frame_.bytes = llvm::alignTo(frame_.bytes, kAlignment);
  }

  ProgramFrame Take() { return std::move(frame_); }

 private:
  // A segment runs without interruption. Loops and branches that suspend are no part of
  // one; what is in them belongs to other segments than what is around them.
  void NumberSegments(mlir::Block& block) {
    for (mlir::Operation& op : block) {
      segments_[&op] = segment_;
      if (!Suspends(op)) continue;
      if (llvm::isa<ir::CollectiveOp>(op)) {
        const auto state = static_cast<int32_t>(frame_.states.size() + 1);
        frame_.states[&op] = state;
      }
      for (mlir::Region& region : op.getRegions()) {
        ++segment_;
        NumberSegments(region.front());
      }
      ++segment_;
    }
  }

  void Place(mlir::Value value) {
    frame_.offsets[value] = frame_.bytes;
    frame_.bytes += kScalarBytes;
  }

  // Whether a value of a block that suspends is used in another segment.
  bool Crosses(mlir::Value value, mlir::Operation* def) {
    // Parts of a long program do not share registers either.
    if (calls_ >= kMaxCallsOfPart) return !value.use_empty();
    const int segment = segments_.lookup(def);
    return llvm::any_of(value.getUsers(), [&](mlir::Operation* user) {
      // Ops in the regions of an op that does not suspend have its segment.
      while (!segments_.contains(user)) user = user->getParentOp();
      return segments_.lookup(user) != segment;
    });
  }

  void PlaceBlock(mlir::Block& block) {
    for (mlir::Operation& op : block) {
      if (Suspends(op) && op.getNumRegions() > 0) {
        for (mlir::Value result : op.getResults()) Place(result);
        for (mlir::Region& region : op.getRegions()) {
          for (auto [argument, result] :
               llvm::zip(region.getArguments(), op.getResults()))
            frame_.offsets[argument] = frame_.offsets.lookup(result);
          PlaceBlock(region.front());
        }
        continue;
      }
      if (op.hasTrait<mlir::OpTrait::ConstantLike>()) continue;  // rematerialized
      for (mlir::Value result : op.getResults())
        if (IsScalar(result) && Crosses(result, &op)) Place(result);
    }
  }

  ProgramFrame frame_;
  bool suspends_ = false;
  int calls_ = 0;
  int segment_ = 0;
  llvm::DenseMap<mlir::Operation*, int> segments_;
};

}  // namespace

int CountCalls(mlir::Operation& op) {
  int calls = 0;
  op.walk([&](mlir::Operation* inner) {
    calls += llvm::isa<ir::LaunchOp, ir::CopyOp, ir::FfiCallOp, ir::CollectiveOp>(inner);
  });
  return calls;
}

bool Suspends(mlir::Operation& op) {
  return op.walk([](ir::CollectiveOp) { return mlir::WalkResult::interrupt(); })
      .wasInterrupted();
}

ProgramFrame LayOutFrame(ir::ProgramOp program) { return FrameBuilder(program).Take(); }

}  // namespace tenon::compiler
