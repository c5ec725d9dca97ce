#include "tenon/dialects/stablehlo/attributes.h"

#include <array>
#include <map>

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::failure;
using mlir::FailureOr;
using mlir::ParseResult;
using mlir::ShapedType;
using mlir::success;

namespace tenon::stablehlo {
namespace {

ParseResult ParseDim(AsmParser& parser, int64_t& dim) {
  if (mlir::succeeded(parser.parseOptionalQuestion())) {
    dim = ShapedType::kDynamic;
    return success();
  }
  return parser.parseInteger(dim);
}

void PrintDimList(AsmPrinter& printer, ArrayRef<int64_t> dims) {
  llvm::interleaveComma(dims, printer, [&](int64_t dim) {
    if (ShapedType::isDynamic(dim)) {
      printer << '?';
    } else {
      printer << dim;
    }
  });
}

}  // namespace

FailureOr<SmallVector<int64_t>> parseDims(AsmParser& parser) {
  SmallVector<int64_t> dims;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return ParseDim(parser, dims.emplace_back());
      })) {
    return failure();
  }
  return dims;
}

void printDims(AsmPrinter& printer, ArrayRef<int64_t> dims) {
  printer << '[';
  PrintDimList(printer, dims);
  printer << ']';
}

}  // namespace tenon::stablehlo

#include "tenon/dialects/stablehlo/enums.cc.inc"
#define GET_TYPEDEF_CLASSES
#include "tenon/dialects/stablehlo/types.cc.inc"
#define GET_ATTRDEF_CLASSES
#include "tenon/dialects/stablehlo/attrs.cc.inc"

namespace tenon::stablehlo {

void StableHLODialect::addTypesOfDialect() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tenon/dialects/stablehlo/types.cc.inc"
      >();
}

void StableHLODialect::addAttributesOfDialect() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tenon/dialects/stablehlo/attrs.cc.inc"
      >();
}

Attribute StableHLODialect::parseAttribute(mlir::DialectAsmParser& parser,
                                           mlir::Type type) const {
  llvm::StringRef mnemonic;
  Attribute attribute;
  if (generatedAttributeParser(parser, &mnemonic, type, attribute).has_value()) {
    return attribute;
  }
  if (mnemonic == "bounds") {
    SmallVector<int64_t> bounds;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
          return ParseDim(parser, bounds.emplace_back());
        })) {
      return {};
    }
    return TypeExtensionsAttr::get(getContext(), bounds);
  }
  parser.emitError(parser.getNameLoc())
      << "unknown stablehlo attribute `" << mnemonic << "`";
  return {};
}

void StableHLODialect::printAttribute(Attribute attribute,
                                      mlir::DialectAsmPrinter& printer) const {
  if (auto extensions = mlir::dyn_cast<TypeExtensionsAttr>(attribute)) {
    printer << "bounds<";
    PrintDimList(printer, extensions.getBounds());
    printer << '>';
    return;
  }
  (void)generatedAttributePrinter(attribute, printer);
}

//===------------------------------------------------------------------------------------===//
// `<key = value, ...>` with keys in any order, absent keys empty
//===------------------------------------------------------------------------------------===//

namespace {

struct Field {
  llvm::StringRef name;
  SmallVector<int64_t>* dims;  // either a list
  int64_t* number;             // or a number
};

// Parses after the opening `<`, through the closing `>`. A trailing comma is allowed.
ParseResult ParseFields(AsmParser& parser, ArrayRef<Field> fields) {
  SmallVector<bool> seen(fields.size(), false);
  while (mlir::failed(parser.parseOptionalGreater())) {
    llvm::SMLoc loc = parser.getCurrentLocation();
    llvm::StringRef keyword;
    if (parser.parseKeyword(&keyword)) return failure();
    const Field* field =
        llvm::find_if(fields, [&](const Field& f) { return f.name == keyword; });
    if (field == fields.end()) {
      return parser.emitError(loc) << "unknown key `" << keyword << "`";
    }
    if (std::exchange(seen[field - fields.begin()], true)) {
      return parser.emitError(loc) << "key `" << keyword << "` given twice";
    }
    if (parser.parseEqual()) return failure();
    if (field->dims) {
      auto dims = parseDims(parser);
      if (mlir::failed(dims)) return failure();
      *field->dims = std::move(*dims);
    } else if (parser.parseInteger(*field->number)) {
      return failure();
    }
    if (mlir::failed(parser.parseOptionalComma())) return parser.parseGreater();
  }
  return success();
}

// Prints fields. Omits empty lists, but always prints numbers.
struct FieldPrinter {
  AsmPrinter& printer;
  bool first = true;

