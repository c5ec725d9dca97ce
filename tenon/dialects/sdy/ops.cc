// The sdy ops: registration, assembly format of their bodies, verifiers.
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "tenon/dialects/sdy/sdy.h"

using llvm::SmallVector;
using mlir::LogicalResult;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::ParseResult;
using mlir::success;

namespace tenon::sdy {
namespace {

// `(%arg0: type, ...) { body }`
ParseResult parseBodyWithArguments(OpAsmParser& parser, mlir::Region& body) {
  SmallVector<OpAsmParser::Argument> arguments;
  return ParseResult(
      mlir::failure(parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                                             /*allowType=*/true,
                                             /*allowAttrs=*/true) ||
                    parser.parseRegion(body, arguments)));
}

void printBodyWithArguments(OpAsmPrinter& printer, Operation*, mlir::Region& body) {
  printer << '(';
  llvm::interleaveComma(body.getArguments(), printer, [&](mlir::BlockArgument argument) {
    printer.printRegionArgument(argument);
  });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

// `[<@mesh, [{"x"}]>, ...]`
ParseResult parseStrippedShardings(OpAsmParser& parser,
                                   TensorShardingPerValueAttr& shardings) {
  SmallVector<TensorShardingAttr> values;
  if (parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
            auto sharding = mlir::FieldParser<TensorShardingAttr>::parse(parser);
            if (mlir::failed(sharding)) return mlir::failure();
            values.push_back(*sharding);
            return success();
          })) {
    return mlir::failure();
  }
  shardings = TensorShardingPerValueAttr::get(parser.getContext(), values);
  return success();
}

void printStrippedShardings(OpAsmPrinter& printer, Operation*,
                            TensorShardingPerValueAttr shardings) {
  printer << '[';
  printer.printStrippedAttrOrType(shardings.getShardings());
  printer << ']';
}

struct InlinerInterface : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation*, Operation*, bool) const final { return true; }
  bool isLegalToInline(mlir::Region*, mlir::Region*, bool, mlir::IRMapping&) const final {
    return true;
  }
  bool isLegalToInline(Operation*, mlir::Region*, bool, mlir::IRMapping&) const final {
    return true;
  }
};

// A sharding has one entry per dimension of its tensor.
LogicalResult VerifyRank(Operation* op, TensorShardingAttr sharding, mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (tensor &&
      static_cast<int64_t>(sharding.getDimShardings().size()) != tensor.getRank()) {
    return op->emitOpError() << "sharding " << sharding << " has "
                             << sharding.getDimShardings().size() << " dimensions, but "
                             << type << " has " << tensor.getRank();
  }
  return success();
}

LogicalResult VerifyPerValue(Operation* op, llvm::StringRef what,
                             TensorShardingPerValueAttr shardings,
                             mlir::TypeRange types) {
  if (shardings.getShardings().size() != types.size()) {
    return op->emitOpError() << "has " << shardings.getShardings().size() << ' ' << what
                             << " for " << types.size() << " values";
  }
  for (auto [sharding, type] : llvm::zip_equal(shardings.getShardings(), types)) {
    if (mlir::failed(VerifyRank(op, sharding, type))) return mlir::failure();
  }
  return success();
}

// The body has one argument per operand and returns one value per result. With
// `sameTypes` their types must be equal. Otherwise only ranks and element types must be
// equal, because the shapes in the body are per device.
LogicalResult VerifyBody(Operation* op, mlir::Region& body, bool sameTypes) {
  auto verify = [&](llvm::StringRef what, mlir::TypeRange inner,
                    mlir::TypeRange outer) -> LogicalResult {
    if (inner.size() != outer.size()) {
      return op->emitOpError() << "body has " << inner.size() << ' ' << what << " for "
                               << outer.size() << " values outside";
    }
    for (auto [in, out] : llvm::zip_equal(inner, outer)) {
      if (in == out) continue;
      auto inTensor = mlir::dyn_cast<mlir::RankedTensorType>(in);
      auto outTensor = mlir::dyn_cast<mlir::RankedTensorType>(out);
      if (sameTypes || !inTensor || !outTensor ||
          inTensor.getRank() != outTensor.getRank() ||
          inTensor.getElementType() != outTensor.getElementType()) {
        return op->emitOpError()
               << "type " << in << " in the body does not fit type " << out << " outside";
      }
    }
    return success();
  };
  mlir::Block& block = body.front();
  if (mlir::failed(
          verify("arguments", block.getArgumentTypes(), op->getOperandTypes()))) {
    return mlir::failure();
  }
  return verify("returned values", block.getTerminator()->getOperandTypes(),
                op->getResultTypes());
}

}  // namespace
}  // namespace tenon::sdy

#include "tenon/dialects/sdy/dialect.cc.inc"
#define GET_OP_CLASSES
#include "tenon/dialects/sdy/ops.cc.inc"

namespace tenon::sdy {

void SdyDialect::initialize() {
  addAttributesOfDialect();
  addOperations<
#define GET_OP_LIST
#include "tenon/dialects/sdy/ops.cc.inc"
      >();
  addInterfaces<InlinerInterface>();
}

LogicalResult ShardingConstraintOp::verify() {
  return VerifyRank(*this, getSharding(), getType());
}

LogicalResult ReshardOp::verify() { return VerifyRank(*this, getSharding(), getType()); }

LogicalResult ManualComputationOp::verify() {
  return LogicalResult::success(
      mlir::succeeded(
          VerifyPerValue(*this, "in_shardings", getInShardings(), getOperandTypes())) &&
      mlir::succeeded(
          VerifyPerValue(*this, "out_shardings", getOutShardings(), getResultTypes())) &&
      mlir::succeeded(VerifyBody(*this, getBody(), /*sameTypes=*/false)));
}

LogicalResult NamedComputationOp::verify() {
  if (getInShardings() &&
      mlir::failed(
          VerifyPerValue(*this, "in_shardings", *getInShardings(), getOperandTypes()))) {
    return mlir::failure();
  }
  if (getOutShardings() &&
      mlir::failed(
          VerifyPerValue(*this, "out_shardings", *getOutShardings(), getResultTypes()))) {
    return mlir::failure();
  }
  return VerifyBody(*this, getBody(), /*sameTypes=*/true);
}

}  // namespace tenon::sdy
