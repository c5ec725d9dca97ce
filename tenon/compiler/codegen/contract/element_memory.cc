#include "tenon/compiler/codegen/contract/element_memory.h"

#include <tuple>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/ir/interleave.h"

namespace tenon::codegen {
namespace {

using compiler::ElementLlvmType;
using compiler::ElementMemoryType;
using compiler::IsComplex;
using compiler::RealType;

llvm::Type* Lanes(llvm::Type* type, int lanes) {
  return lanes == 1 ? type : llvm::FixedVectorType::get(type, lanes);
}

llvm::Value* LaneIndices(IrBuilder& b, int lanes, int64_t stride) {
  llvm::SmallVector<llvm::Constant*> values;
  for (int lane = 0; lane < lanes; ++lane) values.push_back(b.getInt64(lane * stride));
  return llvm::ConstantVector::get(values);
}

// Repeats every lane of the mask, for interleaved complex elements.
llvm::Value* DoubleMask(IrBuilder& b, llvm::Value* mask, int lanes) {
  llvm::SmallVector<int> indices;
  for (int lane = 0; lane < 2 * lanes; ++lane) indices.push_back(lane / 2);
  return b.CreateShuffleVector(mask, indices);
}

llvm::Value* Contiguous(IrBuilder& b, llvm::Type* type, llvm::Value* pointer, int lanes,
                        llvm::Value* mask, llvm::Align align) {
  llvm::Type* vector = Lanes(type, lanes);
  if (!mask) return b.CreateAlignedLoad(vector, pointer, align);
  return b.CreateMaskedLoad(vector, pointer, align, mask,
                            llvm::Constant::getNullValue(vector));
}

// Loads one part of strided elements, `stride_bytes` apart.
llvm::Value* Strided(IrBuilder& b, llvm::Type* type, llvm::Value* pointer, int lanes,
                     int64_t stride_bytes, llvm::Value* mask, llvm::Align align) {
  if (type->getScalarSizeInBits() >= 32) {
    llvm::Value* pointers =
        b.CreateGEP(b.getInt8Ty(), pointer, LaneIndices(b, lanes, stride_bytes));
    return b.CreateMaskedGather(Lanes(type, lanes), pointers, align, mask);
  }
  // Narrow types have no gather instruction. Lanes outside the mask read the first
  // element.
  llvm::Value* result = llvm::PoisonValue::get(Lanes(type, lanes));
  for (int lane = 0; lane < lanes; ++lane) {
    llvm::Value* offset = b.getInt64(lane * stride_bytes);
    if (mask && lane > 0)
      offset = b.CreateSelect(b.CreateExtractElement(mask, lane), offset, b.getInt64(0));
    llvm::Value* element =
        b.CreateAlignedLoad(type, b.CreateGEP(b.getInt8Ty(), pointer, offset), align);
    result = b.CreateInsertElement(result, element, lane);
  }
  return result;
}

// Whether a few masked stores of whole registers are faster than a scatter of elements
// `stride` apart. With registers of 512 bits, which have masks, a scatter takes as long
// as 16 to 30 stores.
bool StoresUnderMasks(llvm::Type* vector, int64_t stride) {
  return vector->getPrimitiveSizeInBits() == 512 && vector->getScalarSizeInBits() >= 32 &&
         stride > 1 && stride <= 8;
}

// Stores elements `stride` apart by masked stores of whole registers, which leave the
// memory between them unchanged.
void StoreStridedUnderMasks(IrBuilder& b, llvm::Value* value, llvm::Value* pointer,
                            int lanes, int64_t stride, llvm::Value* mask,
                            llvm::Align align) {
  int64_t vector_bytes = value->getType()->getPrimitiveSizeInBits() / 8;
  llvm::Value* none = llvm::Constant::getNullValue(Lanes(b.getInt1Ty(), lanes));
  if (!mask) mask = llvm::Constant::getAllOnesValue(none->getType());
  for (int64_t i = 0; i < stride; ++i) {
    llvm::SmallVector<int> from, mask_from;
    for (int lane = 0; lane < lanes; ++lane) {
      int64_t element = i * lanes + lane;
      bool is_stored = element % stride == 0;
      from.push_back(is_stored ? static_cast<int>(element / stride) : -1);
      mask_from.push_back(is_stored ? static_cast<int>(element / stride) : lanes);
    }
    b.CreateMaskedStore(b.CreateShuffleVector(value, from),
                        OffsetPointer(b, pointer, i, vector_bytes), align,
                        b.CreateShuffleVector(mask, none, mask_from));
  }
}

}  // namespace

llvm::Value* LaneMask(IrBuilder& b, llvm::Value* count, int lanes) {
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(count)) {
    if (constant->getSExtValue() >= lanes) return nullptr;
    llvm::SmallVector<llvm::Constant*> bits;
    for (int lane = 0; lane < lanes; ++lane)
      bits.push_back(b.getInt1(lane < constant->getSExtValue()));
    return lanes == 1 ? bits[0] : llvm::ConstantVector::get(bits);
  }
  llvm::Value* limit = b.CreateTrunc(count, b.getInt32Ty());
  if (lanes == 1) return b.CreateICmpSGT(limit, b.getInt32(0));
  llvm::SmallVector<llvm::Constant*> iota;
  for (int lane = 0; lane < lanes; ++lane) iota.push_back(b.getInt32(lane));
  return b.CreateICmpSLT(llvm::ConstantVector::get(iota),
                         b.CreateVectorSplat(lanes, limit));
}

