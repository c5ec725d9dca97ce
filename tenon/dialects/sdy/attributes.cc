// Assembly format and verifiers of the sdy attributes.
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tenon/dialects/sdy/sdy.h"

using llvm::ArrayRef;
using llvm::function_ref;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::dyn_cast;
using mlir::failed;
using mlir::failure;
using mlir::FieldParser;
using mlir::InFlightDiagnostic;
using mlir::LogicalResult;
using mlir::ParseResult;
using mlir::succeeded;
using mlir::success;

namespace tenon::sdy {
namespace {

//===------------------------------------------------------------------------------------===//
// Custom directives
//===------------------------------------------------------------------------------------===//

// `@mesh` or `mesh<["x"=2]>`
ParseResult parseMeshOrRef(AsmParser& parser, Attribute& meshOrRef) {
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    mlir::FailureOr<MeshAttr> mesh = FieldParser<MeshAttr>::parse(parser);
    if (failed(mesh)) return failure();
    meshOrRef = *mesh;
    return success();
  }
  mlir::FlatSymbolRefAttr symbol;
  if (parser.parseAttribute(symbol)) return failure();
  meshOrRef = symbol;
  return success();
}

void printMeshOrRef(AsmPrinter& printer, Attribute meshOrRef) {
  if (auto mesh = dyn_cast<MeshAttr>(meshOrRef)) {
    printer << "mesh";
    printer.printStrippedAttrOrType(mesh);
  } else {
    printer << meshOrRef;
  }
}

ParseResult ParseAxes(AsmParser& parser, SmallVector<AxisRefAttr>& axes) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        auto axis = FieldParser<AxisRefAttr>::parse(parser);
        if (failed(axis)) return failure();
        axes.push_back(*axis);
        return success();
      });
}

// `, replicated={"x"}, unreduced=max{"y"}`; an empty list is omitted.
ParseResult parseRemainingAxes(AsmParser& parser, SmallVector<AxisRefAttr>& replicated,
                               SmallVector<AxisRefAttr>& unreduced,
                               ReductionOp& reduction) {
  reduction = ReductionOp::SUM;
  while (succeeded(parser.parseOptionalComma())) {
    llvm::SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword) || parser.parseEqual()) return failure();
    if (keyword == "replicated" && replicated.empty()) {
      if (ParseAxes(parser, replicated)) return failure();
    } else if (keyword == "unreduced" && unreduced.empty()) {
      StringRef op;
      if (succeeded(parser.parseOptionalKeyword(&op, {"sum", "max", "min"}))) {
        reduction = *symbolizeReductionOp(op);
      }
      if (ParseAxes(parser, unreduced)) return failure();
    } else {
      return parser.emitError(loc) << "unexpected `" << keyword << "`";
    }
  }
  return success();
}

void printRemainingAxes(AsmPrinter& printer, ArrayRef<AxisRefAttr> replicated,
                        ArrayRef<AxisRefAttr> unreduced, ReductionOp reduction) {
  auto print = [&](StringRef name, StringRef op, ArrayRef<AxisRefAttr> axes) {
    if (axes.empty()) return;
    printer << ", " << name << '=' << op << '{';
    printer.printStrippedAttrOrType(axes);
    printer << '}';
  };
  print("replicated", "", replicated);
  print("unreduced", reduction == ReductionOp::SUM ? "" : stringifyReductionOp(reduction),
        unreduced);
}

// Factors print as the letters i to z, then as z_1, z_2, ...
constexpr int64_t kLastLetter = 'z' - 'i';

void PrintFactor(AsmPrinter& printer, int64_t factor) {
  if (factor <= kLastLetter) {
    printer << static_cast<char>('i' + factor);
  } else {
    printer << "z_" << factor - kLastLetter;
  }
}

// Removes one factor from the front of `text`; returns false if there is none.
bool ConsumeFactor(StringRef& text, int64_t& factor) {
  if (text.consume_front("z_")) {
    int32_t number;
    if (text.consumeInteger(10, number) || number <= 0) return false;
    factor = kLastLetter + number;
    return true;
  }
  if (text.empty() || text.front() < 'i' || text.front() > 'z') return false;
  factor = text.front() - 'i';
  text = text.drop_front();
  return true;
}

ParseResult ParseFactor(AsmParser& parser, int64_t& factor) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text)) return failure();
  StringRef rest = text;
  if (!ConsumeFactor(rest, factor) || !rest.empty()) {
    return parser.emitError(loc) << "expected a factor, got `" << text << "`";
  }
  return success();
}

// ` {i=4, j=8}`
ParseResult parseFactorSizes(AsmParser& parser, SmallVector<int64_t>& sizes) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::OptionalBraces, [&]() -> ParseResult {
        llvm::SMLoc loc = parser.getCurrentLocation();
        int64_t factor;
        if (ParseFactor(parser, factor)) return failure();
        if (factor != static_cast<int64_t>(sizes.size())) {
          return parser.emitError(loc) << "factors must be in order";
        }
        return ParseResult(
            failure(parser.parseEqual() || parser.parseInteger(sizes.emplace_back())));
      });
}

void printFactorSizes(AsmPrinter& printer, ArrayRef<int64_t> sizes) {
  if (sizes.empty()) return;
  printer << " {";
  llvm::interleaveComma(llvm::enumerate(sizes), printer, [&](auto it) {
    PrintFactor(printer, it.index());
    printer << '=' << it.value();
  });
  printer << '}';
}