  void operator()(llvm::StringRef name, ArrayRef<int64_t> dims) {
    if (dims.empty()) return;
    Key(name);
    printDims(printer, dims);
  }
  void operator()(llvm::StringRef name, int64_t number) {
    Key(name);
    printer << number;
  }
  void Key(llvm::StringRef name) {
    if (!std::exchange(first, false)) printer << ", ";
    printer << name << " = ";
  }
};

}  // namespace

void ScatterDimensionNumbersAttr::print(AsmPrinter& printer) const {
  printer << '<';
  FieldPrinter print{printer};
  print("update_window_dims", getUpdateWindowDims());
  print("inserted_window_dims", getInsertedWindowDims());
  print("input_batching_dims", getInputBatchingDims());
  print("scatter_indices_batching_dims", getScatterIndicesBatchingDims());
  print("scatter_dims_to_operand_dims", getScatterDimsToOperandDims());
  // Zero is the default, as in gather.
  if (getIndexVectorDim() != 0) print("index_vector_dim", getIndexVectorDim());
  printer << '>';
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<int64_t> window, inserted, batching, indicesBatching, toOperand;
  int64_t vectorDim = 0;
  if (parser.parseLess() ||
      ParseFields(parser, {{"update_window_dims", &window, nullptr},
                           {"inserted_window_dims", &inserted, nullptr},
                           {"input_batching_dims", &batching, nullptr},
                           {"scatter_indices_batching_dims", &indicesBatching, nullptr},
                           {"scatter_dims_to_operand_dims", &toOperand, nullptr},
                           {"index_vector_dim", nullptr, &vectorDim}})) {
    return {};
  }
  return get(parser.getContext(), window, inserted, batching, indicesBatching, toOperand,
             vectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter& printer) const {
  printer << '<';
  FieldPrinter print{printer};
  print("offset_dims", getOffsetDims());
  print("collapsed_slice_dims", getCollapsedSliceDims());
  print("operand_batching_dims", getOperandBatchingDims());
  print("start_indices_batching_dims", getStartIndicesBatchingDims());
  print("start_index_map", getStartIndexMap());
  if (getIndexVectorDim() != 0) print("index_vector_dim", getIndexVectorDim());
  printer << '>';
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<int64_t> offset, collapsed, batching, indicesBatching, indexMap;
  int64_t vectorDim = 0;
  if (parser.parseLess() ||
      ParseFields(parser, {{"offset_dims", &offset, nullptr},
                           {"collapsed_slice_dims", &collapsed, nullptr},
                           {"operand_batching_dims", &batching, nullptr},
                           {"start_indices_batching_dims", &indicesBatching, nullptr},
                           {"start_index_map", &indexMap, nullptr},
                           {"index_vector_dim", nullptr, &vectorDim}})) {
    return {};
  }
  return get(parser.getContext(), offset, collapsed, batching, indicesBatching, indexMap,
             vectorDim);
}

void DotDimensionNumbersAttr::print(AsmPrinter& printer) const {
  printer << '<';
  FieldPrinter print{printer};
  print("lhs_batching_dimensions", getLhsBatchingDimensions());
  print("rhs_batching_dimensions", getRhsBatchingDimensions());
  print("lhs_contracting_dimensions", getLhsContractingDimensions());
  print("rhs_contracting_dimensions", getRhsContractingDimensions());
  printer << '>';
}

Attribute DotDimensionNumbersAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContracting, rhsContracting;
  if (parser.parseLess() ||
      ParseFields(parser, {{"lhs_batching_dimensions", &lhsBatch, nullptr},
                           {"rhs_batching_dimensions", &rhsBatch, nullptr},
                           {"lhs_contracting_dimensions", &lhsContracting, nullptr},
                           {"rhs_contracting_dimensions", &rhsContracting, nullptr}})) {
    return {};
  }
  return get(parser.getContext(), lhsBatch, rhsBatch, lhsContracting, rhsContracting);
}

//===------------------------------------------------------------------------------------===//
// Convolution dimensions
//===------------------------------------------------------------------------------------===//

