#include "tenon/compiler/codegen/matrix/matrix_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/matrix/operand_block.h"

namespace tenon::codegen {
namespace {

using compiler::LaneValues;
using Place = FragmentProduct::Place;

constexpr int kMaxKeys = 64, kMinKeys = 16;  // of a block
constexpr int kMaxSubgroups = 4;
constexpr size_t kRowsOfLane = 2;  // of a fragment of sums

uint64_t Wide(int64_t value) { return static_cast<uint64_t>(value); }

int Side(int64_t size) {
  return static_cast<int>(
      std::max<uint64_t>(llvm::PowerOf2Ceil(Wide(std::max<int64_t>(size, 1))), 16));
}

class AttentionEmitter {
 public:
  AttentionEmitter(llvm::IRBuilder<>& b, const MatrixAttention& attention,
                   const MatrixInstructions& instructions, const AttentionTile& tile,
                   const MatrixGroup& group)
      : b_(b),
        attention_(attention),
        instructions_(instructions),
        tile_(tile),
        group_(group),
        queries_(b, attention.query_operand, instructions, attention.operand, tile.rows(),
                 tile.depth, attention.rows, attention.depth),
        keys_(b, attention.key_operand, instructions, attention.operand, tile.keys,
              tile.depth, attention.keys, attention.depth),
        values_(b, attention.value_operand, instructions, attention.operand, tile.columns,
                tile.keys, attention.columns, attention.keys) {}

  Status Emit() {
    SetPositions();
    TENON_RETURN_IF_ERROR(LoadQueries());
    TENON_RETURN_IF_ERROR(FillStage(Number(0), b_.getInt64(0)));
    Rows rows;
    rows.maximum.assign(kRowsOfLane, Float(-std::numeric_limits<double>::infinity()));
    rows.sum.assign(kRowsOfLane, Float(0));
    rows.results.assign(ResultCount(), Float(0));
    IrValues carried = Flatten(rows);
    const int64_t steps = (attention_.keys + tile_.keys - 1) / tile_.keys;
    TENON_RETURN_IF_ERROR(EmitLoop(b_, b_.getInt64(0), b_.getInt64(Wide(steps)), 1,
                                   carried, [&](llvm::Value* step, IrValues& values) {
                                     Rows current = Unflatten(values);
                                     TENON_RETURN_IF_ERROR(EmitStep(step, current));
                                     values = Flatten(current);
                                     return OkStatus();
                                   }));
    // Copies beyond the last key may still be under way.
    if (Copies()) instructions_.wait_copies(b_, 0);
    return Store(Unflatten(carried));
  }

 private:
  // What a lane has of its rows, one after the other: row `side` of the fragment and the
  // one that is product.rows / 2 below.
  struct Rows {
    IrValues maximum, sum;  // the sum is that of this lane's keys only
    IrValues results;       // fragments, one after the other along the columns
  };
  static IrValues Flatten(const Rows& rows) {
    IrValues values(rows.results);
    values.append(rows.maximum);
    values.append(rows.sum);
    return values;
  }
  Rows Unflatten(llvm::ArrayRef<llvm::Value*> values) const {
    Rows rows;
    rows.results.assign(values.begin(), values.begin() + ResultCount());
    values = values.drop_front(ResultCount());
    rows.maximum.assign(values.begin(), values.begin() + kRowsOfLane);
    rows.sum.assign(values.begin() + kRowsOfLane, values.end());
    return rows;
  }

  llvm::Value* Number(int64_t value) { return b_.getInt32(static_cast<uint32_t>(value)); }
  llvm::Value* Float(double value) {
    return llvm::ConstantFP::get(b_.getFloatTy(), value);
  }
  const FragmentProduct& product() const { return *tile_.product; }
  bool Copies() const {
    return !attention_.query_operand.load || !attention_.key_operand.load ||
           !attention_.value_operand.load;
  }
  size_t ResultCount() const {
    return static_cast<size_t>(tile_.columns / product().columns) * product().sums.size();
  }
  size_t RowOf(size_t sum) const {
    return product().sums[sum % product().sums.size()].side == 0 ? 0 : 1;
  }

