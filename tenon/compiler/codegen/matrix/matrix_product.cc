#include "tenon/compiler/codegen/matrix/matrix_product.h"

#include <algorithm>

#include "llvm/IR/Constants.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/matrix/operand_block.h"

namespace tenon::codegen {
namespace {

using compiler::LaneValues;
using compiler::WideProduct;
using Place = FragmentProduct::Place;

// Of a wide product's sums: they are like those of fragments with 16 rows and 8 columns.
constexpr int kWideSubgroupRows = 16, kWideColumns = 8;
constexpr Place kWideSums[] = {{0, 0}, {0, 1}, {8, 0}, {8, 1}};

class ProductEmitter {
 public:
  ProductEmitter(llvm::IRBuilder<>& b, const MatrixProduct& product,
                 const MatrixInstructions& instructions, const MatrixTile& tile,
                 const MatrixGroup& group)
      : b_(b),
        product_(product),
        instructions_(instructions),
        tile_(tile),
        group_(group),
        lhs_(b, product.lhs, instructions, product.operand, tile.rows, tile.depth,
             product.rows, product.depth),
        rhs_(b, product.rhs, instructions, product.operand, tile.columns, tile.depth,
             product.columns, product.depth) {}

  Status Emit() {
    SetPositions();
    LaneValues sums(static_cast<size_t>(SumCount()),
                    llvm::Constant::getNullValue(SumType()));
    // The other stages are filled in the loop.
    for (int stage = 0; stage < Ahead(); ++stage)
      TENON_RETURN_IF_ERROR(FillStage(Number(stage), b_.getInt64(Wide(stage))));
    IrValues carried(sums.begin(), sums.end());
    carried.push_back(Number(0));
    TENON_RETURN_IF_ERROR(EmitLoop(
        b_, b_.getInt64(0), steps_, 1, carried,
        [&](llvm::Value* step, IrValues& values) { return EmitStep(step, values); }));
    carried.pop_back();
    if (IsWide()) instructions_.wide.wait(b_, 0, carried);
    // Sets of copies beyond the depth may still be under way.
    if (Copies()) instructions_.wait_copies(b_, 0);
    return StoreSums(carried);
  }

 private:
  llvm::Value* Number(int64_t value) { return b_.getInt32(static_cast<uint32_t>(value)); }
  static uint64_t Wide(int64_t value) { return static_cast<uint64_t>(value); }
  bool IsWide() const { return tile_.product == nullptr; }
  // How many blocks are copied before they are multiplied. Wide products of a step may be
  // under way in the next one, and still read their block.
  int Ahead() const { return tile_.stages - (IsWide() ? 2 : 1); }
  bool Copies() const { return !product_.lhs.load || !product_.rhs.load; }
  int FragmentRows() const { return IsWide() ? kWideSubgroupRows : tile_.product->rows; }
  int FragmentColumns() const { return IsWide() ? kWideColumns : tile_.product->columns; }
  llvm::ArrayRef<Place> SumPlaces() const {
    return IsWide() ? llvm::ArrayRef(kWideSums) : tile_.product->sums;
  }
  int RowFragments() const { return tile_.subgroup_rows / FragmentRows(); }
  int ColumnFragments() const { return tile_.subgroup_columns / FragmentColumns(); }
  int SumCount() const {
    return RowFragments() * ColumnFragments() * static_cast<int>(SumPlaces().size());
  }
  llvm::Type* SumType() {
    const ElementType type = IsWide() ? ElementType::kF32 : tile_.product->sum;
    return type == ElementType::kF64   ? b_.getDoubleTy()
           : type == ElementType::kF32 ? b_.getFloatTy()
                                       : static_cast<llvm::Type*>(b_.getInt32Ty());
  }

