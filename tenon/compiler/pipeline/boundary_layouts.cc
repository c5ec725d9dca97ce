#include "tenon/compiler/pipeline/boundary_layouts.h"

#include <charconv>
#include <string>

#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

bool IsRowMajor(const ImageTensor& tensor) {
  const auto rank = static_cast<int64_t>(tensor.minor_to_major.size());
  for (int64_t i = 0; i < rank; ++i)
    if (tensor.minor_to_major[i] != rank - 1 - i) return false;
  return true;
}

mlir::RankedTensorType MemoryType(mlir::RankedTensorType type,
                                  llvm::ArrayRef<int64_t> major_to_minor) {
  llvm::SmallVector<int64_t> shape;
  for (int64_t dim : major_to_minor) shape.push_back(type.getDimSize(dim));
  return mlir::RankedTensorType::get(shape, type.getElementType());
}

llvm::SmallVector<int64_t> MajorToMinor(const ImageTensor& tensor) {
  return llvm::to_vector(llvm::reverse(tensor.minor_to_major));
}

// The operand of the transpose that defines `value`, if `order` reverses it; or null.
mlir::Value UntransposedSource(mlir::Value value, llvm::ArrayRef<int64_t> order) {
  auto transpose = value.getDefiningOp<stablehlo::TransposeOp>();
  if (!transpose) return {};
  for (auto [i, dim] : llvm::enumerate(order)) {
    if (transpose.getPermutation()[dim] != static_cast<int64_t>(i)) return {};
  }
  return transpose.getOperand();
}

}  // namespace

StatusOr<std::vector<int64_t>> ParseLayoutMode(std::string_view mode, int64_t rank) {
  std::vector<int64_t> minor_to_major;
  if (mode.empty() || mode == "default" || mode == "auto") {
    for (int64_t d = rank; d-- > 0;) minor_to_major.push_back(d);
    return minor_to_major;
  }
  if (mode.find(':') != std::string_view::npos)
    return Unimplemented("layout '" + std::string(mode) +
                         "' is not supported: it has tiles or other properties; use an "
                         "order of dimensions such as {1,0}");
  std::vector<bool> seen(rank);
  bool valid = mode.size() >= 2 && mode.front() == '{' && mode.back() == '}';
  const char* next_char = mode.data() + 1;
  const char* const end = mode.data() + mode.size() - 1;
  while (valid && next_char < end) {
    int64_t dim = -1;
    auto [next, error] = std::from_chars(next_char, end, dim);
    valid = error == std::errc() && dim >= 0 && dim < rank && !seen[dim] &&
            (next == end || (*next == ',' && next + 1 < end));
    if (!valid) break;
    seen[dim] = true;
    minor_to_major.push_back(dim);
    next_char = next == end ? end : next + 1;
  }
  if (valid && static_cast<int64_t>(minor_to_major.size()) == rank) return minor_to_major;
  return InvalidArgument("layout '" + std::string(mode) + "' is not a permutation of " +
                         std::to_string(rank) + " dimensions");
}

void ReadLayoutConstraints(mlir::func::FuncOp entry, ProgramAttributes& attributes) {
  auto results = entry.getBody().front().getTerminator()->getOperands();
  for (auto [result, attribute] : llvm::zip(results, attributes.results)) {
    auto call = result.getDefiningOp<stablehlo::CustomCallOp>();
    if (!call || attribute.layout_mode != "auto" ||
        call.getCallTargetName() != "LayoutConstraint" || !call.getResultLayouts() ||
        call.getResultLayouts()->size() != 1)
      continue;
    auto layout =
        llvm::dyn_cast<mlir::DenseIntElementsAttr>((*call.getResultLayouts())[0]);
    if (!layout) continue;
    attribute.layout_mode.clear();
    for (const llvm::APInt& dim : layout.getValues<llvm::APInt>()) {
      attribute.layout_mode += attribute.layout_mode.empty() ? "{" : ",";
      attribute.layout_mode += std::to_string(dim.getSExtValue());
    }
    attribute.layout_mode += attribute.layout_mode.empty() ? "" : "}";
  }
}

std::string ChooseLayout(mlir::Value result) {
  auto transpose = result.getDefiningOp<stablehlo::TransposeOp>();
  if (!transpose) return "default";
  // Dimension i of the result is dimension permutation[i] in memory.
  llvm::ArrayRef<int64_t> permutation = transpose.getPermutation();
  llvm::SmallVector<int64_t> major_to_minor(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation)) {
    major_to_minor[dim] = static_cast<int64_t>(i);
  }
  std::string mode;
  for (int64_t dim : llvm::reverse(major_to_minor)) {
    mode += (mode.empty() ? "{" : ",") + std::to_string(dim);
  }
  return mode + "}";
}

void ApplyBoundaryLayouts(mlir::func::FuncOp entry, const ExecutableInfo& info) {
  mlir::Block& body = entry.getBody().front();
  mlir::OpBuilder b = mlir::OpBuilder::atBlockBegin(&body);
  bool changed = false;
  for (auto [argument, tensor] : llvm::zip_equal(body.getArguments(), info.parameters)) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(argument.getType());
    if (!type || IsRowMajor(tensor)) continue;
    llvm::SmallVector<int64_t> order = MajorToMinor(tensor), position(order.size());
    for (auto [i, dim] : llvm::enumerate(order)) position[dim] = i;
    argument.setType(MemoryType(type, order));
    auto row_major = stablehlo::TransposeOp::create(b, argument.getLoc(), type, argument,
                                                    b.getDenseI64ArrayAttr(position));
    argument.replaceAllUsesExcept(row_major, row_major);
    changed = true;
  }
  mlir::Operation* terminator = body.getTerminator();
  b.setInsertionPoint(terminator);
  for (auto [operand, tensor] :
       llvm::zip_equal(terminator->getOpOperands(), info.results)) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(operand.get().getType());
    if (!type || IsRowMajor(tensor)) continue;
    llvm::SmallVector<int64_t> order = MajorToMinor(tensor);
    changed = true;
    if (mlir::Value source = UntransposedSource(operand.get(), order)) {
      operand.set(source);
      continue;
    }
    operand.set(stablehlo::TransposeOp::create(b, operand.get().getLoc(),
                                               MemoryType(type, order), operand.get(),
                                               b.getDenseI64ArrayAttr(order)));
  }
  if (changed) {
    entry.setFunctionType(
        b.getFunctionType(body.getArgumentTypes(), terminator->getOperandTypes()));
  }
}

}  // namespace tenon::compiler
