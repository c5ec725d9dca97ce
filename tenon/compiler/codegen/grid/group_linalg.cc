#include "tenon/compiler/codegen/grid/group_linalg.h"

#include <algorithm>
#include <bit>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/grid/group_matrix.h"

namespace tenon::codegen {

using compiler::LinalgAlgorithm;
using compiler::LinalgSpec;

bool HasGroupForm(const LinalgSpec& spec) {
  return spec.algorithm == LinalgAlgorithm::kCholesky ||
         spec.algorithm == LinalgAlgorithm::kLu ||
         spec.algorithm == LinalgAlgorithm::kTriangularSolve;
}

int ItemsOfLinalg(const LinalgSpec& spec, const compiler::DeviceTarget& device) {
  // Small matrices: an item for each element of a row, and a few rows at a time.
  constexpr int64_t kRowsAtATime = 4;
  const int64_t side = std::max(spec.a.rows, spec.a.columns);
  const auto wanted = static_cast<uint64_t>(std::max<int64_t>(1, side * kRowsAtATime));
  const bool is_panel = spec.algorithm == LinalgAlgorithm::kLu && spec.batch == 1 &&
                        side > device.max_group_items;
  const int most = is_panel ? device.max_lone_group_items : device.max_group_items;
  return static_cast<int>(
      std::min<uint64_t>(std::max<uint64_t>(std::bit_ceil(wanted), kNeighbours),
                         static_cast<uint64_t>(most)));
}

int64_t GroupsOfLinalg(const LinalgSpec& spec) {
  if (spec.algorithm != LinalgAlgorithm::kTriangularSolve) return spec.batch;
  if (spec.b.columns == 0) return 0;
  return spec.batch * CeilDiv(spec.b.columns, SolvedColumns(spec));
}

Status EmitGroupLinalg(GroupBody& body, ir::LinalgOp op, const LinalgSpec& spec,
                       llvm::Value* group) {
  switch (spec.algorithm) {
    case LinalgAlgorithm::kCholesky:
      return EmitGroupCholesky(body, op, spec, group);
    case LinalgAlgorithm::kLu:
      return EmitGroupLu(body, op, spec, group);
    case LinalgAlgorithm::kTriangularSolve:
      return EmitGroupTriangularSolve(body, op, spec, group);
    default:
      return Internal("no group form of this kind of linear algebra");
  }
}

}  // namespace tenon::codegen
