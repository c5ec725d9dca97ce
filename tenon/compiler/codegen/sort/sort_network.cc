// Records are stored in rows of one register. Each lane is a column, whose records are
// consecutive in the final order. Comparing whole rows therefore sorts all columns at
// once, without shuffles.
//
// The sort starts with columns of kBlock rows in registers. It merges them to columns of
// twice as many rows (with the second half reversed: a bitonic sequence), then merges
// pairs of columns, pairs of those, and so on. Finally it stores the columns one after
// another. Steps share code where possible, because each shuffle costs compile time.
#include "tenon/compiler/codegen/sort/sort_network.h"

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/ir/shared_function.h"

namespace tenon::codegen {
namespace {

constexpr int kBlock = kNetworkBlock, kBlockBits = kNetworkBlockBits;

}  // namespace

SortNetwork::SortNetwork(llvm::IRBuilderBase& b, const RecordFormat& format,
                         const TargetTraits& target)
    : b_(b),
      record_(llvm::cast<llvm::IntegerType>(format.Type(b.getContext()))),
      lanes_(NetworkLanes(format, target)),
      register_(llvm::FixedVectorType::get(record_, lanes_)),
      record_align_(format.Bytes()),
      register_align_(target.vector_bits / 8) {}

llvm::Value* SortNetwork::RowAddress(llvm::Value* base, llvm::Value* row) {
  return b_.CreateInBoundsGEP(register_, base, row);
}
llvm::Value* SortNetwork::LoadRow(llvm::Value* base, llvm::Value* row) {
  return b_.CreateAlignedLoad(register_, RowAddress(base, row), register_align_);
}
void SortNetwork::StoreRow(llvm::Value* value, llvm::Value* base, llvm::Value* row) {
  b_.CreateAlignedStore(value, RowAddress(base, row), register_align_);
}

void SortNetwork::Exchange(llvm::Value*& x, llvm::Value*& y) {
  llvm::Value* less = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x, y);
  y = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, x, y);
  x = less;
}

llvm::Value* SortNetwork::Swapped(llvm::Value* value, int bits) {
  llvm::SmallVector<int> mask;
  for (int lane = 0; lane < lanes_; ++lane) mask.push_back(lane ^ bits);
  return b_.CreateShuffleVector(value, mask);
}

llvm::Value* SortNetwork::Blend(llvm::Value* without, llvm::Value* with, int bit) {
  llvm::SmallVector<int> mask;
  for (int lane = 0; lane < lanes_; ++lane)
    mask.push_back(lane & bit ? lanes_ + lane : lane);
  return b_.CreateShuffleVector(without, with, mask);
}

void SortNetwork::ForEachBlock(llvm::Value* base, llvm::Value* rows,
                               llvm::function_ref<void(Registers&)> body) {
  EmitForLoop(b_, I64(0), rows, kBlock, {}, [&](llvm::Value* row, auto) {
    llvm::Value* first = RowAddress(base, row);
    Registers block;
    for (int i = 0; i < kBlock; ++i) block.push_back(LoadRow(first, I64(i)));
    body(block);
    for (int i = 0; i < kBlock; ++i) StoreRow(block[i], first, I64(i));
    return Values();
  });
}

// Batcher's odd-even merge sort.
void SortNetwork::SortBlock(Registers& block) {
  for (int size = 1; size < kBlock; size *= 2)
    for (int distance = size; distance >= 1; distance /= 2)
      for (int i = distance % size; i + distance < kBlock; ++i)
        if ((i - distance % size) / distance % 2 == 0 &&
            i / (2 * size) == (i + distance) / (2 * size))
          Exchange(block[i], block[i + distance]);
}

// The first step of merging two halves of `size` rows in all: compares each row with its
// mirror image in the other half.
void SortNetwork::FlipRows(llvm::Value* base, llvm::Value* rows, llvm::Value* size) {
  llvm::Value* last = b_.CreateSub(size, I64(1));
  llvm::Value* outside = b_.CreateNot(b_.CreateLShr(last, 1));
  EmitForLoop(b_, I64(0), b_.CreateLShr(rows, 1), 1, {}, [&](llvm::Value* pair, auto) {
    llvm::Value* row = b_.CreateAdd(pair, b_.CreateAnd(pair, outside));
    llvm::Value* other = b_.CreateXor(row, last);
    llvm::Value *x = LoadRow(base, row), *y = LoadRow(base, other);
    Exchange(x, y);
    StoreRow(x, base, row);
    StoreRow(y, base, other);
    return Values();
  });
}

