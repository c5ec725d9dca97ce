// Compares programs of one device with the whole program, both evaluated.
#ifndef TENON_COMPILER_PARTITION_TESTING_H_
#define TENON_COMPILER_PARTITION_TESTING_H_

#include <string>
#include <vector>

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/compiler/partition/boundary.h"
#include "tenon/compiler/partition/box.h"
#include "tenon/compiler/partition/localize.h"
#include "tenon/compiler/partition/program_shardings.h"
#include "tenon/compiler/partition/propagate.h"
#include "tenon/dialects/register.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/reference/devices.h"
#include "tenon/types/literal_compare.h"
#include "tenon/types/random_literal.h"

namespace tenon::compiler::partition {

// Calls `copy(offset in the whole, offset in the part)` for each element of `box`.
template <typename Copy>
void ForEachElement(const Box& box, const Dims& whole, const Dims& part, Copy copy) {
  const Dims whole_strides = RowMajorStrides(whole), part_strides = RowMajorStrides(part);
  const Dims sizes(box.size.begin(), box.size.end());
  if (box.empty || ElementCount(sizes) == 0) return;
  Dims index(sizes.size(), 0);
  do {
    int64_t in_whole = 0, in_part = 0;
    for (size_t d = 0; d < sizes.size(); ++d) {
      in_whole += (box.start[d] + index[d]) * whole_strides[d];
      in_part += index[d] * part_strides[d];
    }
    copy(in_whole, in_part);
  } while (NextIndex(sizes, index));
}

inline Literal PartOf(const Literal& whole, const Box& box) {
  Literal part(whole.type(), Dims(box.size.begin(), box.size.end()));
  const int64_t bytes = ElementBytes(whole.type());
  ForEachElement(box, whole.dims(), part.dims(), [&](int64_t from, int64_t to) {
    std::memcpy(part.mutable_data() + to * bytes, whole.data() + from * bytes, bytes);
  });
  return part;
}

// Whole numbers, whose sums are exact in all float types of the tests.
inline Literal WholeNumbers(ElementType type, const Dims& dims, uint64_t seed) {
  if (type != ElementType::kF32 && type != ElementType::kF64)
    return RandomLiteral(type, dims, seed);
  Literal numbers = RandomLiteral(ElementType::kS32, dims, seed);
  Literal result(type, dims);
  for (int64_t i = 0; i < result.count(); ++i) {
    const auto value = static_cast<double>(numbers.ValueAsInt(i));
    if (type == ElementType::kF32)
      result.mutable_values<float>()[i] = static_cast<float>(value);
    else
      result.mutable_values<double>()[i] = value;
  }
  return result;
}

inline void RemoveShardingOps(mlir::ModuleOp module) {
  module.walk([](mlir::Operation* op) {
    if (llvm::isa<sdy::ShardingGroupOp>(op)) return op->erase();
    if (!llvm::isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(op)) return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  });
}

// Ones if `argument` has the offsets or the sizes of a ragged_all_to_all, which must lie
// inside of its arrays.
inline Literal RandomArgument(mlir::BlockArgument argument, uint64_t seed) {
  auto type = llvm::cast<mlir::RankedTensorType>(argument.getType());
  const Dims dims(type.getShape().begin(), type.getShape().end());
  const ElementType element = ir::ElementTypeOfShaped(type);
  bool ragged = false;
  argument.getOwner()->walk([&](stablehlo::CustomCallOp call) {
    ragged |= call.getCallTargetName() == "ragged_all_to_all";
  });
  if (!ragged || element != ElementType::kS32)
    return WholeNumbers(element, dims, seed * 100 + argument.getArgNumber());
  Literal ones(element, dims);
  std::ranges::fill(ones.mutable_values<int32_t>(), 1);
  return ones;
}

// Partitions `main` of the module `text` by its sharding attributes, or by those that
// propagation finds, evaluates it on all devices, and compares the results with those of
// the whole program: equal bits, or for floats within `tolerance` (relative and
// absolute). Programs with manual computations are only evaluated, because they have no
// whole form. Returns the partitioned module as text.
inline StatusOr<std::string> PartitionAndCompare(const std::string& text,
                                                 double tolerance = 0, uint64_t seed = 1,
                                                 bool propagate = false) {
  mlir::DialectRegistry registry;
  RegisterAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) return InvalidArgument("the program is not valid");
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  TENON_RETURN_IF_ERROR(InlineCalls(*module, main));
  mlir::OwningOpRef<mlir::ModuleOp> whole = module->clone();
  RemoveShardingOps(*whole);
  if (propagate) {
    TENON_RETURN_IF_ERROR(PropagateShardings(*module));
    TENON_RETURN_IF_ERROR(SettleBoundary(*module));
  }
  TENON_ASSIGN_OR_RETURN(ProgramShardings shardings, ReadProgramShardings(main));

  std::vector<Literal> arguments;
  const int64_t devices = shardings.mesh.num_devices();
  std::vector<std::vector<Literal>> parts(devices);
  for (mlir::BlockArgument argument : main.getArguments()) {
    arguments.push_back(RandomArgument(argument, seed));
    const Dims& dims = arguments.back().dims();
    const Sharding* sharding = shardings.Find(argument);
    for (int64_t device = 0; device < devices; ++device)
      parts[device].push_back(
          sharding ? PartOf(arguments.back(),
                            BoxOf(*sharding, shardings.MeshOf(*sharding), dims, device))
                   : arguments.back());
  }
  TENON_RETURN_IF_ERROR(LegalizeChlo(*whole));
  std::vector<Literal> expected;
  if (shardings.manual.empty()) {
    TENON_ASSIGN_OR_RETURN(
        expected,
        reference::Evaluate(whole->lookupSymbol<mlir::func::FuncOp>("main"), arguments));
  }

  TENON_RETURN_IF_ERROR(Localize(main, shardings, {1, devices}));
  TENON_RETURN_IF_ERROR(LegalizeChlo(*module));
  std::string local;
  llvm::raw_string_ostream(local) << *module;
  if (mlir::failed(mlir::verify(*module))) return Internal("not verified:\n" + local);
  auto results = reference::EvaluateOnDevices(main, {1, devices}, parts);
  if (!results.ok()) return results.status().WithPrefix(local);
  for (size_t i = 0; i < expected.size(); ++i)
    for (int64_t device = 0; device < devices; ++device) {
      const Sharding& sharding = *shardings.results[i];
      const Box box =
          BoxOf(sharding, shardings.MeshOf(sharding), expected[i].dims(), device);
      const Literal part = PartOf(expected[i], box);
      Status status =
          tolerance > 0 ? CompareClose((*results)[device][i], part, tolerance, tolerance)
                        : CompareEqual((*results)[device][i], part);
      if (!status.ok())
        return status.WithPrefix(local + "\nresult " + std::to_string(i) + " on device " +
                                 std::to_string(device));
    }
  return local;
}

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_TESTING_H_
