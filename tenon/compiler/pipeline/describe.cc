#include "tenon/compiler/pipeline/describe.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/xxhash.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/compiler/pipeline/boundary_layouts.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

bool HasStorage(mlir::Type type) {
  if (llvm::isa<stablehlo::TokenType>(type)) return true;
  if (auto tuple = llvm::dyn_cast<mlir::TupleType>(type))
    return llvm::all_of(tuple.getTypes(), HasStorage);
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         ir::ElementTypeOf(tensor.getElementType()) != ElementType::kInvalid;
}

StatusOr<ImageTensor> Describe(mlir::Type type, const ValueAttributes& attributes) {
  ImageTensor tensor;
  tensor.name = attributes.name;
  tensor.type = ElementType::kToken;
  if (auto ranked = llvm::dyn_cast<mlir::RankedTensorType>(type)) {
    tensor.type = ir::ElementTypeOf(ranked.getElementType());
    tensor.dims.assign(ranked.getShape().begin(), ranked.getShape().end());
  }
  TENON_ASSIGN_OR_RETURN(
      tensor.minor_to_major,
      ParseLayoutMode(attributes.layout_mode, static_cast<int64_t>(tensor.dims.size())));
  if (!attributes.memory_kind.empty()) tensor.memory_kind = attributes.memory_kind;
  return tensor;
}

// Whether both are stored in the same way.
bool HaveSameForm(const ImageTensor& a, const ImageTensor& b) {
  return a.dims == b.dims && a.type == b.type && a.minor_to_major == b.minor_to_major &&
         a.memory_kind == b.memory_kind;
}

// Whether the storage of one can hold the other, both row-major.
bool HaveSameBytes(const ImageTensor& a, const ImageTensor& b) {
  auto is_row_major = [](const ImageTensor& tensor) {
    return llvm::is_sorted(tensor.minor_to_major, std::greater<>());
  };
  return a.type == b.type && a.ByteSize() == b.ByteSize() && is_row_major(a) &&
         is_row_major(b) && a.memory_kind == b.memory_kind;
}

// Adds attributes for layouts other than row-major. jaxlib 0.5 has no layouts extension
// and reads them from the program.
void AddLayoutAttributes(mlir::ModuleOp module, const ExecutableInfo& info) {
  mlir::OpBuilder b(module.getContext());
  bool needed = false;
  auto layouts = [&](llvm::ArrayRef<ImageTensor> tensors) {
    llvm::SmallVector<mlir::Attribute> all;
    for (const ImageTensor& tensor : tensors) {
      const auto rank = static_cast<int64_t>(tensor.dims.size());
      llvm::SmallVector<int64_t> order(tensor.minor_to_major.begin(),
                                       tensor.minor_to_major.end());
      needed |= !llvm::is_sorted(order, std::greater<>());
      for (int64_t dim = rank; order.size() < tensor.dims.size();) order.push_back(--dim);
      auto type = mlir::RankedTensorType::get({rank}, b.getIndexType());
      all.push_back(mlir::DenseIntElementsAttr::get(type, order));
    }
    return b.getArrayAttr(all);
  };
  mlir::ArrayAttr parameters = layouts(info.parameters), results = layouts(info.results);
  if (!needed) return;
  module->setAttr("mhlo.xla_entry_computation_parameter_layouts", parameters);
  module->setAttr("mhlo.xla_entry_computation_result_layout", results);
}

}  // namespace

Status RefuseUnsupportedTypes(mlir::func::FuncOp entry) {
  Status status;
  auto check = [&](mlir::Operation* op) {
    if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op);
        dot && !IsSupportedAlgorithm(dot)) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "algorithm " << dot.getAlgorithmAttr()
          << " is not supported; use one product of floats, 3 products of parts in bf16 "
             "or tf32, or 6 or 9 of parts in bf16";
      status = UnsupportedOp(*op, text);
      return mlir::WalkResult::interrupt();
    }
    for (mlir::Type type : op->getResultTypes()) {
      if (HasStorage(type)) continue;
      std::string text;
      llvm::raw_string_ostream(text) << "type " << type << " is not supported";
      status = UnsupportedOp(*op, text);
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  };
  for (mlir::Type type : entry.getArgumentTypes()) {
    if (HasStorage(type)) continue;
    std::string text;
    llvm::raw_string_ostream(text) << "parameter of type " << type << " is not supported";
    return Unimplemented(text);
  }
  entry->getParentOfType<mlir::ModuleOp>().walk(
      [&](mlir::func::FuncOp function) { function.getBody().walk(check); });
  return status;
}