// The same for halves of `columns` columns in all.
void SortNetwork::FlipLanes(llvm::Value* base, llvm::Value* rows, int columns) {
  EmitForLoop(b_, I64(0), b_.CreateLShr(rows, 1), 1, {}, [&](llvm::Value* row, auto) {
    llvm::Value* other = b_.CreateSub(b_.CreateSub(rows, I64(1)), row);
    llvm::Value* less = LoadRow(base, row);
    llvm::Value* more = Swapped(LoadRow(base, other), columns - 1);
    Exchange(less, more);
    StoreRow(Blend(less, more, columns / 2), base, row);
    StoreRow(Swapped(Blend(more, less, columns / 2), columns - 1), base, other);
    return Values();
  });
}

// A later step of merging: compares columns that are `distance` apart.
void SortNetwork::MergeLanes(llvm::Value* base, llvm::Value* rows, int distance) {
  EmitForLoop(b_, I64(0), rows, 1, {}, [&](llvm::Value* row, auto) {
    llvm::Value* x = LoadRow(base, row);
    llvm::Value* y = Swapped(x, distance);
    Exchange(x, y);
    StoreRow(Blend(x, y, distance), base, row);
    return Values();
  });
}

// The later steps of merging `size` consecutive rows, down to the size of a block. Does
// two steps at a time, and at last a single one if their number is odd.
void SortNetwork::MergeRows(llvm::Value* base, llvm::Value* rows, llvm::Value* size) {
  llvm::Value* left = EmitWhile(
      b_, {b_.CreateLShr(size, 1)},
      [&](llvm::ArrayRef<llvm::Value*> c) {
        return b_.CreateICmpSGE(c[0], I64(2 * kBlock));
      },
      [&](llvm::ArrayRef<llvm::Value*> c) {
        llvm::Value* step = b_.CreateLShr(c[0], 1);
        llvm::Value* outside = b_.CreateNeg(step);
        EmitForLoop(b_, I64(0), b_.CreateLShr(rows, 2), 1, {}, [&](llvm::Value* i, auto) {
          llvm::Value* row =
              b_.CreateAdd(i, b_.CreateMul(b_.CreateAnd(i, outside), I64(3)));
          llvm::Value *indices[4], *value[4];
          for (int k = 0; k < 4; ++k) {
            indices[k] = k == 0 ? row : b_.CreateAdd(indices[k - 1], step);
            value[k] = LoadRow(base, indices[k]);
          }
          Exchange(value[0], value[2]);
          Exchange(value[1], value[3]);
          Exchange(value[0], value[1]);
          Exchange(value[2], value[3]);
          for (int k = 0; k < 4; ++k) StoreRow(value[k], base, indices[k]);
          return Values();
        });
        return Values{b_.CreateLShr(step, 1)};
      })[0];
  EmitIf(b_, b_.CreateICmpEQ(left, I64(kBlock)), [&] {
    EmitForLoop(b_, I64(0), b_.CreateLShr(rows, 1), 1, {}, [&](llvm::Value* i, auto) {
      llvm::Value* row = b_.CreateAdd(i, b_.CreateAnd(i, I64(-kBlock)));
      llvm::Value* other = b_.CreateAdd(row, I64(kBlock));
      llvm::Value *x = LoadRow(base, row), *y = LoadRow(base, other);
      Exchange(x, y);
      StoreRow(x, base, row);
      StoreRow(y, base, other);
      return Values();
    });
  });
}

void SortNetwork::MergeBlock(Registers& block) {
  for (int distance = kBlock / 2; distance >= 1; distance /= 2)
    for (int i = 0; i < kBlock; ++i)
      if (!(i & distance)) Exchange(block[i], block[i + distance]);
}

// Moves the record at from[row][lane] to position lane * rows + row. Each iteration moves
// one bit of this number to the other buffer.
void SortNetwork::LayOutColumns(llvm::Value* from, llvm::Value* to, llvm::Value* rows) {
  llvm::SmallVector<int> even, odd;
  for (int lane = 0; lane < lanes_; ++lane) {
    even.push_back(2 * lane);
    odd.push_back(2 * lane + 1);
  }
  llvm::Value* half = b_.CreateLShr(rows, 1);
  EmitForLoop(b_, I64(0), I64(llvm::Log2_32(lanes_)), 1, {from, to},
              [&](llvm::Value*, llvm::ArrayRef<llvm::Value*> c) {
                EmitForLoop(b_, I64(0), half, 1, {}, [&](llvm::Value* pair, auto) {
                  llvm::Value* first = RowAddress(c[0], b_.CreateShl(pair, 1));
                  llvm::Value *x = LoadRow(first, I64(0)), *y = LoadRow(first, I64(1));
                  StoreRow(b_.CreateShuffleVector(x, y, even), c[1], pair);
                  StoreRow(b_.CreateShuffleVector(x, y, odd), c[1],
                           b_.CreateAdd(pair, half));
                  return Values();
                });
                return Values{c[1], c[0]};
              });
}

