// The padded, dilated and converted copy of a convolution's input.
#include "tenon/compiler/codegen/contract/contraction_emitter.h"

namespace tenon::codegen {
namespace {

class InputCopyEmitter {
 public:
  InputCopyEmitter(IrBuilder& b, const InputCopy& copy, const TargetTraits& target,
                   llvm::Value* lhs, const LoadHook& hook)
      : b_(b), copy_(copy), target_(target), lhs_(lhs), hook_(hook) {
    const InputCopy::Dim& inner = copy.dims.back();
    bool steps = inner.dilation != 1 || inner.size == 1;
    int64_t bits = 8 * PartBytes(copy.to);
    lanes_ = steps ? 1 : std::clamp<int>(target.vector_bits / bits, 2, 32);
  }

  Status Emit(llvm::Value* dest, llvm::Value* item) {
    llvm::SmallVector<int64_t> sizes;
    for (size_t i = 0; i + 2 < copy_.dims.size(); ++i)
      sizes.push_back(copy_.dims[i].size);
    IrValues digits = Digits(b_, item, sizes);
    Place place{dest, b_.getInt64(0), b_.getTrue(), {}};
    place.site.assign(copy_.dims.size(), b_.getInt64(0));
    for (size_t i = 0; i < digits.size(); ++i) Move(place, copy_.dims[i], digits[i]);
    if (copy_.dims.size() == 1) return EmitRow(place);
    const InputCopy::Dim& middle = copy_.dims[copy_.dims.size() - 2];
    return EmitLoop(b_, b_.getInt64(0), b_.getInt64(middle.size), 1, [&](llvm::Value* i) {
      Place row = place;
      Move(row, middle, i);
      return EmitRow(row);
    });
  }

 private:
  struct Place {
    llvm::Value* dest;
    llvm::Value* source;  // element offset
    llvm::Value* valid;   // i1: not in the padding
    llvm::SmallVector<llvm::Value*, 8> site;
  };

  // Index in the source of index `i` in the copy, and whether there is one.
  std::pair<llvm::Value*, llvm::Value*> SourceIndex(const InputCopy::Dim& dim,
                                                    llvm::Value* i) {
    llvm::Value* index = AddI(b_, i, -dim.padding_low);
    if (!dim.padded()) return {index, b_.getTrue()};
    llvm::Value* reach = b_.getInt64((dim.limit - 1) * dim.dilation + 1);
    llvm::Value* valid = b_.CreateICmpULT(index, reach);
    if (dim.limit == 0) valid = b_.getFalse();
    if (dim.dilation != 1) {
      llvm::Value* step = b_.getInt64(dim.dilation);
      valid = b_.CreateAnd(valid,
                           b_.CreateICmpEQ(b_.CreateURem(index, step), b_.getInt64(0)));
      index = b_.CreateUDiv(index, step);
    }
    return {index, valid};
  }

  void Move(Place& place, const InputCopy::Dim& dim, llvm::Value* i) {
    auto [index, valid] = SourceIndex(dim, i);
    place.dest =
        OffsetPointer(b_, place.dest, MulI(b_, i, dim.dest), ElementBytes(copy_.to));
    place.source = AddI(b_, place.source, MulI(b_, index, dim.source));
    place.valid = b_.CreateAnd(place.valid, valid);
    place.site[dim.site] = index;
  }

