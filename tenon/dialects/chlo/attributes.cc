// The chlo attributes: registration and assembly format.
#include "tenon/dialects/stablehlo/attributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tenon/dialects/chlo/chlo.h"

#include "tenon/dialects/chlo/enums.cc.inc"
#define GET_ATTRDEF_CLASSES
#include "tenon/dialects/chlo/attrs.cc.inc"

namespace tenon::chlo {
namespace {

constexpr llvm::StringLiteral kRaggedDotFields[] = {
    "lhs_batching_dimensions",    "rhs_batching_dimensions", "lhs_contracting_dimensions",
    "rhs_contracting_dimensions", "lhs_ragged_dimensions",   "rhs_group_dimensions"};

}  // namespace

// `<lhs_batching_dimensions = [0], ...>`: fields in any order. An absent field is empty.
mlir::Attribute RaggedDotDimensionNumbersAttr::parse(mlir::AsmParser& parser,
                                                     mlir::Type) {
  llvm::SmallVector<int64_t> fields[std::size(kRaggedDotFields)];
  bool given[std::size(kRaggedDotFields)] = {};
  auto parse_field = [&]() -> mlir::ParseResult {
    llvm::StringRef name;
    llvm::SMLoc where = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual()) return mlir::failure();
    const auto* field = llvm::find(kRaggedDotFields, name);
    if (field == std::end(kRaggedDotFields))
      return parser.emitError(where) << "ragged_dot has no dimensions '" << name << "'";
    const size_t number = field - std::begin(kRaggedDotFields);
    if (given[number])
      return parser.emitError(where) << "ragged_dot has '" << name << "' twice";
    given[number] = true;
    auto dims = stablehlo::parseDims(parser);
    if (mlir::failed(dims)) return mlir::failure();
    fields[number] = *dims;
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::LessGreater,
                                     parse_field))
    return {};
  return get(parser.getContext(), fields[0], fields[1], fields[2], fields[3], fields[4],
             fields[5]);
}

void RaggedDotDimensionNumbersAttr::print(mlir::AsmPrinter& printer) const {
  const llvm::ArrayRef<int64_t> fields[] = {
      getLhsBatchingDimensions(),    getRhsBatchingDimensions(),
      getLhsContractingDimensions(), getRhsContractingDimensions(),
      getLhsRaggedDimensions(),      getRhsGroupDimensions()};
  printer << "<";
  llvm::interleaveComma(llvm::zip(kRaggedDotFields, fields), printer, [&](auto field) {
    printer << std::get<0>(field) << " = ";
    stablehlo::printDims(printer, std::get<1>(field));
  });
  printer << ">";
}

void ChloDialect::addAttributesOfDialect() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tenon/dialects/chlo/attrs.cc.inc"
      >();
}

}  // namespace tenon::chlo