  void SetPositions() {
    const int lanes = instructions_.lanes;
    llvm::Value* lane = b_.CreateAnd(group_.item, Number(lanes - 1));
    llvm::Value* subgroup = b_.CreateUDiv(group_.item, Number(lanes));
    subgroup_row_ = b_.CreateMul(subgroup, Number(product().rows));
    first_row_ = b_.CreateMul(b_.CreateZExt(group_.tile_row, b_.getInt64Ty()),
                              b_.getInt64(Wide(tile_.rows())));
    llvm::Value* lane_row = b_.CreateAdd(
        subgroup_row_, b_.CreateUDiv(lane, Number(FragmentProduct::kDepthLanes)));
    lane_row_ = b_.CreateAdd(first_row_, b_.CreateZExt(lane_row, b_.getInt64Ty()));
    lane_column_ = b_.CreateZExt(
        b_.CreateMul(b_.CreateAnd(lane, Number(FragmentProduct::kDepthLanes - 1)),
                     Number(2)),
        b_.getInt64Ty());
    const int items = tile_.subgroups * lanes;
    for (OperandBlock* block : {&queries_, &keys_, &values_})
      block->SetItem(group_.item, lane, items);
    // See the header.
    int exponent = 0;
    if (attention_.operand == ElementType::kBF16)
      exponent = static_cast<int>(llvm::Log2_64_Ceil(Wide(attention_.keys)));
    factor_exponent_ = exponent;
  }

  llvm::Value* Stage(llvm::Value* stage) {
    return b_.CreateInBoundsGEP(b_.getInt8Ty(), group_.local,
                                b_.CreateMul(stage, Number(tile_.stage_bytes())));
  }
  llvm::Value* ValueBlock(llvm::Value* stage) {
    return b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), Stage(stage),
                                         static_cast<unsigned>(keys_.bytes()));
  }
  Status FillStage(llvm::Value* stage, llvm::Value* step) {
    llvm::Value* key = b_.CreateMul(step, b_.getInt64(Wide(tile_.keys)));
    TENON_RETURN_IF_ERROR(
        EmitIfElse(b_, b_.CreateICmpULT(key, b_.getInt64(Wide(attention_.keys))), [&] {
          TENON_RETURN_IF_ERROR(keys_.Fill(Stage(stage), key, b_.getInt64(0)));
          return values_.Fill(ValueBlock(stage), b_.getInt64(0), key);
        }));
    if (Copies()) instructions_.commit_copies(b_);
    return OkStatus();
  }

  // Queries stay in registers. Their way there is through the memory of the stages.
  Status LoadQueries() {
    TENON_RETURN_IF_ERROR(queries_.Fill(group_.local, first_row_, b_.getInt64(0)));
    if (Copies()) {
      instructions_.commit_copies(b_);
      instructions_.wait_copies(b_, 0);
    }
    group_.barrier(b_);
    for (int depth = 0; depth < tile_.depth; depth += product().depth)
      query_registers_.push_back(
          queries_.Load(group_.local, subgroup_row_, depth, product().lhs, product()));
    group_.barrier(b_);
    return OkStatus();
  }