  Status EmitRow(const Place& row) {
    const InputCopy::Dim& inner = copy_.dims.back();
    return EmitLoop(
        b_, b_.getInt64(0), b_.getInt64(inner.size), lanes_,
        [&](llvm::Value* i) -> Status {
          Place place = row;
          place.dest = OffsetPointer(b_, row.dest, i, ElementBytes(copy_.to));
          llvm::Value* store_mask = nullptr;
          llvm::Value* load_mask = nullptr;
          if (lanes_ == 1) {
            llvm::Value* dest = place.dest;
            place.dest = row.dest;
            Move(place, inner, i);
            place.dest = dest;
          } else {
            llvm::Value* index = AddI(b_, i, -inner.padding_low);
            place.source = AddI(b_, place.source, MulI(b_, index, inner.source));
            place.site[inner.site] = index;
            if (inner.size % lanes_ != 0)
              store_mask = LaneMask(b_, b_.CreateSub(b_.getInt64(inner.size), i), lanes_);
            load_mask = store_mask;
            if (inner.padded()) {
              // Lanes before the start and past the end of the source.
              llvm::Value* past =
                  LaneMask(b_, b_.CreateSub(b_.getInt64(inner.limit), index), lanes_);
              llvm::Value* before = LaneMask(b_, b_.CreateNeg(index), lanes_);
              load_mask = past;
              if (!past) load_mask = llvm::Constant::getAllOnesValue(MaskType());
              load_mask = before ? b_.CreateAnd(load_mask, b_.CreateNot(before))
                                 : llvm::Constant::getNullValue(MaskType());
              if (store_mask) load_mask = b_.CreateAnd(load_mask, store_mask);
            }
          }
          return EmitIfElse(
              b_, place.valid,
              [&]() -> Status {
                TENON_ASSIGN_OR_RETURN(ElementValue value, Load(place, load_mask));
                if (inner.padded()) value = ZeroOutside(b_, value, load_mask, lanes_);
                StoreElements(b_, value, place.dest, lanes_, 1, store_mask);
                return OkStatus();
              },
              [&] {
                StoreElements(b_, ZeroElements(b_, copy_.to, lanes_), place.dest, lanes_,
                              1, store_mask);
                return OkStatus();
              });
        });
  }

  llvm::Type* MaskType() { return llvm::FixedVectorType::get(b_.getInt1Ty(), lanes_); }

  StatusOr<ElementValue> Load(const Place& place, llvm::Value* mask) {
    const InputCopy::Dim& inner = copy_.dims.back();
    ElementValue value;
    if (copy_.hook) {
      LaneSite site{place.site, inner.site, 1, lanes_, mask};
      TENON_ASSIGN_OR_RETURN(value, hook_(b_, site));
    } else {
      llvm::Value* pointer =
          OffsetPointer(b_, lhs_, place.source, ElementBytes(copy_.from));
      // Strided lanes outside the mask read the first lane where there is no gather: it
      // must exist.
      value = inner.padded() && inner.source != 1 && mask
                  ? LoadFirstValid(place, mask)
                  : LoadElements(b_, copy_.from, pointer, lanes_, inner.source, mask);
    }
    return ConvertElements(b_, value, copy_.to, target_.elementwise);
  }

  // Strided lanes of which the first may be padding, one by one.
  ElementValue LoadFirstValid(const Place& place, llvm::Value* mask) {
    const InputCopy::Dim& inner = copy_.dims.back();
    ElementValue value = ZeroElements(b_, copy_.from, lanes_);
    for (int lane = 0; lane < lanes_; ++lane) {
      // Element 0 of the source always exists here.
      llvm::Value* offset =
          b_.CreateSelect(b_.CreateExtractElement(mask, lane),
                          AddI(b_, place.source, lane * inner.source), b_.getInt64(0));
      ElementValue element =
          LoadElements(b_, copy_.from,
                       OffsetPointer(b_, lhs_, offset, ElementBytes(copy_.from)), 1, 1);
      value.re = b_.CreateInsertElement(value.re, element.re, lane);
      if (value.im) value.im = b_.CreateInsertElement(value.im, element.im, lane);
    }
    return value;
  }

  IrBuilder& b_;
  const InputCopy& copy_;
  const TargetTraits& target_;
  llvm::Value* lhs_;
  const LoadHook& hook_;
  int lanes_;
};

}  // namespace

Status EmitInputCopy(IrBuilder& b, const InputCopy& copy, const TargetTraits& target,
                     llvm::Value* lhs, llvm::Value* dest, const LoadHook& hook,
                     llvm::Value* item) {
  return InputCopyEmitter(b, copy, target, lhs, hook).Emit(dest, item);
}

}  // namespace tenon::codegen
