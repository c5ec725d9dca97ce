#include "tenon/compiler/import/vhlo_to_stablehlo_attributes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/IR/Diagnostics.h"
#include "tenon/dialects/stablehlo/dialect.h"

namespace tenon::compiler {
namespace {

using llvm::SmallVector;
using llvm::StringRef;
using mlir::ArrayAttr;
using mlir::Attribute;
using mlir::BoolAttr;
using mlir::DenseI64ArrayAttr;
using mlir::DenseIntElementsAttr;
using mlir::IntegerAttr;
using mlir::NamedAttrList;
using mlir::StringAttr;

// Limit of a list of dimensions, sizes or strides. A splat could claim any length.
constexpr int64_t kMaxListSize = 1 << 16;

// How an attribute is converted, by its name; names mean the same in every operation.
enum class Form { kAsIs, kIntegers, kBooleans, kUnit, kSymbol, kSymbols };

Form FormOf(StringRef name) {
  return llvm::StringSwitch<Form>(name)
      .Cases({"base_dilations", "broadcast_dimensions", "broadcast_sizes", "dimensions"},
             Form::kIntegers)
      .Cases({"edge_padding_high", "edge_padding_low", "fft_length", "interior_padding"},
             Form::kIntegers)
      .Cases({"known_expanding_dimensions", "known_nonexpanding_dimensions"},
             Form::kIntegers)
      .Cases(
          {"lhs_dilation", "limit_indices", "permutation", "rhs_dilation", "slice_sizes"},
          Form::kIntegers)
      .Cases({"start_indices", "strides", "window_dilations", "window_dimensions",
              "window_strides"},
             Form::kIntegers)
      .Case("window_reversal", Form::kBooleans)
      .Cases({"use_global_device_ids", "has_dynamic_root"}, Form::kUnit)
      .Cases({"callee", "decomposition"}, Form::kSymbol)
      .Case("called_computations", Form::kSymbols)
      .Default(Form::kAsIs);
}

bool AllEqual(Attribute value, int64_t expected) {
  auto elements = llvm::dyn_cast<DenseIntElementsAttr>(value);
  if (!elements) return false;
  if (elements.getType().getNumElements() == 0) return true;
  return elements.isSplat() && elements.getSplatValue<llvm::APInt>() == expected;
}

bool IsEmptyText(Attribute value) {
  auto text = llvm::dyn_cast<StringAttr>(value);
  return text && text.empty();
}

bool IsEmptyList(Attribute value) {
  if (auto dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(value))
    return dictionary.empty();
  if (auto elements = llvm::dyn_cast<mlir::DenseElementsAttr>(value))
    return elements.empty();
  auto list = llvm::dyn_cast<ArrayAttr>(value);
  return list && list.empty();
}

bool IsFalse(Attribute value) {
  auto flag = llvm::dyn_cast<BoolAttr>(value);
  return flag && !flag.getValue();
}

bool IsInteger(Attribute value, int64_t expected) {
  auto integer = llvm::dyn_cast<IntegerAttr>(value);
  return integer && integer.getValue() == expected;
}

}  // namespace

void VhloAttributes::Fail(StringRef name, Attribute value) {
  if (!failed_)
    op_->emitOpError("attribute '") << name << "' has an unexpected value " << value;
  failed_ = true;
}

Attribute VhloAttributes::TakeAny(StringRef name) {
  auto it = values_.find(name);
  if (it == values_.end()) return {};
  Attribute value = it->second;
  values_.erase(it);
  return value;
}

int64_t VhloAttributes::TakeInteger(StringRef name) {
  auto value = Take<IntegerAttr>(name);
  if (!value) return 0;
  if (value.getValue().getSignificantBits() > 64) {
    Fail(name, value);
    return 0;
  }
  return value.getValue().getSExtValue();
}

template <typename T>
SmallVector<T> VhloAttributes::ElementsOf(StringRef name, Attribute value) {
  auto elements = llvm::dyn_cast<DenseIntElementsAttr>(value);
  unsigned width = std::is_same_v<T, bool> ? 1 : 64;
  if (!elements || !elements.getElementType().isSignlessInteger(width) ||
      elements.getType().getRank() != 1 || elements.getNumElements() > kMaxListSize) {
    Fail(name, value);
    return {};
  }
  return llvm::to_vector(elements.getValues<T>());
}

SmallVector<int64_t> VhloAttributes::TakeIntegers(StringRef name) {
  Attribute value = TakeAny(name);
  return value ? ElementsOf<int64_t>(name, value) : SmallVector<int64_t>();
}

Attribute VhloAttributes::Symbol(StringRef name, Attribute value) {
  if (auto text = llvm::dyn_cast<StringAttr>(value); text && !text.empty()) {
    return mlir::FlatSymbolRefAttr::get(text);
  }
  if (llvm::isa<mlir::FlatSymbolRefAttr>(value)) return value;
  Fail(name, value);
  return {};
}

// Returns whether `value` is StableHLO's default, which absence also means.
bool VhloAttributes::IsDefault(StringRef op_name, StringRef name, Attribute value) {
  if (name == "window_strides" || name.ends_with("_dilation") ||
      name.ends_with("_dilations")) {
    return AllEqual(value, 1);
  }
  if (name == "padding" || name == "window_reversal") return AllEqual(value, 0);
  if (name == "precision_config") {
    auto list = llvm::dyn_cast<ArrayAttr>(value);
    return list && llvm::all_of(list, [](Attribute entry) {
             auto precision = llvm::dyn_cast<stablehlo::PrecisionAttr>(entry);
             return precision && precision.getValue() == stablehlo::Precision::DEFAULT;
           });
  }
  if (name == "result_accuracy") {
    auto accuracy = llvm::dyn_cast<stablehlo::ResultAccuracyAttr>(value);
    return accuracy &&
           accuracy.getMode().getValue() == stablehlo::ResultAccuracyMode::DEFAULT;
  }
  if (name == "compare_type") {
    auto type = llvm::dyn_cast<stablehlo::ComparisonTypeAttr>(value);
    return type && type.getValue() == stablehlo::ComparisonType::NOTYPE;
  }
  if (name == "api_version") return IsInteger(value, 1);
  if (name == "version") return IsInteger(value, 0);
  if (op_name == "sort" && name == "dimension") return IsInteger(value, -1);
  if (name == "backend_config" || name == "infeed_config" || name == "outfeed_config") {
    return IsEmptyText(value) || IsEmptyList(value);
  }
  return llvm::StringSwitch<bool>(name)
      .Cases({"has_side_effect", "indices_are_sorted", "unique_indices", "is_stable"},
             IsFalse(value))
      .Cases({"is_host_transfer", "use_global_device_ids", "has_dynamic_root"},
             IsFalse(value))
      .Cases({"called_computations", "composite_attributes", "layout", "result_tilings"},
             IsEmptyList(value))
      .Cases({"output_operand_aliases", "known_expanding_dimensions",
              "known_nonexpanding_dimensions"},
             IsEmptyList(value))
      .Case("source_target_pairs", op_name != "collective_permute" && IsEmptyList(value))
      .Default(false);
}

Attribute VhloAttributes::ConvertOne(StringRef op_name, StringRef name, Attribute value) {
  mlir::MLIRContext* context = op_->getContext();
  switch (FormOf(name)) {
    case Form::kAsIs:
      return value;
    case Form::kIntegers:
      return DenseI64ArrayAttr::get(context, ElementsOf<int64_t>(name, value));
    case Form::kBooleans:
      return mlir::DenseBoolArrayAttr::get(context, ElementsOf<bool>(name, value));
    case Form::kUnit:
      if (!llvm::isa<BoolAttr>(value)) Fail(name, value);
      return mlir::UnitAttr::get(context);
    case Form::kSymbol:
      return Symbol(name, value);
    case Form::kSymbols: {
      auto list = llvm::dyn_cast<ArrayAttr>(value);
      if (!list) {
        Fail(name, value);
        return {};
      }
      SmallVector<Attribute> symbols;
      for (Attribute entry : list) symbols.push_back(Symbol(name, entry));
      return failed_ ? Attribute() : ArrayAttr::get(context, symbols);
    }
  }
  llvm_unreachable("all forms are handled");
}

void VhloAttributes::RegroupConvolution(NamedAttrList& out) {
  int64_t input_batch = TakeInteger("input_batch_dimension");
  int64_t input_feature = TakeInteger("input_feature_dimension");
  auto input_spatial = TakeIntegers("input_spatial_dimensions");
  int64_t kernel_input = TakeInteger("kernel_input_feature_dimension");
  int64_t kernel_output = TakeInteger("kernel_output_feature_dimension");
  auto kernel_spatial = TakeIntegers("kernel_spatial_dimensions");
  int64_t output_batch = TakeInteger("output_batch_dimension");
  int64_t output_feature = TakeInteger("output_feature_dimension");
  auto output_spatial = TakeIntegers("output_spatial_dimensions");
  out.append(
      "dimension_numbers",
      stablehlo::ConvDimensionNumbersAttr::get(
          op_->getContext(), input_batch, input_feature, input_spatial, kernel_input,
          kernel_output, kernel_spatial, output_batch, output_feature, output_spatial));
}

void VhloAttributes::RegroupDotGeneral(NamedAttrList& out) {
  mlir::MLIRContext* context = op_->getContext();
  auto lhs_batching = TakeIntegers("lhs_batching_dimensions");
  auto rhs_batching = TakeIntegers("rhs_batching_dimensions");
  auto lhs_contracting = TakeIntegers("lhs_contracting_dimensions");
  auto rhs_contracting = TakeIntegers("rhs_contracting_dimensions");
  out.append("dot_dimension_numbers",
             stablehlo::DotDimensionNumbersAttr::get(context, lhs_batching, rhs_batching,
                                                     lhs_contracting, rhs_contracting));
  // An unset algorithm is encoded as seven types `none`.
  Attribute count = values_.lookup("lhs_component_count");
  if (!count || llvm::isa<mlir::TypeAttr>(count)) {
    for (const char* name :
         {"lhs_precision_type", "rhs_precision_type", "accumulation_type",
          "lhs_component_count", "rhs_component_count", "num_primitive_operations",
          "allow_imprecise_accumulation"}) {
      Take<mlir::TypeAttr>(name);
    }
    return;
  }
  auto lhs_type = Take<mlir::TypeAttr>("lhs_precision_type");
  auto rhs_type = Take<mlir::TypeAttr>("rhs_precision_type");
  auto accumulation_type = Take<mlir::TypeAttr>("accumulation_type");
  int64_t lhs_count = TakeInteger("lhs_component_count");
  int64_t rhs_count = TakeInteger("rhs_component_count");
  int64_t num_operations = TakeInteger("num_primitive_operations");
  auto imprecise = Take<BoolAttr>("allow_imprecise_accumulation");
  if (failed_ || !lhs_type || !rhs_type || !accumulation_type || !imprecise) {
    Fail("algorithm", count);
    return;
  }
  auto algorithm = stablehlo::DotAlgorithmAttr::getChecked(
      [&] { return op_->emitOpError(); }, context, lhs_type.getValue(),
      rhs_type.getValue(), accumulation_type.getValue(), lhs_count, rhs_count,
      num_operations, imprecise.getValue());
  failed_ |= !algorithm;
  if (algorithm) out.append("algorithm", algorithm);
}

void VhloAttributes::RegroupGather(NamedAttrList& out) {
  auto offset_dims = TakeIntegers("offset_dims");
  auto collapsed_slice_dims = TakeIntegers("collapsed_slice_dims");
  auto operand_batching_dims = TakeIntegers("operand_batching_dims");
  auto start_indices_batching_dims = TakeIntegers("start_indices_batching_dims");
  auto start_index_map = TakeIntegers("start_index_map");
  int64_t index_vector_dim = TakeInteger("index_vector_dim");
  out.append(
      "dimension_numbers",
      stablehlo::GatherDimensionNumbersAttr::get(
          op_->getContext(), offset_dims, collapsed_slice_dims, operand_batching_dims,
          start_indices_batching_dims, start_index_map, index_vector_dim));
}

void VhloAttributes::RegroupScatter(NamedAttrList& out) {
  auto update_window_dims = TakeIntegers("update_window_dims");
  auto inserted_window_dims = TakeIntegers("inserted_window_dims");
  auto input_batching_dims = TakeIntegers("input_batching_dims");
  auto scatter_indices_batching_dims = TakeIntegers("scatter_indices_batching_dims");
  auto scatter_dims_to_operand_dims = TakeIntegers("scatter_dims_to_operand_dims");
  int64_t index_vector_dim = TakeInteger("index_vector_dim");
  out.append("scatter_dimension_numbers",
             stablehlo::ScatterDimensionNumbersAttr::get(
                 op_->getContext(), update_window_dims, inserted_window_dims,
                 input_batching_dims, scatter_indices_batching_dims,
                 scatter_dims_to_operand_dims, index_vector_dim));
}

// VHLO does not store the type of a collective's channel; it is 0.
void VhloAttributes::RegroupChannel(StringRef op_name, NamedAttrList& out) {
  bool transfer = op_name == "send" || op_name == "recv";
  int64_t id = TakeInteger("channel_id");
  int64_t type = TakeInteger("channel_type");
  if (id == 0 && !transfer) return;
  out.append("channel_handle",
             stablehlo::ChannelHandleAttr::get(op_->getContext(), id, type));
}

mlir::FailureOr<NamedAttrList> VhloAttributes::Convert(StringRef name) {
  NamedAttrList out;
  if (name == "convolution" || name == "dynamic_conv") {
    RegroupConvolution(out);
    if (name == "dynamic_conv") TakeAny("padding");  // an operand holds it
  } else if (name == "dot_general") {
    RegroupDotGeneral(out);
  } else if (name == "gather" || name == "dynamic_gather") {
    RegroupGather(out);
  } else if (name == "scatter") {
    RegroupScatter(out);
  } else if (name == "custom_call") {
    // Layouts come in pairs: two empty lists mean no layouts.
    if (IsEmptyList(values_.lookup("operand_layouts")) &&
        IsEmptyList(values_.lookup("result_layouts"))) {
      TakeAny("operand_layouts");
      TakeAny("result_layouts");
    }
  }
  if (values_.contains("channel_id")) RegroupChannel(name, out);
  for (auto [attribute, value] : values_) {
    if (failed_) break;
    if (IsDefault(name, attribute, value)) continue;
    if (Attribute converted = ConvertOne(name, attribute, value)) {
      out.append(attribute, converted);
    }
  }
  if (failed_) return mlir::failure();
  return out;
}

}  // namespace tenon::compiler