namespace {

// The contents of one bracket: positions in the tensor of the two named dimensions (in
// the order of `letters`) and of the spatial dimensions.
struct ConvTensorDims {
  int64_t named[2] = {-1, -1};
  SmallVector<int64_t> spatial;
};

ParseResult ParseConvTensor(AsmParser& parser, llvm::StringRef letters,
                            ConvTensorDims& dims) {
  std::map<int64_t, int64_t> positions;  // spatial number -> position in the tensor
  int64_t position = 0;
  auto parseOne = [&]() -> ParseResult {
    llvm::SMLoc loc = parser.getCurrentLocation();
    int64_t number;
    if (mlir::OptionalParseResult parsed = parser.parseOptionalInteger(number);
        parsed.has_value()) {
      if (mlir::failed(*parsed)) return failure();
      if (number < 0) return parser.emitError(loc) << "unexpected dimension " << number;
      if (!positions.emplace(number, position++).second) {
        return parser.emitError(loc) << "spatial dimension " << number << " given twice";
      }
      return success();
    }
    llvm::StringRef keyword;
    if (parser.parseKeyword(&keyword)) return failure();
    size_t which = keyword.size() == 1 ? letters.find(keyword[0]) : letters.npos;
    if (which == letters.npos || dims.named[which] != -1) {
      return parser.emitError(loc)
             << "unexpected dimension `" << keyword << "`, expected `" << letters[0]
             << "` and `" << letters[1] << "` once";
    }
    dims.named[which] = position++;
    return success();
  };
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne)) {
    return failure();
  }
  for (int which : {0, 1}) {
    if (dims.named[which] == -1) {
      return parser.emitError(loc) << "dimension `" << letters[which] << "` is missing";
    }
  }
  for (auto [number, at] : positions) {
    if (number != static_cast<int64_t>(dims.spatial.size())) {
      return parser.emitError(loc)
             << "spatial dimension " << dims.spatial.size() << " is missing";
    }
    dims.spatial.push_back(at);
  }
  return success();
}

constexpr llvm::StringLiteral kIoLetters = "bf";
constexpr llvm::StringLiteral kKernelLetters = "io";

// False if the numbers are not a permutation, which is possible only before verification.
bool PrintableConvTensor(int64_t first, int64_t second, ArrayRef<int64_t> spatial) {
  SmallVector<bool> used(spatial.size() + 2, false);
  auto use = [&](int64_t dim) {
    return dim >= 0 && dim < static_cast<int64_t>(used.size()) &&
           !std::exchange(used[dim], true);
  };
  return use(first) && use(second) && llvm::all_of(spatial, use);
}

void PrintConvTensor(AsmPrinter& printer, llvm::StringRef letters, int64_t first,
                     int64_t second, ArrayRef<int64_t> spatial) {
  printer << '[';
  llvm::interleaveComma(llvm::seq<int64_t>(0, spatial.size() + 2), printer,
                        [&](int64_t position) {
                          if (position == first) {
                            printer << letters[0];
                          } else if (position == second) {
                            printer << letters[1];
                          } else {
                            printer << (llvm::find(spatial, position) - spatial.begin());
                          }
                        });
  printer << ']';
}

ParseResult ParseRawConvDims(AsmParser& parser, ConvDimensionNumbersAttr& dims) {
  int64_t ib = 0, inf = 0, ki = 0, ko = 0, ob = 0, of = 0;
  SmallVector<int64_t> is, ks, os;
  if (ParseFields(parser, {{"input_batch_dimension", nullptr, &ib},
                           {"input_feature_dimension", nullptr, &inf},
                           {"input_spatial_dimensions", &is, nullptr},
                           {"kernel_input_feature_dimension", nullptr, &ki},
                           {"kernel_output_feature_dimension", nullptr, &ko},
                           {"kernel_spatial_dimensions", &ks, nullptr},
                           {"output_batch_dimension", nullptr, &ob},
                           {"output_feature_dimension", nullptr, &of},
                           {"output_spatial_dimensions", &os, nullptr}})) {
    return failure();
  }
  dims = ConvDimensionNumbersAttr::get(parser.getContext(), ib, inf, is, ki, ko, ks, ob,
                                       of, os);
  return success();
}

}  // namespace

ParseResult ParseConvDims(AsmParser& parser, ConvDimensionNumbersAttr& dims) {
  ConvTensorDims input, kernel, output;
  if (ParseConvTensor(parser, kIoLetters, input) || parser.parseKeyword("x") ||
      ParseConvTensor(parser, kKernelLetters, kernel) || parser.parseArrow() ||
      ParseConvTensor(parser, kIoLetters, output)) {
    return failure();
  }
  dims = ConvDimensionNumbersAttr::get(
      parser.getContext(), input.named[0], input.named[1], input.spatial, kernel.named[0],
      kernel.named[1], kernel.spatial, output.named[0], output.named[1], output.spatial);
  return success();
}

