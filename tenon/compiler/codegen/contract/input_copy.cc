// The padded, dilated and converted copy of a convolution's input.
#include <cstdlib>

#include "tenon/compiler/codegen/contract/contraction_emitter.h"
#include "tenon/compiler/codegen/ir/transpose_tile.h"

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
    IrValues digits = Delinearize(b_, item, sizes);
    Position position{dest, b_.getInt64(0), b_.getTrue(), {}};
    position.index.assign(copy_.dims.size(), b_.getInt64(0));
    for (size_t i = 0; i < digits.size(); ++i) Move(position, copy_.dims[i], digits[i]);
    if (copy_.dims.size() == 1) return EmitRow(position);
    const InputCopy::Dim& middle = copy_.dims[copy_.dims.size() - 2];
    if (Transposes(middle)) return EmitTransposeTiles(position, middle);
    return EmitLoop(b_, b_.getInt64(0), b_.getInt64(middle.size), 1, [&](llvm::Value* i) {
      Position row = position;
      Move(row, middle, i);
      return EmitRow(row);
    });
  }

 private:
  struct Position {
    llvm::Value* dest;
    llvm::Value* source;                       // element offset
    llvm::Value* valid;                        // i1: not in the padding
    llvm::SmallVector<llvm::Value*, 8> index;  // in the source
  };

  // The index in the source of index `i` in the copy, and whether it exists.
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

  void Move(Position& position, const InputCopy::Dim& dim, llvm::Value* i) {
    auto [index, valid] = SourceIndex(dim, i);
    position.dest =
        OffsetPointer(b_, position.dest, MulI(b_, i, dim.dest), ElementBytes(copy_.to));
    position.source = AddI(b_, position.source, MulI(b_, index, dim.source));
    position.valid = b_.CreateAnd(position.valid, valid);
    position.index[dim.source_dim] = index;
  }

  // Whether blocks can be transposed in registers: the source is contiguous along
  // `middle`, the copy along the innermost dimension, and both are long enough.
  bool Transposes(const InputCopy::Dim& middle) const {
    const InputCopy::Dim& inner = copy_.dims.back();
    auto plain = [](ElementType type) {
      return !compiler::IsComplex(type) && type != ElementType::kPred;
    };
    // Masked loads of narrow elements are one instruction only with 512-bit registers.
    bool masks = middle.size % lanes_ != 0 || inner.size % lanes_ != 0;
    for (const InputCopy::Dim& dim : copy_.dims) masks |= dim.padded();
    if (masks && ElementBytes(copy_.from) < 4 && target_.vector_bits < 512) return false;
    return !copy_.hook && plain(copy_.from) && plain(copy_.to) && lanes_ >= 4 &&
           middle.source == 1 && std::abs(inner.source) > 1 && middle.dilation == 1 &&
           inner.dilation == 1 && middle.size >= 4 && 2 * inner.size >= lanes_;
  }

  Status EmitTransposeTiles(const Position& position, const InputCopy::Dim& middle) {
    const InputCopy::Dim& inner = copy_.dims.back();
    auto loop = [&](const InputCopy::Dim& dim, auto body) {
      return EmitLoop(b_, b_.getInt64(0), b_.getInt64(dim.size), lanes_, body);
    };
    return loop(middle, [&](llvm::Value* m) {
      return loop(inner, [&](llvm::Value* i) {
        return EmitTransposeTile(position, middle, m, i);
      });
    });
  }

  // Masks of the lanes from index `start`: those that exist in the copy, and those that
  // exist in the source. Null: all lanes exist.
  llvm::Value* CopyMask(const InputCopy::Dim& dim, llvm::Value* start) {
    if (dim.size % lanes_ == 0) return nullptr;
    return LaneMask(b_, b_.CreateSub(b_.getInt64(dim.size), start), lanes_);
  }
  llvm::Value* SourceMask(const InputCopy::Dim& dim, llvm::Value* start) {
    llvm::Value* mask = CopyMask(dim, start);
    if (!dim.padded()) return mask;
    llvm::Value* inside = Inside(dim, AddI(b_, start, -dim.padding_low));
    return mask ? b_.CreateAnd(inside, mask) : inside;
  }
  // The lanes from index `index` of the source that are neither before its start nor past
  // its end.
  llvm::Value* Inside(const InputCopy::Dim& dim, llvm::Value* index) {
    llvm::Value* past = LaneMask(b_, b_.CreateSub(b_.getInt64(dim.limit), index), lanes_);
    llvm::Value* before = LaneMask(b_, b_.CreateNeg(index), lanes_);
    if (!before) return llvm::Constant::getNullValue(MaskType());
    if (!past) past = llvm::Constant::getAllOnesValue(MaskType());
    return b_.CreateAnd(past, b_.CreateNot(before));
  }

  // Copies a transpose tile of `lanes_` indices of `middle` from m and of the innermost
  // dimension from i. Vectors of the source, along `middle`, become vectors of the copy.
  Status EmitTransposeTile(const Position& position, const InputCopy::Dim& middle,
                           llvm::Value* m, llvm::Value* i) {
    const InputCopy::Dim& inner = copy_.dims.back();
    llvm::Value* load_mask = SourceMask(middle, m);
    llvm::Value* inner_mask = SourceMask(inner, i);
    llvm::Value* valid = position.valid;
    int64_t from_bytes = ElementBytes(copy_.from);
    llvm::Value* source = AddI(b_, position.source, AddI(b_, m, -middle.padding_low));
    source = AddI(b_, source, MulI(b_, AddI(b_, i, -inner.padding_low), inner.source));
    source = OffsetPointer(b_, lhs_, source, from_bytes);
    llvm::SmallVector<llvm::Value*> rows;
    for (int row = 0; row < lanes_; ++row) {
      llvm::Value* exists = valid;
      if (inner_mask)
        exists = b_.CreateAnd(exists, b_.CreateExtractElement(inner_mask, row));
      llvm::Value* mask = load_mask;
      if (auto* all = llvm::dyn_cast<llvm::ConstantInt>(exists); !all || !all->isOne()) {
        llvm::Value* lanes = b_.CreateVectorSplat(lanes_, exists);
        mask = mask ? b_.CreateAnd(mask, lanes) : lanes;
      }
      // Lanes outside the mask of a load are zero.
      ElementValue value = LoadElements(
          b_, copy_.from, OffsetPointer(b_, source, row, inner.source * from_bytes),
          lanes_, 1, mask);
      rows.push_back(value.re);
    }
    TransposeTile(b_, rows, 1);
    llvm::Value* store_mask = CopyMask(inner, i);
    int64_t to_bytes = ElementBytes(copy_.to);
    llvm::Value* dest =
        OffsetPointer(b_, position.dest, AddI(b_, i, MulI(b_, m, middle.dest)), to_bytes);
    for (int column = 0; column < lanes_; ++column) {
      auto store = [&]() -> Status {
        TENON_ASSIGN_OR_RETURN(ElementValue value,
                               ConvertElements(b_, {copy_.from, rows[column]}, copy_.to,
                                               target_.elementwise));
        StoreElements(b_, value, OffsetPointer(b_, dest, column * middle.dest, to_bytes),
                      lanes_, 1, store_mask);
        return OkStatus();
      };
      // The last transpose tile may be partial.
      bool always = middle.size % lanes_ == 0 || column < middle.size % lanes_;
      llvm::Value* exists =
          always ? b_.getTrue()
                 : b_.CreateICmpSLT(AddI(b_, m, column), b_.getInt64(middle.size));
      TENON_RETURN_IF_ERROR(EmitIfElse(b_, exists, store));
    }
    return OkStatus();
  }

  Status EmitRow(const Position& row) {
    const InputCopy::Dim& inner = copy_.dims.back();
    return EmitLoop(
        b_, b_.getInt64(0), b_.getInt64(inner.size), lanes_,
        [&](llvm::Value* i) -> Status {
          Position position = row;
          position.dest = OffsetPointer(b_, row.dest, i, ElementBytes(copy_.to));
          llvm::Value* store_mask = nullptr;
          llvm::Value* load_mask = nullptr;
          if (lanes_ == 1) {
            llvm::Value* dest = position.dest;
            position.dest = row.dest;
            Move(position, inner, i);
            position.dest = dest;
          } else {
            llvm::Value* index = AddI(b_, i, -inner.padding_low);
            position.source = AddI(b_, position.source, MulI(b_, index, inner.source));
            position.index[inner.source_dim] = index;
            if (inner.size % lanes_ != 0)
              store_mask = LaneMask(b_, b_.CreateSub(b_.getInt64(inner.size), i), lanes_);
            load_mask = store_mask;
            if (inner.padded()) {
              load_mask = Inside(inner, index);
              if (store_mask) load_mask = b_.CreateAnd(load_mask, store_mask);
            }
          }
          return EmitIfElse(
              b_, position.valid,
              [&]() -> Status {
                TENON_ASSIGN_OR_RETURN(ElementValue value, Load(position, load_mask));
                if (inner.padded()) value = ZeroOutside(b_, value, load_mask, lanes_);
                StoreElements(b_, value, position.dest, lanes_, 1, store_mask);
                return OkStatus();
              },
              [&] {
                StoreElements(b_, ZeroElements(b_, copy_.to, lanes_), position.dest,
                              lanes_, 1, store_mask);
                return OkStatus();
              });
        });
  }

  llvm::Type* MaskType() { return llvm::FixedVectorType::get(b_.getInt1Ty(), lanes_); }

  StatusOr<ElementValue> Load(const Position& position, llvm::Value* mask) {
    const InputCopy::Dim& inner = copy_.dims.back();
    ElementValue value;
    if (copy_.hook) {
      VectorAccess access{position.index, inner.source_dim, 1, lanes_, mask};
      TENON_ASSIGN_OR_RETURN(value, hook_(b_, access));
    } else {
      llvm::Value* pointer =
          OffsetPointer(b_, lhs_, position.source, ElementBytes(copy_.from));
      // Without a gather instruction, strided lanes outside the mask read the first lane,
      // which must exist.
      value = inner.padded() && inner.source != 1 && mask
                  ? LoadFirstValid(position, mask)
                  : LoadElements(b_, copy_.from, pointer, lanes_, inner.source, mask);
    }
    return ConvertElements(b_, value, copy_.to, target_.elementwise);
  }

  // Loads strided lanes, of which the first may be padding, one by one.
  ElementValue LoadFirstValid(const Position& position, llvm::Value* mask) {
    const InputCopy::Dim& inner = copy_.dims.back();
    ElementValue value = ZeroElements(b_, copy_.from, lanes_);
    for (int lane = 0; lane < lanes_; ++lane) {
      // Element 0 of the source always exists here.
      llvm::Value* offset =
          b_.CreateSelect(b_.CreateExtractElement(mask, lane),
                          AddI(b_, position.source, lane * inner.source), b_.getInt64(0));
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
