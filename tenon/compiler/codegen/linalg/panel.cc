#include "tenon/compiler/codegen/linalg/panel.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"

namespace tenon::codegen {

PanelEmitter::PanelEmitter(IrBuilder& b, ElementType type, const LinalgPlan& plan,
                           const TargetTraits& target)
    : b_(b),
      type_(type),
      plan_(plan),
      target_(target),
      lanes_(plan.lanes),
      parts_(compiler::IsComplex(type) ? 2 : 1),
      bytes_(ElementBytes(type) / parts_),
      real_(bytes_ == 8 ? b.getDoubleTy() : b.getFloatTy()),
      vector_(llvm::FixedVectorType::get(real_, lanes_)) {}

llvm::Value* PanelEmitter::Vectors(llvm::Value* panel, llvm::Value* row, int vector) {
  llvm::Value* number = AddI(b_, MulI(b_, row, plan_.vectors), vector);
  return OffsetPointer(b_, panel, number, parts_ * lanes_ * bytes_);
}

Number PanelEmitter::Load(llvm::Value* panel, llvm::Value* row, int vector) {
  llvm::Value* address = Vectors(panel, row, vector);
  llvm::Align align(lanes_ * bytes_);
  Number value{b_.CreateAlignedLoad(vector_, address, align)};
  if (is_complex())
    value.im = b_.CreateAlignedLoad(
        vector_, b_.CreateConstInBoundsGEP1_64(vector_, address, 1), align);
  return value;
}

void PanelEmitter::Store(Number value, llvm::Value* panel, llvm::Value* row, int vector) {
  llvm::Value* address = Vectors(panel, row, vector);
  llvm::Align align(lanes_ * bytes_);
  b_.CreateAlignedStore(value.re, address, align);
  if (is_complex())
    b_.CreateAlignedStore(value.im, b_.CreateConstInBoundsGEP1_64(vector_, address, 1),
                          align);
}

// Complex panels are one vector wide.
Number PanelEmitter::LoadScalar(llvm::Value* panel, llvm::Value* row,
                                llvm::Value* column) {
  return LoadParts(OffsetPointer(b_, Vectors(panel, row, 0), column, bytes_), vector_);
}

void PanelEmitter::StoreScalar(Number value, llvm::Value* panel, llvm::Value* row,
                               llvm::Value* column) {
  StoreParts(value, OffsetPointer(b_, Vectors(panel, row, 0), column, bytes_), vector_);
}

llvm::Value* PanelEmitter::Element(llvm::Value* matrix, const MatrixShape& shape,
                                   llvm::Value* row, llvm::Value* column) {
  return OffsetPointer(
      b_, matrix,
      AddI(b_, MulI(b_, row, shape.row_stride), MulI(b_, column, shape.column_stride)),
      element_bytes());
}

Number PanelEmitter::LoadElement(llvm::Value* address) {
  return LoadParts(address, real_);
}

void PanelEmitter::StoreElement(Number value, llvm::Value* address) {
  StoreParts(value, address, real_);
}

Number PanelEmitter::LoadParts(llvm::Value* address, llvm::Type* apart) {
  llvm::Align align(bytes_);
  Number value{b_.CreateAlignedLoad(real_, address, align)};
  if (is_complex())
    value.im = b_.CreateAlignedLoad(
        real_, b_.CreateConstInBoundsGEP1_64(apart, address, 1), align);
  return value;
}

void PanelEmitter::StoreParts(Number value, llvm::Value* address, llvm::Type* apart) {
  llvm::Align align(bytes_);
  b_.CreateAlignedStore(value.re, address, align);
  if (is_complex())
    b_.CreateAlignedStore(value.im, b_.CreateConstInBoundsGEP1_64(apart, address, 1),
                          align);
}

Status PanelEmitter::Clear(llvm::Value* panel, llvm::Value* first, llvm::Value* last) {
  return EmitLoop(b_, first, last, 1, [&](llvm::Value* row) {
    for (int v = 0; v < plan_.vectors; ++v) Store(Zero(), panel, row, v);
    return OkStatus();
  });
}

Number PanelEmitter::Zero() {
  llvm::Value* zero = llvm::Constant::getNullValue(vector_);
  return {zero, is_complex() ? zero : nullptr};
}

Number PanelEmitter::One() {
  return {llvm::ConstantFP::get(real_, 1.0),
          is_complex() ? llvm::ConstantFP::get(real_, 0.0) : nullptr};
}

Number PanelEmitter::Splat(Number scalar) {
  return {b_.CreateVectorSplat(lanes_, scalar.re),
          scalar.im ? b_.CreateVectorSplat(lanes_, scalar.im) : nullptr};
}

Number PanelEmitter::Conjugate(Number x) {
  return {x.re, x.im ? b_.CreateFNeg(x.im) : nullptr};
}

llvm::Value* PanelEmitter::Fma(llvm::Value* x, llvm::Value* y, llvm::Value* z) {
  if (!target_.fma) return b_.CreateFAdd(z, b_.CreateFMul(x, y));
  return b_.CreateIntrinsic(llvm::Intrinsic::fma, x->getType(), {x, y, z});
}

llvm::Value* PanelEmitter::NegFma(llvm::Value* x, llvm::Value* y, llvm::Value* z) {
  if (!target_.fma) return b_.CreateFSub(z, b_.CreateFMul(x, y));
  return b_.CreateIntrinsic(llvm::Intrinsic::fma, x->getType(), {b_.CreateFNeg(x), y, z});
}

Number PanelEmitter::MulSub(Number x, Number a, Number y, bool conjugate) {
  Number result{NegFma(a.re, y.re, x.re)};
  if (!is_complex()) return result;
  result.im = NegFma(a.re, y.im, x.im);
  if (conjugate) {
    result.re = NegFma(a.im, y.im, result.re);
    result.im = Fma(a.im, y.re, result.im);
  } else {
    result.re = Fma(a.im, y.im, result.re);
    result.im = NegFma(a.im, y.re, result.im);
  }
  return result;
}

Number PanelEmitter::Add(Number x, Number y) {
  return {b_.CreateFAdd(x.re, y.re), is_complex() ? b_.CreateFAdd(x.im, y.im) : nullptr};
}

Number PanelEmitter::Multiply(Number x, Number y) {
  if (!is_complex()) return {b_.CreateFMul(x.re, y.re)};
  return {NegFma(x.im, y.im, b_.CreateFMul(x.re, y.re)),
          Fma(x.im, y.re, b_.CreateFMul(x.re, y.im))};
}

StatusOr<Number> PanelEmitter::Divide(Number x, Number y) {
  if (!is_complex()) return Number{b_.CreateFDiv(x.re, y.re)};
  compiler::ElementwiseEmitter emitter(b_, target_.elementwise);
  TENON_ASSIGN_OR_RETURN(compiler::ElementValue quotient,
                         emitter.Emit(compiler::ElementwiseOp::kDivide,
                                      {compiler::ElementValue{type_, x.re, x.im},
                                       compiler::ElementValue{type_, y.re, y.im}},
                                      type_));
  return Number{quotient.re, quotient.im};
}

llvm::Value* PanelEmitter::Size(Number x) {
  llvm::Value* size = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x.re);
  if (!x.im) return size;
  return b_.CreateFAdd(size, b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x.im));
}

Number PanelEmitter::Select(llvm::Value* condition, Number x, Number y) {
  return {b_.CreateSelect(condition, x.re, y.re),
          x.im ? b_.CreateSelect(condition, x.im, y.im) : nullptr};
}

llvm::Value* PanelEmitter::LaneNumbers() {
  llvm::SmallVector<llvm::Constant*> numbers;
  for (int lane = 0; lane < lanes_; ++lane)
    numbers.push_back(llvm::ConstantInt::get(lane_integer(), lane));
  return llvm::ConstantVector::get(numbers);
}

void PanelEmitter::Append(Number value, IrValues& parts) {
  parts.push_back(value.re);
  if (value.im) parts.push_back(value.im);
}

Number PanelEmitter::Take(llvm::ArrayRef<llvm::Value*> parts, size_t number) const {
  return {parts[number * parts_], parts_ == 2 ? parts[number * parts_ + 1] : nullptr};
}

}  // namespace tenon::codegen
