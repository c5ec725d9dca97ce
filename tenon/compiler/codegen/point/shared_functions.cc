#include "tenon/compiler/codegen/point/shared_functions.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"

namespace tenon::codegen {

using compiler::ElementValue;
using compiler::ElementwiseOp;

namespace {

// The first uses in a function stay inline, where LLVM schedules them with the
// instructions around them. Long chains run faster with calls, because their code stays
// in the instruction cache: 32 sines of 100,000 elements take 1.1 ms instead of 1.8 ms.
constexpr int kInlineUses = 2;

// Functions of lower cost are never shared.
constexpr double kMinCost = 48;

// Roughly the time that LLVM takes for an instruction, in those of f32. Vectors of 64-bit
// elements occupy two registers at a time. Their division, their conversion between
// integers and floats, and the number of leading zeros of any vector, become dozens of
// instructions on processors that have none for them.
double CostOf(const llvm::Instruction& instruction) {
  constexpr double kWide = 1.5, kExpanded = 48;
  if (!instruction.getType()->isVectorTy()) return 1;
  const llvm::Type* type = instruction.getType();
  const bool is_wide = type->getScalarSizeInBits() == 64;
  if (is_wide && instruction.isIntDivRem()) return kExpanded;
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
    const llvm::Type* from = cast->getSrcTy();
    if (from->isIntOrIntVectorTy() != type->isIntOrIntVectorTy() &&
        !llvm::isa<llvm::BitCastInst>(cast) &&
        (is_wide || from->getScalarSizeInBits() == 64))
      return kExpanded;
  }
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (call && call->getIntrinsicID() == llvm::Intrinsic::ctlz) return kExpanded;
  return is_wide ? kWide : 1;
}

double CostOf(const llvm::Function& function) {
  double cost = 0;
  for (const llvm::BasicBlock& block : function)
    for (const llvm::Instruction& instruction : block) cost += CostOf(instruction);
  return cost;
}

// The divisor, if it is a constant: LLVM divides by one without a division.
llvm::Constant* ConstantDivisor(ElementwiseOp op, llvm::ArrayRef<ElementValue> operands) {
  if (op != ElementwiseOp::kDivide && op != ElementwiseOp::kRemainder) return nullptr;
  if (!operands[0].re->getType()->isIntOrIntVectorTy()) return nullptr;
  auto* divisor = llvm::dyn_cast<llvm::Constant>(operands[1].re);
  if (!divisor) return nullptr;
  llvm::Constant* number =
      divisor->getType()->isVectorTy() ? divisor->getSplatValue() : divisor;
  return llvm::isa_and_nonnull<llvm::ConstantInt>(number) ? divisor : nullptr;
}

// Returns the types of all parts of `values`, in order.
llvm::SmallVector<llvm::Type*> PartTypes(llvm::ArrayRef<ElementValue> values) {
  llvm::SmallVector<llvm::Type*> types;
  for (const ElementValue& value : values) {
    types.push_back(value.re->getType());
    if (value.im) types.push_back(value.im->getType());
  }
  return types;
}

// Returns a name such as "shared.sine.f32.f32.16": the operation, its types, the number
// of lanes, and a constant divisor.
std::string NameOf(ElementwiseOp op, ElementType result,
                   llvm::ArrayRef<ElementValue> operands) {
  std::string name = "shared." + compiler::ElementwiseOpName(op).str() + "." +
                     std::string(ElementTypeName(result));
  for (const ElementValue& operand : operands)
    name += "." + std::string(ElementTypeName(operand.type));
  if (auto vector = llvm::dyn_cast<llvm::FixedVectorType>(operands[0].re->getType()))
    name += "." + std::to_string(vector->getNumElements());
  if (llvm::Constant* divisor = ConstantDivisor(op, operands)) {
    llvm::raw_string_ostream text(name);
    divisor = divisor->getType()->isVectorTy() ? divisor->getSplatValue() : divisor;
    text << ".by." << llvm::cast<llvm::ConstantInt>(divisor)->getValue();
  }
  return name;
}

bool IsVariant(ElementwiseOp op) {
  return op == ElementwiseOp::kCompare || op == ElementwiseOp::kReducePrecision;
}

}  // namespace

