#include "tenon/compiler/codegen/grid/product_program.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "tenon/compiler/analysis/roundable.h"
#include "tenon/compiler/plan/op_specs.h"

namespace tenon::codegen {
namespace {

using compiler::ContractSpec;
using compiler::ConvSpec;

// A dimension of an array, and what it is called.
struct Dim {
  std::string name;
  int64_t size = 1;
  int64_t stride = 1;
};

// Dimensions in the order that they have in memory, the outermost first.
class Array {
 public:
  Array(ElementType type, std::vector<Dim> dims) : type_(type), dims_(std::move(dims)) {
    // Dimensions along which elements repeat become the outermost.
    std::ranges::stable_sort(dims_, std::ranges::greater(), [](const Dim& dim) {
      return dim.stride == 0 ? INT64_MAX : std::abs(dim.stride);
    });
  }
  std::string type() const {
    std::string text = "tensor<";
    for (const Dim& dim : dims_) text += std::to_string(dim.size) + "x";
    return text + std::string(ElementTypeName(type_)) + ">";
  }
  // The position of a dimension.
  size_t Find(llvm::StringRef name) const {
    return static_cast<size_t>(std::ranges::find(dims_, name, &Dim::name) -
                               dims_.begin());
  }
  std::string Names() const {
    return llvm::join(llvm::map_range(dims_, [](const Dim& dim) { return dim.name; }),
                      ", ");
  }

 private:
  ElementType type_;
  std::vector<Dim> dims_;
};

// Sums of f32 that the device may not round are of precision HIGHEST.
llvm::StringRef Precision(mlir::Operation& op) {
  return op.hasAttr(compiler::kMayRound) ? "DEFAULT" : "HIGHEST";
}

std::string Program(const Array& lhs, const Array& rhs, const std::string& result,
                    const std::string& operation) {
  return "func.func @main(%lhs: " + lhs.type() + ", %rhs: " + rhs.type() + ") -> " +
         result + " {\n  %result = " + operation + " : (" + lhs.type() + ", " +
         rhs.type() + ") -> " + result + "\n  return %result : " + result + "\n}\n";
}

std::string ContractProgram(mlir::Operation& op, const ContractSpec& spec,
                            ElementType sum) {
  const Array lhs(spec.lhs_type, {{"batch", spec.batch, spec.lhs.batch},
                                  {"row", spec.m, spec.lhs.row},
                                  {"depth", spec.k, spec.lhs.col}});
  const Array rhs(spec.rhs_type, {{"batch", spec.batch, spec.rhs.batch},
                                  {"depth", spec.k, spec.rhs.row},
                                  {"column", spec.n, spec.rhs.col}});
  const Array result(
      sum, {{"batch", spec.batch, 3}, {"row", spec.m, 2}, {"column", spec.n, 1}});
  std::string operation;
  llvm::raw_string_ostream text(operation);
  text << "stablehlo.dot_general %lhs, %rhs, batching_dims = [" << lhs.Find("batch")
       << "] x [" << rhs.Find("batch") << "], contracting_dims = [" << lhs.Find("depth")
       << "] x [" << rhs.Find("depth") << "], precision = [" << Precision(op) << ", "
       << Precision(op) << "]";
  return Program(lhs, rhs, result.type(), operation);
}

std::string ConvolutionProgram(mlir::Operation& op, const ConvSpec& spec,
                               ElementType sum) {
  std::vector<Dim> inputs = {{"b", spec.batch, spec.lhs_batch_stride},
                             {"f", spec.input_features, spec.lhs_feature_stride}};
  std::vector<Dim> windows = {
      {"i", spec.input_features / spec.feature_groups, spec.rhs_input_stride},
      {"o", spec.output_features, spec.rhs_output_stride}};
  std::vector<Dim> outputs = {
      {"b", spec.batch / spec.batch_groups, spec.out_batch_stride},
      {"f", spec.output_features, spec.out_feature_stride}};
  llvm::SmallVector<std::string> strides, pads, lhs_dilations, rhs_dilations, reversals;
  for (auto [d, dim] : llvm::enumerate(spec.spatial)) {
    const std::string name = std::to_string(d);
    inputs.push_back({name, dim.input, dim.lhs_stride});
    windows.push_back({name, dim.window, dim.rhs_stride});
    outputs.push_back({name, dim.output, dim.out_stride});
    const int64_t input = dim.input > 0 ? (dim.input - 1) * dim.lhs_dilation + 1 : 0;
    const int64_t window = dim.window > 0 ? (dim.window - 1) * dim.rhs_dilation + 1 : 0;
    const int64_t high = (dim.output - 1) * dim.stride + window - input - dim.padding_low;
    strides.push_back(std::to_string(dim.stride));
    pads.push_back("[" + std::to_string(dim.padding_low) + ", " + std::to_string(high) +
                   "]");
    lhs_dilations.push_back(std::to_string(dim.lhs_dilation));
    rhs_dilations.push_back(std::to_string(dim.rhs_dilation));
    reversals.push_back(dim.reversal ? "true" : "false");
  }
  const Array lhs(spec.lhs_type, inputs), rhs(spec.rhs_type, windows),
      result(sum, outputs);
  std::string operation;
  llvm::raw_string_ostream text(operation);
  text << "stablehlo.convolution(%lhs, %rhs) dim_numbers = [" << lhs.Names() << "]x["
       << rhs.Names() << "]->[" << result.Names() << "], window = {stride = ["
       << llvm::join(strides, ", ") << "], pad = [" << llvm::join(pads, ", ")
       << "], lhs_dilate = [" << llvm::join(lhs_dilations, ", ") << "], rhs_dilate = ["
       << llvm::join(rhs_dilations, ", ") << "], reverse = ["
       << llvm::join(reversals, ", ") << "]} {batch_group_count = " << spec.batch_groups
       << " : i64, feature_group_count = " << spec.feature_groups
       << " : i64, precision_config = [#stablehlo<precision " << Precision(op)
       << ">, #stablehlo<precision " << Precision(op) << ">]}";
  return Program(lhs, rhs, result.type(), operation);
}

}  // namespace

std::string ProductProgram(mlir::Operation& op, const TiledProduct& product) {
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(op))
    return ContractProgram(op, compiler::SpecOf(contract).spec, product.type);
  return ConvolutionProgram(op, compiler::SpecOf(llvm::cast<ir::ConvolutionOp>(op)).spec,
                            product.type);
}

}  // namespace tenon::codegen