Status DescribeProgram(mlir::func::FuncOp entry, const ProgramAttributes& attributes,
                       const Costs& costs, ExecutableInfo& info) {
  info.name = attributes.name;
  info.num_replicas = attributes.num_replicas;
  info.num_partitions = attributes.num_partitions;
  auto results = entry.getBody().front().getTerminator()->getOperands();
  if (attributes.arguments.size() != entry.getNumArguments() ||
      attributes.results.size() != results.size())
    return Internal("the entry function changed its signature");
  double bytes = 0;
  for (auto [type, attribute] :
       llvm::zip_equal(entry.getArgumentTypes(), attributes.arguments)) {
    TENON_ASSIGN_OR_RETURN(ImageTensor parameter, Describe(type, attribute));
    bytes += parameter.ByteSize();
    info.parameters.push_back(std::move(parameter));
  }
  for (auto [value, attribute] : llvm::zip_equal(results, attributes.results)) {
    ValueAttributes chosen = attribute;
    if (chosen.layout_mode == "auto") chosen.layout_mode = ChooseLayout(value);
    TENON_ASSIGN_OR_RETURN(ImageTensor result, Describe(value.getType(), chosen));
    bytes += result.ByteSize();
    info.results.push_back(std::move(result));
  }
  info.costs = {{"flops", costs.flops},
                {"transcendentals", costs.transcendentals},
                {"bytes accessed", bytes}};

  std::vector<bool> taken(info.results.size());
  for (auto [number, argument] : llvm::enumerate(attributes.arguments)) {
    if (!argument.aliased_result) continue;
    // Elements in another order cannot be written in place.
    // Parts of different shapes have no common storage either.
    const ImageTensor& parameter = info.parameters[number];
    const ImageTensor& result = info.results[*argument.aliased_result];
    if (parameter.minor_to_major != result.minor_to_major ||
        parameter.dims != result.dims)
      continue;
    info.aliases.push_back(
        {*argument.aliased_result, static_cast<int64_t>(number), true});
    taken[*argument.aliased_result] = true;
  }
  for (auto [number, argument] : llvm::enumerate(attributes.arguments)) {
    if (!argument.donated || argument.aliased_result) continue;
    const ImageTensor& parameter = info.parameters[number];
    std::optional<size_t> found;
    for (size_t result = 0; result < info.results.size() && !found; ++result) {
      if (!taken[result] && HaveSameForm(info.results[result], parameter)) found = result;
    }
    // On several devices, equal shapes may have parts of different shapes.
    const bool may_differ = attributes.num_partitions > 1;
    for (size_t result = 0; may_differ && result < info.results.size() && !found;
         ++result) {
      if (!taken[result] && HaveSameBytes(info.results[result], parameter))
        found = result;
    }
    if (!found) continue;
    info.aliases.push_back(
        {static_cast<int64_t>(*found), static_cast<int64_t>(number), false});
    taken[*found] = true;
  }
  AddLayoutAttributes(entry->getParentOfType<mlir::ModuleOp>(), info);
  return OkStatus();
}

std::string Fingerprint(const Image& image) {
  llvm::MD5 hash;
  // Constants may be gigabytes, and tables in code megabytes, so their hash function runs
  // at the speed of memory.
  auto add = [&](llvm::ArrayRef<uint8_t> bytes) {
    llvm::XXH128_hash_t digest = llvm::xxh3_128bits(bytes);
    uint64_t words[] = {digest.low64, digest.high64, bytes.size()};
    hash.update(
        llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t*>(words), sizeof(words)));
  };
  for (const CodeObject& code : image.code_objects) add(code.bytes);
  hash.update(image.info.compile_options);
  add(image.constants.bytes());
  hash.update(image.info.optimized_program);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

}  // namespace tenon::compiler