  // sums += lhs times a block of `columns` columns and lhs.size() fragments of depth. Two
  // fragments of rhs are loaded at once; their number is even.
  void Multiply(OperandBlock& block, llvm::Value* local, int columns,
                llvm::ArrayRef<LaneValues> lhs,
                llvm::MutableArrayRef<llvm::Value*> sums) {
    llvm::SmallVector<Place> places;
    for (int i = 0; i < 2; ++i)
      for (const Place& place : product().rhs)
        places.push_back({place.side + i * product().columns, place.depth});
    const size_t count = product().sums.size(), registers = product().rhs.size();
    for (auto [k, fragment] : llvm::enumerate(lhs)) {
      const int depth = static_cast<int>(k) * product().depth;
      for (int column = 0; column < columns; column += 2 * product().columns) {
        const LaneValues rhs =
            block.Load(local, Number(column), depth, places, product());
        for (size_t i = 0; i < 2; ++i)
          product().multiply(
              b_,
              sums.slice((static_cast<size_t>(column / product().columns) + i) * count,
                         count),
              fragment, llvm::ArrayRef(rhs).slice(i * registers, registers));
      }
    }
  }

  Status EmitStep(llvm::Value* step, Rows& rows) {
    llvm::Value* stage = b_.CreateAnd(b_.CreateTrunc(step, b_.getInt32Ty()), Number(1));
    if (Copies()) instructions_.wait_copies(b_, 0);
    // This step's block is complete, and all have finished with the block of the step
    // before, which is filled next.
    group_.barrier(b_);
    TENON_RETURN_IF_ERROR(
        FillStage(b_.CreateXor(stage, Number(1)), b_.CreateAdd(step, b_.getInt64(1))));
    IrValues scores(
        static_cast<size_t>(tile_.keys / product().columns) * product().sums.size(),
        Float(0));
    Multiply(keys_, Stage(stage), tile_.keys, query_registers_, scores);
    TENON_RETURN_IF_ERROR(
        ApplyScore(b_.CreateMul(step, b_.getInt64(Wide(tile_.keys))), scores));
    AddMaxima(scores, rows);
    Multiply(values_, ValueBlock(stage), tile_.columns, AsLhs(scores), rows.results);
    return OkStatus();
  }