  void SetPositions() {
    const int lanes = instructions_.lanes;
    llvm::Value* lane = b_.CreateAnd(group_.item, Number(lanes - 1));
    llvm::Value* subgroup = b_.CreateUDiv(group_.item, Number(lanes));
    const int across = tile_.rows / tile_.subgroup_rows;
    // Subgroups of a wide product follow each other along the rows.
    subgroup_row_ = b_.CreateMul(b_.CreateURem(subgroup, Number(across)),
                                 Number(tile_.subgroup_rows));
    subgroup_column_ = b_.CreateMul(b_.CreateUDiv(subgroup, Number(across)),
                                    Number(tile_.subgroup_columns));
    lane_side_ = b_.CreateUDiv(lane, Number(FragmentProduct::kDepthLanes));
    lane_column_ = b_.CreateMul(
        b_.CreateAnd(lane, Number(FragmentProduct::kDepthLanes - 1)), Number(2));
    auto first = [&](llvm::Value* number, int size) {
      return b_.CreateMul(b_.CreateZExt(number, b_.getInt64Ty()),
                          b_.getInt64(Wide(size)));
    };
    first_row_ = first(group_.tile_row, tile_.rows);
    first_column_ = first(group_.tile_column, tile_.columns);
    const int items = tile_.subgroups() * lanes;
    steps_ = b_.getInt64(Wide(CeilDiv(product_.depth, tile_.depth)));
    if (group_.begin)
      steps_ = b_.CreateUDiv(b_.CreateAdd(b_.CreateSub(group_.end, group_.begin),
                                          b_.getInt64(Wide(tile_.depth - 1))),
                             b_.getInt64(Wide(tile_.depth)));
    lhs_.SetItem(group_.item, lane, items);
    rhs_.SetItem(group_.item, lane, items);
  }

  llvm::Value* LhsBlock(llvm::Value* stage) {
    const int64_t bytes = lhs_.bytes() + rhs_.bytes();
    return b_.CreateInBoundsGEP(b_.getInt8Ty(), group_.local,
                                b_.CreateMul(stage, Number(bytes)));
  }
  llvm::Value* RhsBlock(llvm::Value* stage) {
    return b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), LhsBlock(stage),
                                         static_cast<unsigned>(lhs_.bytes()));
  }

  Status FillStage(llvm::Value* stage, llvm::Value* step) {
    llvm::Value* depth = b_.CreateMul(step, b_.getInt64(Wide(tile_.depth)));
    if (group_.begin) depth = b_.CreateAdd(depth, group_.begin);
    TENON_RETURN_IF_ERROR(EmitIfElse(b_, b_.CreateICmpULT(step, steps_), [&] {
      TENON_RETURN_IF_ERROR(lhs_.Fill(LhsBlock(stage), first_row_, depth));
      return rhs_.Fill(RhsBlock(stage), first_column_, depth);
    }));
    if (Copies()) instructions_.commit_copies(b_);
    return OkStatus();
  }

  // values: the sums, and the stage of this step.
  Status EmitStep(llvm::Value* step, IrValues& values) {
    llvm::Value* stage = values.pop_back_val();
    llvm::MutableArrayRef<llvm::Value*> sums(values);
    if (Copies()) instructions_.wait_copies(b_, Ahead() - 1);
    if (IsWide()) instructions_.wide.publish(b_);
    // This step's block is complete, and all have finished with the block that is filled
    // next.
    group_.barrier(b_);
    // Products follow those of the step before without a pause.
    if (IsWide()) AddWideProducts(stage, sums);
    const int behind = tile_.stages - Ahead();
    llvm::Value* free_stage = b_.CreateSelect(b_.CreateICmpULT(stage, Number(behind)),
                                              b_.CreateAdd(stage, Number(Ahead())),
                                              b_.CreateSub(stage, Number(behind)));
    TENON_RETURN_IF_ERROR(
        FillStage(free_stage, b_.CreateAdd(step, b_.getInt64(Wide(Ahead())))));
    if (IsWide())
      instructions_.wide.wait(b_, 1, sums);
    else
      AddProducts(stage, sums);
    values.push_back(b_.CreateSelect(b_.CreateICmpEQ(stage, Number(tile_.stages - 1)),
                                     Number(0), b_.CreateAdd(stage, Number(1))));
    return OkStatus();
  }

  void AddWideProducts(llvm::Value* stage, llvm::MutableArrayRef<llvm::Value*> sums) {
    // The rows of all subgroups that multiply together.
    llvm::Value* row = b_.CreateAnd(subgroup_row_, Number(-instructions_.wide.rows));
    auto operand = [&](OperandBlock& block, llvm::Value* pointer, llvm::Value* side) {
      const int side_bytes =
          block.along_depth() ? block.slab_bytes() / tile_.rows : block.slab_bytes() / 64;
      return WideProduct::Operand{
          b_.CreateInBoundsGEP(b_.getInt8Ty(), pointer,
                               b_.CreateMul(side, Number(side_bytes))),
          block.along_depth(), block.slab_bytes()};
    };
    instructions_.wide.multiply(b_, product_.operand, tile_.depth, sums,
                                operand(lhs_, LhsBlock(stage), row),
                                operand(rhs_, RhsBlock(stage), Number(0)));
  }

