// Assembly formats of the ops whose regions have a special syntax: reduce and while.
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "tenon/dialects/stablehlo/control_flow_ops.h"
#include "tenon/dialects/stablehlo/reduction_ops.h"

using llvm::SmallVector;
using mlir::Block;
using mlir::failed;
using mlir::failure;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::OperationName;
using mlir::ParseResult;
using mlir::RankedTensorType;
using mlir::succeeded;
using mlir::success;
using mlir::Type;

namespace tenon::stablehlo {
namespace {

// Whether the op can be written as `reduce ... applies stablehlo.add`.
bool MayBeApplied(OperationName name) {
  return name.getDialectNamespace() == StableHLODialect::getDialectNamespace() &&
         name.hasTrait<mlir::OpTrait::NOperands<2>::Impl>() &&
         name.hasTrait<mlir::OpTrait::OneResult>() &&
         name.hasTrait<mlir::OpTrait::IsCommutative>();
}

// Returns the only op of a reducer that can be written with `applies`, else null.
Operation* AppliedOp(ReduceOp op) {
  Block& block = op.getBody().front();
  if (op.getInputs().size() != 1 || !llvm::hasSingleElement(block.without_terminator())) {
    return nullptr;
  }
  Operation& inner = block.front();
  Type scalar = RankedTensorType::get(
      {}, mlir::getElementTypeOrSelf(op.getInputs().front().getType()));
  bool plain =
      MayBeApplied(inner.getName()) && inner.getDiscardableAttrDictionary().empty() &&
      inner.getResult(0).getType() == scalar &&
      llvm::equal(inner.getOperands(), block.getArguments()) &&
      llvm::all_of(inner.getOperandTypes(), [&](Type t) { return t == scalar; }) &&
      llvm::equal(block.getTerminator()->getOperands(), inner.getResults());
  return plain ? &inner : nullptr;
}

// `%arg: type loc(...)`
ParseResult ParseReducerArgument(OpAsmParser& parser, OpAsmParser::Argument& argument) {
  return ParseResult(
      failure(parser.parseOperand(argument.ssaName, /*allowResultNumber=*/false) ||
              parser.parseColonType(argument.type) ||
              parser.parseOptionalLocationSpecifier(argument.sourceLoc)));
}

}  // namespace

//===------------------------------------------------------------------------------------===//
// reduce(%x init: %i), (%y init: %j) [applies op] across dimensions = [..] : type
// [reducer ..]
//===------------------------------------------------------------------------------------===//

ParseResult ReduceOp::parse(OpAsmParser& parser, mlir::OperationState& state) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands, inits;
  if (parser.parseCommaSeparatedList([&] {
        return ParseResult(failure(
            parser.parseLParen() || parser.parseOperand(operands.emplace_back()) ||
            parser.parseKeyword("init") || parser.parseColon() ||
            parser.parseOperand(inits.emplace_back()) || parser.parseRParen()));
      })) {
    return failure();
  }
  llvm::append_range(operands, inits);

