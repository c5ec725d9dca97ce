// Which views of a kernel may share memory. Decides where the items of a group must wait
// for each other. Immutable.
#ifndef TENON_COMPILER_CODEGEN_GRID_VIEW_ALIASES_H_
#define TENON_COMPILER_CODEGEN_GRID_VIEW_ALIASES_H_

#include <map>
#include <set>
#include <utility>

#include "llvm/ADT/SmallPtrSet.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

// Views by their roots: a kernel's argument, or a tenon.local.
using ViewSet = llvm::SmallPtrSet<void*, 8>;

// The root of a view: what it is a subview of.
mlir::Value ViewRoot(mlir::Value view);

class ViewAliases {
 public:
  ViewAliases() = default;
  // Reads the launches of `kernel` in its module. Two arguments may share memory if they
  // do in one of the launches.
  explicit ViewAliases(ir::KernelOp kernel);

  // The alignment of the first element of a view that is no subview, in bytes.
  int64_t AlignmentOf(mlir::Value root) const;
  bool MayShare(mlir::Value root, mlir::Value other) const;
  bool MayShare(const ViewSet& roots, const ViewSet& others) const;

 private:
  std::set<std::pair<unsigned, unsigned>> shared_;  // numbers of arguments
  std::map<unsigned, int64_t> alignment_;           // by number
};

// The roots of the views that `op` and the ops in its regions load from and store to.
// `unknown` is set if they contain an op whose accesses are not listed.
struct ViewAccesses {
  ViewSet reads, writes;
  bool unknown = false;
};
ViewAccesses AccessesOf(mlir::Operation& op);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_VIEW_ALIASES_H_