  // Two neighbouring fragments of rhs are loaded at once, if their number is even.
  void AddProducts(llvm::Value* stage, llvm::MutableArrayRef<llvm::Value*> sums) {
    const FragmentProduct& product = *tile_.product;
    llvm::Value *lhs_block = LhsBlock(stage), *rhs_block = RhsBlock(stage);
    const int together = ColumnFragments() % 2 == 0 ? 2 : 1;
    llvm::SmallVector<Place> rhs_places;
    for (int i = 0; i < together; ++i)
      for (const Place& place : product.rhs)
        rhs_places.push_back({place.side + i * product.columns, place.depth});
    const size_t count = product.sums.size();
    for (int depth = 0; depth < tile_.depth; depth += product.depth) {
      llvm::SmallVector<LaneValues> lhs;
      for (int i = 0; i < RowFragments(); ++i)
        lhs.push_back(lhs_.Load(lhs_block,
                                b_.CreateAdd(subgroup_row_, Number(i * product.rows)),
                                depth, product.lhs, product));
      for (int j = 0; j < ColumnFragments(); j += together) {
        const LaneValues rhs = rhs_.Load(
            rhs_block, b_.CreateAdd(subgroup_column_, Number(j * product.columns)), depth,
            rhs_places, product);
        for (int i = 0; i < RowFragments(); ++i)
          for (int t = 0; t < together; ++t)
            product.multiply(
                b_,
                sums.slice(static_cast<size_t>(i * ColumnFragments() + j + t) * count,
                           count),
                lhs[static_cast<size_t>(i)],
                llvm::ArrayRef(rhs).slice(static_cast<size_t>(t) * product.rhs.size(),
                                          product.rhs.size()));
      }
    }
  }

  // The four lanes of a row exchange sums if there are four fragments with columns of
  // each: then a lane has a unit of one of them, and can store 16 bytes and more at once.
  bool StoresUnits() {
    return product_.stores_units && instructions_.exchange && SumType()->isFloatTy() &&
           FragmentColumns() == MatrixProduct::kStoreUnit &&
           ColumnFragments() % FragmentProduct::kDepthLanes == 0 &&
           product_.columns % MatrixProduct::kStoreUnit == 0;
  }

  // values: the pairs of the lane in four fragments. Returns those of the four lanes in
  // the fragment whose number is that of the lane: the transpose.
  LaneValues Transposed(LaneValues values) {
    llvm::Value* lane = b_.CreateUDiv(lane_column_, Number(2));
    for (const size_t distance : {size_t{1}, size_t{2}}) {
      llvm::Value* is_upper =
          b_.CreateIsNotNull(b_.CreateAnd(lane, Number(static_cast<int64_t>(distance))));
      for (size_t pair = 0; pair < FragmentProduct::kDepthLanes; ++pair) {
        if (pair & distance) continue;
        for (size_t i = 0; i < 2; ++i) {
          llvm::Value *&low = values[2 * pair + i],
                      *&high = values[2 * (pair + distance) + i];
          llvm::Value* kept = b_.CreateSelect(is_upper, high, low);
          llvm::Value* other = instructions_.exchange(
              b_, b_.CreateSelect(is_upper, low, high), static_cast<int>(distance));
          low = b_.CreateSelect(is_upper, other, kept);
          high = b_.CreateSelect(is_upper, kept, other);
        }
      }
    }
    return values;
  }