ElementValue LoadElements(IrBuilder& b, ElementType type, llvm::Value* pointer, int lanes,
                          int64_t stride, llvm::Value* mask) {
  if (stride == 0 && lanes > 1)
    return Splat(b, LoadElements(b, type, pointer, 1, 1), lanes);
  llvm::Type* memory = ElementMemoryType(b.getContext(), type);
  int64_t part_bytes = ElementBytes(RealType(type));
  llvm::Align align(part_bytes);
  if (lanes == 1) mask = nullptr;  // the first lane is accessible
  ElementValue result;
  result.type = type;
  if (!IsComplex(type)) {
    llvm::Value* loaded =
        lanes == 1 || stride == 1
            ? Contiguous(b, memory, pointer, lanes, mask, align)
            : Strided(b, memory, pointer, lanes, stride * part_bytes, mask, align);
    result.re = compiler::LoadedToValue(b, type, loaded);
    return result;
  }
  llvm::Value* im_pointer = OffsetPointer(b, pointer, 1, part_bytes);
  if (lanes == 1) {
    result.re = b.CreateAlignedLoad(memory, pointer, align);
    result.im = b.CreateAlignedLoad(memory, im_pointer, align);
  } else if (stride == 1) {
    llvm::Value* both = Contiguous(b, memory, pointer, 2 * lanes,
                                   mask ? DoubleMask(b, mask, lanes) : nullptr, align);
    std::tie(result.re, result.im) = Deinterleave(b, both, nullptr, lanes);
  } else {
    int64_t bytes = 2 * part_bytes * stride;
    result.re = Strided(b, memory, pointer, lanes, bytes, mask, align);
    result.im = Strided(b, memory, im_pointer, lanes, bytes, mask, align);
  }
  return result;
}

void StoreElements(IrBuilder& b, const ElementValue& value, llvm::Value* pointer,
                   int lanes, int64_t stride, llvm::Value* mask) {
  int64_t part_bytes = ElementBytes(RealType(value.type));
  llvm::Align align(part_bytes);
  llvm::Value* re = compiler::ValueToStored(b, value.type, value.re);
  bool complex = IsComplex(value.type);
  if (lanes == 1) {
    b.CreateAlignedStore(re, pointer, align);
    if (complex)
      b.CreateAlignedStore(value.im, OffsetPointer(b, pointer, 1, part_bytes), align);
    return;
  }
  if (stride == 1) {
    llvm::Value* all = re;
    if (complex) {
      all = Interleave(b, re, value.im, 0, lanes);
      if (mask) mask = DoubleMask(b, mask, lanes);
    }
    if (mask)
      b.CreateMaskedStore(all, pointer, align, mask);
    else
      b.CreateAlignedStore(all, pointer, align);
    return;
  }
  if (!complex && StoresUnderMasks(re->getType(), stride))
    return StoreStridedUnderMasks(b, re, pointer, lanes, stride, mask, align);
  int64_t bytes = ElementBytes(value.type) * stride;
  llvm::Value* pointers =
      b.CreateGEP(b.getInt8Ty(), pointer, LaneIndices(b, lanes, bytes));
  b.CreateMaskedScatter(re, pointers, align, mask);
  if (complex)
    b.CreateMaskedScatter(value.im,
                          b.CreateGEP(b.getInt8Ty(), pointers,
                                      b.CreateVectorSplat(lanes, b.getInt64(part_bytes))),
                          align, mask);
}