StatusOr<ElementValue> SharedFunctions::Emit(llvm::IRBuilderBase& b, ElementwiseOp op,
                                             llvm::ArrayRef<ElementValue> operands,
                                             ElementType result,
                                             const compiler::ElementwiseAttrs& attrs) {
  auto emit_inline = [&] {
    return compiler::ElementwiseEmitter(b, options_).Emit(op, operands, result, attrs);
  };
  // A shared function has no parameter for the excess precision of an operand.
  bool mixed =
      options_.excess_precision &&
      llvm::any_of(operands, [](const ElementValue& value) { return value.wide; });
  if (mixed || IsVariant(op)) return emit_inline();
  llvm::Function* caller = b.GetInsertBlock()->getParent();
  Key key{op, result, PartTypes(operands)};
  for (const ElementValue& value : operands) key.operand_types.push_back(value.type);
  key.divisor = ConstantDivisor(op, operands);
  Uses& uses = uses_[key];
  if (uses.function != caller) uses = {caller, uses.is_long, 0};
  if (!uses.is_long.has_value()) {
    // The first use measures the code.
    const double before = CostOf(*caller);
    auto value = emit_inline();
    uses.is_long = CostOf(*caller) - before >= kMinCost;
    ++uses.count;
    return value;
  }
  if (!*uses.is_long || ++uses.count <= kInlineUses) return emit_inline();
  TENON_ASSIGN_OR_RETURN(llvm::Function * shared, Shared(*caller, key, operands, attrs));
  llvm::SmallVector<llvm::Value*> arguments;
  for (const ElementValue& value : operands) {
    arguments.push_back(value.re);
    if (value.im) arguments.push_back(value.im);
  }
  llvm::CallInst* call = b.CreateCall(shared, arguments);
  call->setCallingConv(shared->getCallingConv());
  if (!compiler::IsComplex(result)) return ElementValue{result, call};
  return ElementValue{result, b.CreateExtractValue(call, 0),
                      b.CreateExtractValue(call, 1)};
}

StatusOr<llvm::Function*> SharedFunctions::Shared(
    llvm::Function& caller, const Key& key, llvm::ArrayRef<ElementValue> operands,
    const compiler::ElementwiseAttrs& attrs) {
  llvm::Module& module = *caller.getParent();
  std::string name = NameOf(key.op, key.result, operands);
  if (llvm::Function* known = module.getFunction(name)) return known;
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* part = compiler::ElementLlvmType(context, compiler::RealType(key.result));
  if (auto vector = llvm::dyn_cast<llvm::VectorType>(key.part_types[0]))
    part = llvm::VectorType::get(part, vector->getElementCount());
  bool is_complex = compiler::IsComplex(key.result);
  llvm::Type* returned = is_complex ? llvm::StructType::get(part, part) : part;
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(returned, key.part_types, false),
                             llvm::GlobalValue::InternalLinkage, name, module);
  // Copies the function attributes, such as the target features, but not those of
  // parameters.
  function->addFnAttrs(llvm::AttrBuilder(context, caller.getAttributes().getFnAttrs()));
  function->removeFnAttr(llvm::Attribute::AlwaysInline);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->setCallingConv(llvm::CallingConv::Fast);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", function));
  llvm::SmallVector<ElementValue, 3> parameters;
  auto next = function->arg_begin();
  for (const ElementValue& operand : operands) {
    ElementValue parameter{operand.type, &*next++};
    if (operand.im) parameter.im = &*next++;
    parameters.push_back(parameter);
  }
  if (key.divisor) parameters[1].re = key.divisor;
  TENON_ASSIGN_OR_RETURN(ElementValue value,
                         compiler::ElementwiseEmitter(b, options_)
                             .Emit(key.op, parameters, key.result, attrs));
  llvm::Value* result = value.re;
  if (is_complex) {
    result = b.CreateInsertValue(llvm::PoisonValue::get(returned), value.re, 0);
    result = b.CreateInsertValue(result, value.im, 1);
  }
  b.CreateRet(result);
  return function;
}

}  // namespace tenon::codegen
