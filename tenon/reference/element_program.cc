#include "tenon/reference/element_program.h"

#include <cstring>

#include "llvm/ADT/StringMap.h"
#include "mlir/IR/Matchers.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/reference/literal_from_attr.h"
#include "tenon/reference/quantized.h"

namespace tenon::reference {
namespace {

struct ElementOpInfo {
  ElementOp op;
  int operands;
  bool flushes;
};

const llvm::StringMap<ElementOpInfo>& ElementOps() {
  static const auto* map = new llvm::StringMap<ElementOpInfo>{
#define X(name, text, operands, flushes) {text, {ElementOp::name, operands, flushes}},
#include "tenon/reference/element_op.inc"
#undef X
  };
  return *map;
}

static_assert(static_cast<int>(stablehlo::ComparisonDirection::EQ) ==
                  static_cast<int>(Relation::kEq) &&
              static_cast<int>(stablehlo::ComparisonDirection::LT) ==
                  static_cast<int>(Relation::kLt));

std::string Text(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

bool IsScalar(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 &&
         ir::ElementTypeOf(tensor.getElementType()) != ElementType::kInvalid;
}

}  // namespace

std::optional<ElementOp> ElementOpOf(mlir::Operation* op) {
  auto found = ElementOps().find(op->getName().getStringRef());
  if (found == ElementOps().end()) return std::nullopt;
  return found->second.op;
}

StatusOr<ElementInstruction> MakeInstruction(mlir::Operation* op, ElementOp element_op) {
  ElementInstruction instruction;
  const ElementOpInfo info = ElementOps().find(op->getName().getStringRef())->second;
  instruction.num_inputs = info.operands;
  instruction.flushes = info.flushes;
  for (int i = 0; i < info.operands; ++i) {
    instruction.input_types[i] = ComputedElementType(op->getOperand(i).getType());
    if (instruction.input_types[i] == ElementType::kInvalid)
      return Unimplemented("operand of type " + Text(op->getOperand(i).getType()));
  }
  // abs only clears a bit, except for complex numbers, where it is a length.
  if (element_op == ElementOp::kAbs &&
      ComputeKindOf(instruction.input_types[0]) >= ComputeKind::kC64)
    instruction.flushes = true;
  KernelParams& params = instruction.params;
  params.operand_type = instruction.input_types[info.operands - 1];
  params.result_type = ComputedElementType(op->getResult(0).getType());
  if (params.result_type == ElementType::kInvalid)
    return Unimplemented("result of type " + Text(op->getResult(0).getType()));
  if (auto compare = llvm::dyn_cast<stablehlo::CompareOp>(op)) {
    params.relation = static_cast<Relation>(compare.getComparisonDirection());
    params.total_order =
        compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
    // The total order is that of the bits.
    if (params.total_order) instruction.flushes = false;
  }
  if (auto reduce = llvm::dyn_cast<stablehlo::ReducePrecisionOp>(op)) {
    params.exponent_bits = static_cast<int>(reduce.getExponentBits());
    params.mantissa_bits = static_cast<int>(reduce.getMantissaBits());
  }
  instruction.kernel = FindKernel(element_op, params);
  if (!instruction.kernel)
    return Unimplemented("not defined on " +
                         std::string(ElementTypeName(params.operand_type)));
  return instruction;
}

void RunInstruction(const ElementInstruction& instruction, const void* const* inputs,
                    void* output, int64_t lanes, bool flush_denormals) {
  alignas(16) uint8_t flushed[3][kMaxLanes * 16];
  const void* pointers[3];
  const bool flush = flush_denormals && instruction.flushes;
  for (int i = 0; i < instruction.num_inputs; ++i) {
    pointers[i] = inputs[i];
    if (!flush) continue;
    const ComputeKind kind = ComputeKindOf(instruction.input_types[i]);
    if (!HasDenormals(kind, inputs[i], lanes)) continue;
    std::memcpy(flushed[i], inputs[i], lanes * ComputeBytes(kind));
    FlushDenormals(kind, flushed[i], lanes);
    pointers[i] = flushed[i];
  }
  instruction.kernel(instruction.params, pointers, output, lanes);
  WrapElements(instruction.params.result_type, output, lanes);
  if (flush) FlushDenormals(ComputeKindOf(instruction.params.result_type), output, lanes);
}

int ElementProgram::NewRegister() {
  storage_.push_back(std::make_unique<Register>());
  registers_.push_back(storage_.back()->data());
  return static_cast<int>(registers_.size()) - 1;
}

std::unique_ptr<ElementProgram> ElementProgram::Compile(mlir::Block& block) {
  std::unique_ptr<ElementProgram> program(new ElementProgram);
  llvm::DenseMap<mlir::Value, int> values;
  for (mlir::BlockArgument argument : block.getArguments()) {
    if (!IsScalar(argument.getType())) return nullptr;
    values[argument] = static_cast<int>(program->registers_.size());
    program->registers_.push_back(nullptr);
    program->storage_.push_back(nullptr);
  }
  program->num_inputs_ = block.getNumArguments();

  auto register_of = [&](mlir::Value value) -> int {
    if (auto found = values.find(value); found != values.end()) return found->second;
    mlir::ElementsAttr constant;
    if (!IsScalar(value.getType()) ||
        !mlir::matchPattern(value, mlir::m_Constant(&constant)))
      return -1;
    auto literal = LiteralFromAttr(constant);
    if (!literal.ok()) return -1;
    const int number = program->NewRegister();
    uint8_t* lanes = program->storage_.back()->data();
    const int64_t bytes = ComputeBytes(literal->type());
    LoadElements(literal->type(), literal->data(), lanes, 1);
    for (int64_t i = 1; i < kMaxLanes; ++i) std::memcpy(lanes + i * bytes, lanes, bytes);
    return values[value] = number;
  };

  for (mlir::Operation& op : block.without_terminator()) {
    if (op.hasTrait<mlir::OpTrait::ConstantLike>()) continue;
    const std::optional<ElementOp> element_op = ElementOpOf(&op);
    if (!element_op || !IsScalar(op.getResult(0).getType())) return nullptr;
    auto instruction = MakeInstruction(&op, *element_op);
    if (!instruction.ok()) return nullptr;
    for (int i = 0; i < instruction->num_inputs; ++i) {
      instruction->inputs[i] = register_of(op.getOperand(i));
      if (instruction->inputs[i] < 0) return nullptr;
    }
    instruction->output = program->NewRegister();
    values[op.getResult(0)] = instruction->output;
    program->instructions_.push_back(*instruction);
    program->single_op_ = *element_op;
  }
  for (mlir::Value result : block.getTerminator()->getOperands()) {
    const int number = register_of(result);
    if (number < 0) return nullptr;
    program->results_.push_back(number);
    program->result_bytes_.push_back(
        ComputeBytes(ir::ElementTypeOfShaped(result.getType())));
  }
  bool single =
      program->instructions_.size() == 1 && program->results_.size() == 1 &&
      program->instructions_[0].num_inputs == static_cast<int>(program->num_inputs_) &&
      program->results_[0] == program->instructions_[0].output;
  for (size_t i = 0; single && i < program->num_inputs_; ++i)
    single = program->instructions_[0].inputs[i] == static_cast<int>(i);
  if (!single) program->single_op_.reset();
  return program;
}

void ElementProgram::Run(int64_t lanes, const void* const* inputs, void* const* outputs,
                         bool flush_denormals) {
  for (size_t i = 0; i < num_inputs_; ++i) registers_[i] = inputs[i];
  for (const ElementInstruction& instruction : instructions_) {
    const void* pointers[3] = {};
    for (int i = 0; i < instruction.num_inputs; ++i)
      pointers[i] = registers_[instruction.inputs[i]];
    RunInstruction(instruction, pointers, storage_[instruction.output]->data(), lanes,
                   flush_denormals);
  }
  for (size_t i = 0; i < results_.size(); ++i)
    std::memmove(outputs[i], registers_[results_[i]], lanes * result_bytes_[i]);
}

}  // namespace tenon::reference