  llvm::Value* AtMost(llvm::Value* index, int64_t limit) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, index,
                                    b_.getInt64(Wide(limit)));
  }

  // Turns sums into scores. Keys beyond the last have the score -inf.
  Status ApplyScore(llvm::Value* first_key, IrValues& scores) {
    const bool whole_rows = attention_.rows % tile_.rows() == 0;
    const bool whole_keys = attention_.keys % tile_.keys == 0;
    for (auto [number, score] : llvm::enumerate(scores)) {
      const Place& place = product().sums[number % product().sums.size()];
      const auto fragment = static_cast<int64_t>(number / product().sums.size());
      llvm::Value* row = b_.CreateAdd(lane_row_, b_.getInt64(Wide(place.side)));
      llvm::Value* key =
          b_.CreateAdd(b_.CreateAdd(first_key, lane_column_),
                       b_.getInt64(Wide(fragment * product().columns + place.depth)));
      llvm::Value* key_in_range = key;
      if (!whole_rows) row = AtMost(row, attention_.rows - 1);
      if (!whole_keys) key_in_range = AtMost(key, attention_.keys - 1);
      TENON_ASSIGN_OR_RETURN(score, attention_.score(row, key_in_range, score));
      if (!whole_keys)
        score = b_.CreateSelect(b_.CreateICmpEQ(key, key_in_range), score,
                                Float(-std::numeric_limits<double>::infinity()));
    }
    return OkStatus();
  }

  // The other lanes with this row are those that differ in the column.
  llvm::Value* AcrossRow(llvm::Value* value,
                         llvm::function_ref<llvm::Value*(llvm::Value*, llvm::Value*)> f) {
    for (int distance = 1; distance < FragmentProduct::kDepthLanes; distance *= 2)
      value = f(value, instructions_.exchange(b_, value, distance));
    return value;
  }
  llvm::Value* Max(llvm::Value* x, llvm::Value* y) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, x, y);
  }
  llvm::Value* MultiplyAdd(llvm::Value* x, llvm::Value* y, llvm::Value* z) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
  }
  llvm::Value* IsLowest(llvm::Value* value) {
    return b_.CreateFCmpOEQ(value, Float(-std::numeric_limits<double>::infinity()));
  }

  // Replaces scores by their exponentials. Updates the maxima, and scales what was summed
  // with the earlier ones.
  void AddMaxima(IrValues& scores, Rows& rows) {
    llvm::Value* log2e = Float(std::numbers::log2e);
    for (size_t r = 0; r < kRowsOfLane; ++r) {
      llvm::Value* maximum = rows.maximum[r];
      llvm::Value* block_maximum = nullptr;
      for (size_t i = 0; i < scores.size(); ++i)
        if (RowOf(i) == r)
          block_maximum = block_maximum ? Max(block_maximum, scores[i]) : scores[i];
      block_maximum = AcrossRow(
          block_maximum, [&](llvm::Value* x, llvm::Value* y) { return Max(x, y); });
      llvm::Value* next = Max(maximum, block_maximum);
      llvm::Value* used = b_.CreateSelect(IsLowest(next), Float(0), next);
      llvm::Value* scale =
          instructions_.exp2(b_, b_.CreateFMul(b_.CreateFSub(maximum, used), log2e));
      llvm::Value* sum = b_.CreateFMul(rows.sum[r], scale);
      for (size_t i = 0; i < scores.size(); ++i) {
        if (RowOf(i) != r) continue;
        scores[i] = instructions_.exp2(b_, MultiplyAdd(b_.CreateFSub(scores[i], used),
                                                       log2e, Float(-factor_exponent_)));
        sum = b_.CreateFAdd(sum, scores[i]);
      }
      for (size_t i = 0; i < rows.results.size(); ++i)
        if (RowOf(i) == r) rows.results[i] = b_.CreateFMul(rows.results[i], scale);
      rows.sum[r] = sum;
      rows.maximum[r] = next;
    }
  }

  // Fragments of sums, rounded, as fragments of lhs (see ChainedProduct).
  llvm::SmallVector<LaneValues> AsLhs(llvm::ArrayRef<llvm::Value*> sums) {
    llvm::Type* narrow =
        attention_.operand == ElementType::kBF16 ? b_.getBFloatTy() : b_.getHalfTy();
    const size_t count = product().sums.size();
    llvm::SmallVector<LaneValues> fragments;
    for (int depth = 0; depth < tile_.keys; depth += product().depth) {
      LaneValues registers;
      for (const Place& place : product().lhs) {
        const auto fragment =
            static_cast<size_t>((depth + place.depth) / product().columns);
        size_t first = 0;
        while (product().sums[first].side != place.side) ++first;
        llvm::Value* pair =
            llvm::PoisonValue::get(llvm::FixedVectorType::get(b_.getFloatTy(), 2));
        for (uint64_t i = 0; i < 2; ++i)
          pair = b_.CreateInsertElement(pair, sums[fragment * count + first + i], i);
        pair = b_.CreateFPTrunc(pair, llvm::FixedVectorType::get(narrow, 2));
        registers.push_back(b_.CreateBitCast(pair, b_.getInt32Ty()));
      }
      fragments.push_back(registers);
    }
    return fragments;
  }

  Status Store(const Rows& rows) {
    const bool whole_rows = attention_.rows % tile_.rows() == 0;
    for (size_t r = 0; r < kRowsOfLane; ++r) {
      llvm::Value* row =
          b_.CreateAdd(lane_row_, b_.getInt64(r == 0 ? 0 : Wide(product().rows / 2)));
      llvm::Value* sum = AcrossRow(rows.sum[r], [&](llvm::Value* x, llvm::Value* y) {
        return b_.CreateFAdd(x, y);
      });
      llvm::Value* exists =
          whole_rows ? b_.getTrue()
                     : b_.CreateICmpSLT(row, b_.getInt64(Wide(attention_.rows)));
      TENON_RETURN_IF_ERROR(EmitIfElse(b_, exists, [&] {
        TENON_RETURN_IF_ERROR(StoreRow(row, rows.maximum[r], sum));
        return StoreResults(r, row, rows.results, b_.CreateFDiv(Float(1), sum));
      }));
    }
    return OkStatus();
  }

  Status StoreRow(llvm::Value* row, llvm::Value* maximum, llvm::Value* sum) {
    if (!attention_.store_row) return OkStatus();
    return EmitIfElse(b_, b_.CreateICmpEQ(lane_column_, b_.getInt64(0)), [&] {
      llvm::Value* unscaled = b_.CreateFMul(sum, Float(std::exp2(factor_exponent_)));
      llvm::Value* nan = Float(std::numeric_limits<double>::quiet_NaN());
      return attention_.store_row(row, maximum,
                                  b_.CreateSelect(IsLowest(maximum), nan, unscaled));
    });
  }

  Status StoreResults(size_t r, llvm::Value* row, llvm::ArrayRef<llvm::Value*> results,
                      llvm::Value* factor) {
    const bool whole = attention_.columns % tile_.columns == 0;
    const size_t count = product().sums.size();
    for (size_t i = 0; i < results.size(); i += 2) {
      if (RowOf(i) != r) continue;
      llvm::Value* column = b_.CreateAdd(
          lane_column_,
          b_.getInt64(Wide(static_cast<int64_t>(i / count) * product().columns)));
      llvm::Value* pair[] = {b_.CreateFMul(results[i], factor),
                             b_.CreateFMul(results[i + 1], factor)};
      // Columns are even.
      llvm::Value* exists =
          whole ? b_.getTrue()
                : b_.CreateICmpSLT(column, b_.getInt64(Wide(attention_.columns)));
      TENON_RETURN_IF_ERROR(
          EmitIfElse(b_, exists, [&] { return attention_.store(row, column, pair); }));
    }
    return OkStatus();
  }

  llvm::IRBuilder<>& b_;
  const MatrixAttention& attention_;
  const MatrixInstructions& instructions_;
  const AttentionTile& tile_;
  const MatrixGroup& group_;
  OperandBlock queries_, keys_, values_;
  llvm::SmallVector<LaneValues> query_registers_;
  llvm::Value* first_row_ = nullptr;                          // i64
  llvm::Value *lane_row_ = nullptr, *lane_column_ = nullptr;  // i64
  llvm::Value* subgroup_row_ = nullptr;                       // i32
  int factor_exponent_ = 0;
};

}  // namespace