  std::optional<OperationName> applied;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    llvm::SMLoc nameLoc = parser.getCurrentLocation();
    mlir::FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name)) return failure();
    if (!MayBeApplied(*name)) {
      return parser.emitError(nameLoc)
             << "expected a commutative binary stablehlo op, got "
             << name->getStringRef();
    }
    applied = *name;
  }

  SmallVector<int64_t> dimensions;
  mlir::FunctionType type;
  llvm::SMLoc typeLoc;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Square,
          [&] { return parser.parseInteger(dimensions.emplace_back()); }) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
      parser.getCurrentLocation(&typeLoc) || parser.parseType(type) ||
      parser.resolveOperands(operands, type.getInputs(), loc, state.operands)) {
    return failure();
  }
  state.addTypes(type.getResults());
  state.getOrAddProperties<Properties>().dimensions =
      parser.getBuilder().getDenseI64ArrayAttr(dimensions);
  mlir::Region* body = state.addRegion();

  if (applied) {
    // The location follows the type. The ops of the body share it.
    std::optional<mlir::Location> explicitLoc;
    if (parser.parseOptionalLocationSpecifier(explicitLoc)) return failure();
    mlir::Location opLoc = explicitLoc.value_or(parser.getEncodedSourceLoc(loc));
    if (type.getNumInputs() != 2) {
      return parser.emitError(typeLoc) << "`applies` reduces one input, but "
                                       << type.getNumInputs() / 2 << " are given";
    }
    auto scalar = RankedTensorType::get({}, mlir::getElementTypeOrSelf(type.getInput(0)));
    Block& block = body->emplaceBlock();
    block.addArguments({scalar, scalar}, {opLoc, opLoc});
    mlir::OpBuilder builder(parser.getContext());
    builder.setInsertionPointToEnd(&block);
    mlir::OperationState inner(opLoc, *applied);
    inner.addOperands(block.getArguments());
    inner.addTypes(scalar);
    ReturnOp::create(builder, opLoc, builder.create(inner)->getResults());
    state.location = opLoc;
    return success();
  }

  SmallVector<OpAsmParser::Argument> arguments, initArguments;
  if (parser.parseKeyword("reducer")) return failure();
  while (succeeded(parser.parseOptionalLParen())) {
    if (ParseReducerArgument(parser, arguments.emplace_back()) || parser.parseComma() ||
        ParseReducerArgument(parser, initArguments.emplace_back()) ||
        parser.parseRParen()) {
      return failure();
    }
  }
  llvm::append_range(arguments, initArguments);
  return parser.parseRegion(*body, arguments);
}

void ReduceOp::print(OpAsmPrinter& printer) {
  llvm::interleaveComma(
      llvm::zip_equal(getInputs(), getInitValues()), printer, [&](auto pair) {
        printer << '(' << std::get<0>(pair) << " init: " << std::get<1>(pair) << ')';
      });
  Operation* applied = AppliedOp(*this);
  if (applied) printer << " applies " << applied->getName();
  printer << " across dimensions = [";
  llvm::interleaveComma(getDimensions(), printer);
  printer << ']';
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (applied) return;

  printer.printNewline();
  printer << " reducer";
  Block& block = getBody().front();
  unsigned count = getInputs().size();
  for (unsigned i = 0; i < count; ++i) {
    printer << '(';
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(i + count));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===------------------------------------------------------------------------------------===//
// while(%arg = %x, ...) : types [attributes {..}] cond {..} do {..}
//===------------------------------------------------------------------------------------===//

ParseResult WhileOp::parse(OpAsmParser& parser, mlir::OperationState& state) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&] {
        return ParseResult(
            failure(parser.parseOperand(arguments.emplace_back().ssaName) ||
                    parser.parseEqual() || parser.parseOperand(operands.emplace_back())));
      })) {
    return failure();
  }
  if (!operands.empty() && parser.parseColonTypeList(types)) return failure();
  if (parser.resolveOperands(operands, types, loc, state.operands)) return failure();
  for (auto [argument, type] : llvm::zip_equal(arguments, types)) argument.type = type;
  state.addTypes(types);
  return ParseResult(failure(
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseKeyword("cond") || parser.parseRegion(*state.addRegion(), arguments) ||
      parser.parseKeyword("do") || parser.parseRegion(*state.addRegion(), arguments)));
}

void WhileOp::print(OpAsmPrinter& printer) {
  // Both regions use the same argument names: those of the condition.
  printer << '(';
  llvm::interleaveComma(
      llvm::zip(getBody().getArguments(), getOperand()), printer,
      [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
  printer << ')';
  if (!getOperand().empty()) {
    printer << " : ";
    llvm::interleaveComma(getOperand().getTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void WhileOp::getAsmBlockArgumentNames(mlir::Region& region,
                                       mlir::OpAsmSetValueNameFn setName) {
  for (mlir::BlockArgument argument : region.getArguments()) setName(argument, "iterArg");
}

}  // namespace tenon::stablehlo