void SortNetwork::Call(llvm::StringRef name, llvm::ArrayRef<llvm::Value*> arguments,
                       llvm::function_ref<void(IrValues& parameters)> body) {
  const std::string full_name =
      (name + ".u" + llvm::Twine(record_->getBitWidth()) + "x" + llvm::Twine(lanes_))
          .str();
  (void)CallShared(b_, full_name, arguments, [&](IrValues& parameters) {
    body(parameters);
    return OkStatus();
  });
}

llvm::Value* SortNetwork::Sort(llvm::Value* from, llvm::Value* other,
                               llvm::Value* count) {
  Call("sort_network", {from, other, count},
       [&](IrValues& p) { EmitSort(p[0], p[1], p[2]); });
  return llvm::Log2_32(lanes_) % 2 == 0 ? from : other;
}

void SortNetwork::EmitSort(llvm::Value* from, llvm::Value* other, llvm::Value* count) {
  // Rounds the number of rows up to a power of two and fills the rest with records that
  // come last.
  llvm::Value* last_row = b_.CreateUDiv(b_.CreateSub(count, I64(1)), I64(lanes_));
  llvm::Value* zeros = b_.CreateBinaryIntrinsic(
      llvm::Intrinsic::ctlz, b_.CreateOr(last_row, I64(kBlock - 1)), b_.getFalse());
  llvm::Value* row_bits = b_.CreateSub(I64(64), zeros);
  llvm::Value* rows = b_.CreateShl(I64(1), row_bits);
  EmitForLoop(b_, count, b_.CreateMul(rows, I64(lanes_)), lanes_, {},
              [&](llvm::Value* index, auto) {
                b_.CreateAlignedStore(llvm::Constant::getAllOnesValue(register_),
                                      b_.CreateInBoundsGEP(record_, from, index),
                                      record_align_);
                return Values();
              });
  Call("sort_network.sort", {from, rows}, [&](IrValues& p) {
    ForEachBlock(p[0], p[1], [&](Registers& block) { SortBlock(block); });
  });
  int lane_bits = llvm::Log2_32(lanes_);
  llvm::Value* row_levels = b_.CreateSub(row_bits, I64(kBlockBits));
  EmitForLoop(b_, I64(0), b_.CreateAdd(row_levels, I64(lane_bits)), 1, {},
              [&](llvm::Value* level, auto) {
                llvm::Value* is_rows = b_.CreateICmpSLT(level, row_levels);
                llvm::Value* lane_level = b_.CreateSub(level, row_levels);
                llvm::Value* half = b_.CreateShl(I64(kBlock), level);
                EmitIf(b_, is_rows, [&] { FlipRows(from, rows, b_.CreateShl(half, 1)); });
                for (int bit = 0; bit < lane_bits; ++bit)
                  EmitIf(b_, b_.CreateICmpEQ(lane_level, I64(bit)),
                         [&] { FlipLanes(from, rows, 2 << bit); });
                for (int bit = lane_bits - 2; bit >= 0; --bit)
                  EmitIf(b_, b_.CreateICmpSGT(lane_level, I64(bit)),
                         [&] { MergeLanes(from, rows, 1 << bit); });
                llvm::Value* size = b_.CreateSelect(is_rows, half, rows);
                Call("sort_network.merge", {from, rows, size}, [&](IrValues& p) {
                  MergeRows(p[0], p[1], p[2]);
                  ForEachBlock(p[0], p[1], [&](Registers& block) { MergeBlock(block); });
                });
                return Values();
              });
  LayOutColumns(from, other, rows);
}

void SortNetwork::Copy(llvm::Value* from, llvm::Value* to, llvm::Value* count) {
  llvm::Value* last = b_.CreateSub(count, I64(lanes_));
  EmitForLoop(b_, I64(0), count, lanes_, {}, [&](llvm::Value* index, auto) {
    // The last register may overlap the one before it.
    index = b_.CreateSelect(b_.CreateICmpSLT(index, last), index, last);
    b_.CreateAlignedStore(
        b_.CreateAlignedLoad(register_, b_.CreateInBoundsGEP(record_, from, index),
                             record_align_),
        b_.CreateInBoundsGEP(record_, to, index), record_align_);
    return Values();
  });
}

}  // namespace tenon::codegen