std::optional<AttentionTile> ChooseAttentionTile(const MatrixAttention& attention,
                                                 const MatrixInstructions& instructions,
                                                 const TileLimits& limits) {
  AttentionTile tile;
  if (!compiler::CanStreamAttention(instructions, attention.operand, attention.depth,
                                    attention.columns))
    return std::nullopt;
  tile.product = compiler::ChainedProduct(instructions, attention.operand);
  tile.depth = Side(attention.depth);
  tile.columns = Side(attention.columns);
  tile.subgroups = kMaxSubgroups;
  while (tile.subgroups > 1 && (tile.subgroups * instructions.lanes > limits.max_items ||
                                tile.rows() / 2 >= attention.rows))
    tile.subgroups /= 2;
  tile.keys = kMaxKeys;
  while (tile.keys > kMinKeys &&
         (tile.local_bytes() > limits.local_bytes || tile.keys / 2 >= attention.keys))
    tile.keys /= 2;
  if (tile.local_bytes() > limits.local_bytes) return std::nullopt;
  return tile;
}

Status EmitMatrixAttention(llvm::IRBuilder<>& b, const MatrixAttention& attention,
                           const MatrixInstructions& instructions,
                           const AttentionTile& tile, const MatrixGroup& group) {
  return AttentionEmitter(b, attention, instructions, tile, group).Emit();
}

}  // namespace tenon::codegen