ElementValue LoadPlanar(IrBuilder& b, ElementType type, llvm::Value* pointer, int lanes,
                        int64_t part_bytes) {
  llvm::Type* memory = Lanes(ElementMemoryType(b.getContext(), type), lanes);
  llvm::Align align(PartBytes(type));
  ElementValue result;
  result.type = type;
  result.re = compiler::LoadedToValue(b, RealType(type),
                                      b.CreateAlignedLoad(memory, pointer, align));
  if (IsComplex(type))
    result.im =
        b.CreateAlignedLoad(memory, OffsetPointer(b, pointer, part_bytes, 1), align);
  return result;
}

void StorePlanar(IrBuilder& b, const ElementValue& value, llvm::Value* pointer, int lanes,
                 int64_t part_bytes) {
  llvm::Align align(PartBytes(value.type));
  b.CreateAlignedStore(compiler::ValueToStored(b, value.type, value.re), pointer, align);
  if (value.im)
    b.CreateAlignedStore(value.im, OffsetPointer(b, pointer, part_bytes, 1), align);
}

ElementValue ZeroElements(IrBuilder& b, ElementType type, int lanes) {
  llvm::Type* part = Lanes(ElementLlvmType(b.getContext(), type), lanes);
  ElementValue zero;
  zero.type = type;
  zero.re = llvm::Constant::getNullValue(part);
  if (IsComplex(type)) zero.im = zero.re;
  return zero;
}

ElementValue Splat(IrBuilder& b, const ElementValue& scalar, int lanes) {
  if (lanes == 1) return scalar;
  ElementValue result = scalar;
  result.re = b.CreateVectorSplat(lanes, scalar.re);
  if (scalar.im) result.im = b.CreateVectorSplat(lanes, scalar.im);
  return result;
}

ElementValue ZeroOutside(IrBuilder& b, const ElementValue& value, llvm::Value* mask,
                         int lanes) {
  if (!mask) return value;
  ElementValue result = value;
  result.re =
      b.CreateSelect(mask, value.re, llvm::Constant::getNullValue(value.re->getType()));
  if (value.im)
    result.im =
        b.CreateSelect(mask, value.im, llvm::Constant::getNullValue(value.im->getType()));
  return result;
}

StatusOr<ElementValue> ConvertElements(IrBuilder& b, const ElementValue& value,
                                       ElementType type,
                                       const compiler::ElementwiseOptions& options) {
  if (value.type == type) return value;
  compiler::ElementwiseEmitter emitter(b, options);
  return emitter.Emit(compiler::ElementwiseOp::kConvert, value, type);
}

ElementValue AddElements(IrBuilder& b, const ElementValue& x, const ElementValue& y) {
  ElementValue sum = x;
  if (x.type == ElementType::kPred) {
    sum.re = b.CreateOr(x.re, y.re);
  } else if (compiler::IsInteger(x.type)) {
    sum.re = b.CreateAdd(x.re, y.re);
  } else {
    sum.re = b.CreateFAdd(x.re, y.re);
    if (x.im) sum.im = b.CreateFAdd(x.im, y.im);
  }
  return sum;
}

ElementValue MultiplyAdd(IrBuilder& b, const ElementValue& accumulator,
                         const ElementValue& x, const ElementValue& y, bool fma) {
  auto float_mac = [&](llvm::Value* sum, llvm::Value* p, llvm::Value* q) -> llvm::Value* {
    if (fma)
      return b.CreateIntrinsic(llvm::Intrinsic::fma, {sum->getType()}, {p, q, sum});
    return b.CreateFAdd(b.CreateFMul(p, q), sum);
  };
  ElementValue result = accumulator;
  if (accumulator.type == ElementType::kPred) {
    result.re = b.CreateOr(accumulator.re, b.CreateAnd(x.re, y.re));
  } else if (compiler::IsInteger(accumulator.type)) {
    result.re = b.CreateAdd(accumulator.re, b.CreateMul(x.re, y.re));
  } else if (!accumulator.im) {
    result.re = float_mac(accumulator.re, x.re, y.re);
  } else {
    result.re = float_mac(accumulator.re, x.re, y.re);
    result.re = float_mac(result.re, b.CreateFNeg(x.im), y.im);
    result.im = float_mac(accumulator.im, x.re, y.im);
    result.im = float_mac(result.im, x.im, y.re);
  }
  return result;
}

}  // namespace tenon::codegen