  Status StoreUnits(llvm::ArrayRef<llvm::Value*> sums) {
    constexpr int kFragments = FragmentProduct::kDepthLanes;
    const llvm::ArrayRef<Place> places = SumPlaces();
    llvm::Value* lane_unit = b_.CreateMul(lane_column_, Number(FragmentColumns() / 2));
    for (int i = 0; i < RowFragments(); ++i) {
      for (int j = 0; j < ColumnFragments(); j += kFragments) {
        for (size_t place = 0; place < places.size(); place += 2) {
          LaneValues values;
          for (int t = 0; t < kFragments; ++t) {
            const auto fragment = static_cast<size_t>(i * ColumnFragments() + j + t);
            values.append(
                llvm::to_vector(sums.slice(fragment * places.size() + place, 2)));
          }
          values = Transposed(values);
          llvm::Value* row = InResult(first_row_, subgroup_row_, lane_side_,
                                      i * FragmentRows() + places[place].side);
          llvm::Value* column = InResult(first_column_, subgroup_column_, lane_unit,
                                         int64_t{j} * FragmentColumns());
          TENON_RETURN_IF_ERROR(StoreTogether(row, column, values));
        }
      }
    }
    return OkStatus();
  }

  // The position in the result of what is in a lane's part of a tile.
  llvm::Value* InResult(llvm::Value* first, llvm::Value* subgroup, llvm::Value* lane,
                        int64_t offset) {
    llvm::Value* in_tile = b_.CreateAdd(b_.CreateAdd(subgroup, lane), Number(offset));
    return b_.CreateAdd(first, b_.CreateZExt(in_tile, b_.getInt64Ty()));
  }

  // Sums are in pairs of neighbouring columns.
  Status StoreSums(llvm::ArrayRef<llvm::Value*> sums) {
    if (StoresUnits()) return StoreUnits(sums);
    const llvm::ArrayRef<Place> places = SumPlaces();
    for (size_t number = 0; number < sums.size(); number += 2) {
      const size_t fragment = number / places.size();
      const auto i = static_cast<int>(fragment) / ColumnFragments();
      const auto j = static_cast<int>(fragment) % ColumnFragments();
      const Place& place = places[number % places.size()];
      llvm::Value* row = InResult(first_row_, subgroup_row_, lane_side_,
                                  i * FragmentRows() + place.side);
      llvm::Value* column = InResult(first_column_, subgroup_column_, lane_column_,
                                     j * FragmentColumns() + place.depth);
      TENON_RETURN_IF_ERROR(StoreTogether(row, column, sums.slice(number, 2)));
    }
    return OkStatus();
  }

  // Stores the sums of a pair or unit of columns.
  Status StoreTogether(llvm::Value* row, llvm::Value* column,
                       llvm::ArrayRef<llvm::Value*> sums) {
    const bool whole_rows = product_.rows % tile_.rows == 0;
    const bool whole_columns = product_.columns % tile_.columns == 0;
    if (whole_rows && whole_columns) return product_.store(row, column, sums);
    auto exists = [&](llvm::Value* at) {
      return b_.CreateAnd(b_.CreateICmpSLT(row, b_.getInt64(Wide(product_.rows))),
                          b_.CreateICmpSLT(at, b_.getInt64(Wide(product_.columns))));
    };
    // They are within the result, or outside of it, if its columns are a multiple.
    if (product_.columns % static_cast<int64_t>(sums.size()) == 0)
      return EmitIfElse(b_, exists(column),
                        [&] { return product_.store(row, column, sums); });
    for (size_t i = 0; i < sums.size(); ++i) {
      llvm::Value* at = b_.CreateAdd(column, b_.getInt64(i));
      TENON_RETURN_IF_ERROR(EmitIfElse(
          b_, exists(at), [&] { return product_.store(row, at, sums.slice(i, 1)); }));
    }
    return OkStatus();
  }

  llvm::IRBuilder<>& b_;
  const MatrixProduct& product_;
  const MatrixInstructions& instructions_;
  const MatrixTile& tile_;
  const MatrixGroup& group_;
  OperandBlock lhs_, rhs_;
  llvm::Value *first_row_ = nullptr, *first_column_ = nullptr;  // i64
  llvm::Value* steps_ = nullptr;                                // i64
  llvm::Value *subgroup_row_ = nullptr, *subgroup_column_ = nullptr;
  llvm::Value *lane_side_ = nullptr, *lane_column_ = nullptr;
};

}  // namespace

Status EmitMatrixProduct(llvm::IRBuilder<>& b, const MatrixProduct& product,
                         const MatrixInstructions& instructions, const MatrixTile& tile,
                         const MatrixGroup& group) {
  return ProductEmitter(b, product, instructions, tile, group).Emit();
}

}  // namespace tenon::codegen
