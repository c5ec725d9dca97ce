// Reductions of equal arrays of several devices. Internal; one thread per object.
#ifndef TENON_REFERENCE_GROUP_REDUCTION_H_
#define TENON_REFERENCE_GROUP_REDUCTION_H_

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tenon/reference/evaluator.h"

namespace tenon::reference {

// Combines arrays elementwise in the order that RunCollective (collective.h) describes.
class GroupReduction {
 public:
  // With the computation in `region`, (E, E) -> E.
  GroupReduction(OpContext& context, mlir::Region& region);
  // With `op`, on elements of `type`.
  GroupReduction(OpContext& context, ElementOp op, ElementType type);

  // Converts the arrays to E and reduces them. There is at least one array.
  StatusOr<Literal> Reduce(std::span<const Literal> arrays);

 private:
  using Elements = std::vector<uint8_t>;  // in computing form (compute.h)

  void UseInstruction(ElementOp op, bool flushes);
  StatusOr<Elements> Load(const Literal& array) const;
  StatusOr<Elements> ReduceRange(std::span<const Literal> arrays);
  Status Combine(Elements& left, const Elements& right);

  OpContext& context_;
  ElementType type_ = ElementType::kInvalid;
  std::optional<RegionFunction> function_;
  std::optional<ElementInstruction> instruction_;  // instead of the function
};

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_GROUP_REDUCTION_H_