// ` reduction={k}`
ParseResult parseFactors(AsmParser& parser, SmallVector<int64_t>& factors,
                         StringRef name) {
  if (failed(parser.parseOptionalKeyword(name))) return success();
  if (parser.parseEqual()) return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
    return ParseFactor(parser, factors.emplace_back());
  });
}

void printFactors(AsmPrinter& printer, ArrayRef<int64_t> factors, StringRef name) {
  if (factors.empty()) return;
  printer << ' ' << name << "={";
  llvm::interleaveComma(factors, printer,
                        [&](int64_t factor) { PrintFactor(printer, factor); });
  printer << '}';
}

ParseResult parseIsCustomRule(AsmParser& parser, bool& isCustom) {
  isCustom = succeeded(parser.parseOptionalComma());
  return isCustom ? parser.parseKeyword("custom") : ParseResult(success());
}

void printIsCustomRule(AsmPrinter& printer, bool isCustom) {
  if (isCustom) printer << ", custom";
}

}  // namespace
}  // namespace tenon::sdy

#include "tenon/dialects/sdy/enums.cc.inc"
#define GET_ATTRDEF_CLASSES
#include "tenon/dialects/sdy/attrs.cc.inc"

namespace tenon::sdy {

void SdyDialect::addAttributesOfDialect() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tenon/dialects/sdy/attrs.cc.inc"
      >();
}

// `{"x", "y", ?}p1` : open dimensions end in `?`
Attribute DimensionShardingAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<AxisRefAttr> axes;
  bool closed = true;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        if (!closed) {
          return parser.emitError(parser.getCurrentLocation())
                 << "expected `}` after `?`";
        }
        if (succeeded(parser.parseOptionalQuestion())) {
          closed = false;
          return success();
        }
        auto axis = FieldParser<AxisRefAttr>::parse(parser);
        if (failed(axis)) return failure();
        axes.push_back(*axis);
        return success();
      })) {
    return {};
  }
  std::optional<int64_t> priority;
  llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword))) {
    uint32_t number;
    if (!keyword.consume_front("p") || keyword.getAsInteger(10, number)) {
      parser.emitError(loc) << "expected a priority like p1";
      return {};
    }
    priority = number;
  }
  return get(parser.getContext(), axes, closed, priority);
}

void DimensionShardingAttr::print(AsmPrinter& printer) const {
  printer << '{';
  printer.printStrippedAttrOrType(getAxes());
  if (!getIsClosed()) printer << (getAxes().empty() ? "?" : ", ?");
  printer << '}';
  if (getPriority()) printer << 'p' << *getPriority();
}

Attribute DimMappingAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<int64_t> factors;
  llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef text;
  if (succeeded(parser.parseOptionalKeyword(&text))) {
    while (!text.empty()) {
      if (!ConsumeFactor(text, factors.emplace_back())) {
        parser.emitError(loc) << "expected factors, got `" << text << "`";
        return {};
      }
    }
  }
  return get(parser.getContext(), factors);
}

void DimMappingAttr::print(AsmPrinter& printer) const {
  for (int64_t factor : getFactorIndices()) PrintFactor(printer, factor);
}

//===------------------------------------------------------------------------------------===//
// Verifiers
//===------------------------------------------------------------------------------------===//

LogicalResult MeshAxisAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef name, int64_t size) {
  if (size <= 0) {
    return emitError() << "mesh axis \"" << name << "\" needs a positive size, got "
                       << size;
  }
  return success();
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes, ArrayRef<int64_t> deviceIds) {
  int64_t total = 1;
  for (auto [index, axis] : llvm::enumerate(axes)) {
    if (llvm::MulOverflow(total, axis.getSize(), total)) {
      return emitError() << "mesh is too large";
    }
    for (MeshAxisAttr other : axes.take_front(index)) {
      if (other.getName() == axis.getName()) {
        return emitError() << "mesh axis \"" << axis.getName() << "\" is given twice";
      }
    }
  }
  if (axes.empty()) {
    if (deviceIds.size() > 1 ||
        llvm::any_of(deviceIds, [](int64_t id) { return id < 0; })) {
      return emitError()
             << "a mesh without axes has at most one, non-negative, device id";
    }
    return success();
  }
  if (deviceIds.empty()) return success();
  SmallVector<int64_t> sorted(deviceIds);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, total))) {
    return emitError() << "device ids must be a permutation of 0 to " << total - 1;
  }
  return success();
}

int64_t MeshAttr::getTotalSize() const {
  int64_t total = 1;
  for (MeshAxisAttr axis : getAxes()) total *= axis.getSize();
  return total;
}

std::optional<int64_t> MeshAttr::getAxisSize(StringRef name) const {
  for (MeshAxisAttr axis : getAxes()) {
    if (axis.getName() == name) return axis.getSize();
  }
  return std::nullopt;
}

LogicalResult SubAxisInfoAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                      int64_t preSize, int64_t size) {
  if (preSize < 1 || size < 2) {
    return emitError()
           << "sub-axis needs a pre-size of at least 1 and a size of at least 2, "
           << "got (" << preSize << ')' << size;
  }
  return success();
}

LogicalResult TensorShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                         Attribute meshOrRef,
                                         ArrayRef<DimensionShardingAttr>,
                                         ArrayRef<AxisRefAttr>, ArrayRef<AxisRefAttr>,
                                         ReductionOp) {
  if (!meshOrRef || !mlir::isa<MeshAttr, mlir::FlatSymbolRefAttr>(meshOrRef)) {
    return emitError() << "sharding needs a mesh or the name of one, got " << meshOrRef;
  }
  return success();
}

}  // namespace tenon::sdy