void PrintConvDims(AsmPrinter& printer, ConvDimensionNumbersAttr dims) {
  PrintConvTensor(printer, kIoLetters, dims.getInputBatchDimension(),
                  dims.getInputFeatureDimension(), dims.getInputSpatialDimensions());
  printer << 'x';
  PrintConvTensor(printer, kKernelLetters, dims.getKernelInputFeatureDimension(),
                  dims.getKernelOutputFeatureDimension(),
                  dims.getKernelSpatialDimensions());
  printer << "->";
  PrintConvTensor(printer, kIoLetters, dims.getOutputBatchDimension(),
                  dims.getOutputFeatureDimension(), dims.getOutputSpatialDimensions());
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser& parser, mlir::Type) {
  ConvDimensionNumbersAttr dims;
  if (parser.parseLess()) return {};
  if (mlir::succeeded(parser.parseOptionalKeyword("raw"))) {
    return mlir::succeeded(ParseRawConvDims(parser, dims)) ? dims : Attribute();
  }
  if (ParseConvDims(parser, dims) || parser.parseGreater()) return {};
  return dims;
}

void ConvDimensionNumbersAttr::print(AsmPrinter& printer) const {
  printer << '<';
  if (PrintableConvTensor(getInputBatchDimension(), getInputFeatureDimension(),
                          getInputSpatialDimensions()) &&
      PrintableConvTensor(getKernelInputFeatureDimension(),
                          getKernelOutputFeatureDimension(),
                          getKernelSpatialDimensions()) &&
      PrintableConvTensor(getOutputBatchDimension(), getOutputFeatureDimension(),
                          getOutputSpatialDimensions())) {
    PrintConvDims(printer, *this);
  } else {
    printer << "raw ";
    FieldPrinter print{printer};
    print("input_batch_dimension", getInputBatchDimension());
    print("input_feature_dimension", getInputFeatureDimension());
    print("input_spatial_dimensions", getInputSpatialDimensions());
    print("kernel_input_feature_dimension", getKernelInputFeatureDimension());
    print("kernel_output_feature_dimension", getKernelOutputFeatureDimension());
    print("kernel_spatial_dimensions", getKernelSpatialDimensions());
    print("output_batch_dimension", getOutputBatchDimension());
    print("output_feature_dimension", getOutputFeatureDimension());
    print("output_spatial_dimensions", getOutputSpatialDimensions());
  }
  printer << '>';
}

//===------------------------------------------------------------------------------------===//
// Result accuracy
//===------------------------------------------------------------------------------------===//

void ResultAccuracyAttr::print(AsmPrinter& printer) const {
  printer << '<';
  auto printFloat = [&](llvm::StringRef name, const llvm::APFloat& value) {
    if (value.isZero()) return;
    printer << name << " = ";
    printer.printFloat(value);
    printer << ", ";
  };
  printFloat("atol", getAtol());
  printFloat("rtol", getRtol());
  if (getUlps() != 0) printer << "ulps = " << getUlps() << ", ";
  printer << "mode = ";
  printer.printAttribute(getMode());
  printer << '>';
}

Attribute ResultAccuracyAttr::parse(AsmParser& parser, mlir::Type) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  double atol = 0.0, rtol = 0.0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  auto parseFloat = [&](llvm::StringRef name, double& value) -> ParseResult {
    if (mlir::failed(parser.parseOptionalKeyword(name))) return success();
    return ParseResult(
        failure(parser.parseEqual() || parser.parseFloat(value) || parser.parseComma()));
  };
  if (parser.parseLess() || parseFloat("atol", atol) || parseFloat("rtol", rtol))
    return {};
  if (mlir::succeeded(parser.parseOptionalKeyword("ulps")) &&
      (parser.parseEqual() || parser.parseInteger(ulps) || parser.parseComma())) {
    return {};
  }
  if (parser.parseKeyword("mode") || parser.parseEqual() || parser.parseAttribute(mode) ||
      parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<ResultAccuracyAttr>(
      loc, parser.getContext(), llvm::APFloat(atol), llvm::APFloat(rtol), ulps, mode);
}

}  // namespace tenon::stablehlo
