#include "tenon/compiler/codegen/matrix/operand_block.h"

#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/codegen/ir/loops.h"

namespace tenon::codegen {
namespace {

using compiler::LaneValues;
using Place = FragmentProduct::Place;

constexpr int kUnit = MatrixInstructions::kCopyBytes;
constexpr int kMaxRowBytes = 128;  // all banks once

// Elements as integers; f64 stays a float, because its registers are.
llvm::Type* StorageType(llvm::IRBuilderBase& b, ElementType type) {
  const int bits = ElementBits(type);
  return bits == 64 ? b.getDoubleTy()
                    : static_cast<llvm::Type*>(b.getIntNTy(static_cast<unsigned>(bits)));
}

}  // namespace

OperandBlock::OperandBlock(llvm::IRBuilder<>& b, const MatrixOperand& operand,
                           const MatrixInstructions& instructions, ElementType type,
                           int sides, int depth, int64_t size, int64_t total_depth)
    : b_(b),
      operand_(operand),
      instructions_(instructions),
      element_bytes_(static_cast<int>(ElementBytes(type))),
      sides_(sides),
      depth_(depth),
      size_(size),
      total_depth_(total_depth),
      along_depth_(operand.along_depth()),
      type_(StorageType(b, type)) {
  const int all_bytes = (along_depth_ ? depth : sides) * element_bytes_;
  rows_ = along_depth_ ? sides : depth;
  row_bytes_ = std::min(all_bytes, kMaxRowBytes);
  row_elements_ = row_bytes_ / element_bytes_;
  slabs_ = all_bytes / row_bytes_;
}

void OperandBlock::SetItem(llvm::Value* item, llvm::Value* lane, int items) {
  item_ = item;
  lane_ = lane;
  items_ = items;
}

llvm::Value* OperandBlock::Address(llvm::Value* local, llvm::Value* row,
                                   llvm::Value* byte) {
  const int units = row_bytes_ / kUnit;
  // Rows of less than 128 bytes share banks with the next ones.
  const int sharing = kMaxRowBytes / row_bytes_;
  llvm::Value* pattern =
      b_.CreateAnd(b_.CreateUDiv(row, Number(sharing)), Number(units - 1));
  llvm::Value* in_row = b_.CreateAnd(byte, Number(row_bytes_ - 1));
  llvm::Value* offset = b_.CreateXor(in_row, b_.CreateMul(pattern, Number(kUnit)));
  offset = b_.CreateAdd(offset, b_.CreateMul(row, Number(row_bytes_)));
  if (slabs_ > 1)
    offset = b_.CreateAdd(offset, b_.CreateMul(b_.CreateUDiv(byte, Number(row_bytes_)),
                                               Number(slab_bytes())));
  return b_.CreateInBoundsGEP(b_.getInt8Ty(), local, offset);
}

Status OperandBlock::Fill(llvm::Value* local, llvm::Value* first_side,
                          llvm::Value* first_depth) {
  return operand_.load ? FillByLoads(local, first_side, first_depth)
                       : FillByCopies(local, first_side, first_depth);
}

// Each item copies every items_-th unit: in every few rows the same part of the row, or
// several parts of every row.
Status OperandBlock::FillByCopies(llvm::Value* local, llvm::Value* first_side,
                                  llvm::Value* first_depth) {
  const int row_units = slabs_ * row_bytes_ / kUnit;
  const int units = rows_ * row_units;
  const int unit_elements = kUnit / element_bytes_;
  const int64_t stride = along_depth_ ? operand_.side_stride : operand_.depth_stride;
  const int64_t row_count = along_depth_ ? size_ : total_depth_;
  const int64_t row_length = along_depth_ ? total_depth_ : size_;
  const bool whole =
      row_count % rows_ == 0 && row_length % (row_units * unit_elements) == 0;
  llvm::Value* row = b_.CreateUDiv(item_, Number(row_units));
  llvm::Value* in_row = b_.CreateAnd(item_, Number(row_units - 1));
  llvm::Value* from_row = b_.CreateAdd(along_depth_ ? first_side : first_depth,
                                       b_.CreateZExt(row, b_.getInt64Ty()));
  llvm::Value* from = b_.CreateAdd(
      along_depth_ ? first_depth : first_side,
      b_.CreateZExt(b_.CreateMul(in_row, Number(unit_elements)), b_.getInt64Ty()));
  llvm::Value* pointer = b_.CreateGEP(
      type_, operand_.pointer,
      b_.CreateAdd(b_.CreateMul(from_row, b_.getInt64(static_cast<uint64_t>(stride))),
                   from));
  for (int first = 0; first < units; first += items_) {
    const int rows_on = first / row_units, units_on = first % row_units;
    llvm::Value* to =
        Address(local, b_.CreateAdd(row, Number(rows_on)),
                b_.CreateMul(b_.CreateAdd(in_row, Number(units_on)), Number(kUnit)));
    llvm::Value *source = nullptr, *exists = nullptr;
    if (operand_.place) {
      llvm::Value* at_row = b_.CreateAdd(from_row, Wide(rows_on));
      llvm::Value* at = b_.CreateAdd(from, Wide(units_on * unit_elements));
      const MatrixOperand::UnitPlace place =
          along_depth_ ? operand_.place(at_row, at) : operand_.place(at, at_row);
      source = b_.CreateGEP(type_, operand_.pointer, place.offset);
      exists = place.exists;
    } else {
      source = b_.CreateConstGEP1_64(
          type_, pointer,
          static_cast<uint64_t>(rows_on * stride + units_on * unit_elements));
    }
    llvm::Value* bytes = Number(kUnit);
    if (!whole) {
      // What is left of the row; nothing beyond the last row.
      llvm::Value* left = b_.CreateSub(Wide(row_length - units_on * unit_elements), from);
      left = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, Wide(unit_elements));
      bytes = b_.CreateMul(b_.CreateTrunc(left, b_.getInt32Ty()), Number(element_bytes_));
      llvm::Value* inside =
          b_.CreateAnd(b_.CreateICmpSLT(from_row, Wide(row_count - rows_on)),
                       b_.CreateICmpSGT(left, Wide(0)));
      exists = exists ? b_.CreateAnd(exists, inside) : inside;
    }
    if (exists) {
      bytes = b_.CreateSelect(exists, bytes, Number(0));
      source = b_.CreateSelect(exists, source, operand_.pointer);
    }
    auto copy = [&] { instructions_.copy(b_, to, source, bytes); };
    if (units % items_ == 0 || first + items_ <= units)
      copy();
    else
      EmitIf(b_, b_.CreateICmpULT(item_, Number(units - first)), copy);
  }
  return OkStatus();
}

// Each item loads every items_-th element. Several loads are under way at a time: without
// branches, those beyond the operand load its last element and store zero.
Status OperandBlock::FillByLoads(llvm::Value* local, llvm::Value* first_side,
                                 llvm::Value* first_depth) {
  constexpr int kTogether = 4;
  const int length = slabs_ * row_elements_;
  const int elements = rows_ * length;
  int together = kTogether;
  while (together > 1 && elements % (items_ * together) != 0) together /= 2;
  auto number_64 = [&](int64_t value) {
    return b_.getInt64(static_cast<uint64_t>(value));
  };
  Status status;
  // Returns the value of element `number` of the block, and sets where it is stored.
  auto load = [&](llvm::Value* number, llvm::Value*& to) -> llvm::Value* {
    llvm::Value* row = b_.CreateUDiv(number, number_64(length));
    llvm::Value* in_row = b_.CreateAnd(number, number_64(length - 1));
    to = Address(
        local, b_.CreateTrunc(row, b_.getInt32Ty()),
        b_.CreateMul(b_.CreateTrunc(in_row, b_.getInt32Ty()), Number(element_bytes_)));
    llvm::Value* exists = b_.getTrue();
    auto position = [&](llvm::Value* first, llvm::Value* offset, int64_t size,
                        int block) -> llvm::Value* {
      llvm::Value* at = b_.CreateAdd(first, offset);
      if (size % block == 0) return at;
      exists = b_.CreateAnd(exists, b_.CreateICmpSLT(at, number_64(size)));
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, at, number_64(size - 1));
    };
    llvm::Value* side = position(first_side, along_depth_ ? row : in_row, size_, sides_);
    llvm::Value* depth =
        position(first_depth, along_depth_ ? in_row : row, total_depth_, depth_);
    auto value = operand_.load(side, depth);
    if (!value.ok()) {
      status = value.status();
      return nullptr;
    }
    return b_.CreateSelect(exists, b_.CreateBitCast(*value, type_),
                           llvm::Constant::getNullValue(type_));
  };
  EmitForLoop(b_, b_.CreateZExt(item_, b_.getInt64Ty()), number_64(elements),
              int64_t{items_} * together, {}, [&](llvm::Value* first, auto) {
                llvm::SmallVector<std::pair<llvm::Value*, llvm::Value*>> loaded;
                for (int i = 0; i < together && status.ok(); ++i) {
                  llvm::Value* to = nullptr;
                  llvm::Value* value =
                      load(b_.CreateAdd(first, number_64(int64_t{i} * items_)), to);
                  loaded.push_back({value, to});
                }
                if (status.ok())
                  for (auto [value, to] : loaded) b_.CreateStore(value, to);
                return Values();
              });
  return status;
}

// Rows of 16 bytes along the depth are what the instruction distributes. Transposed, it
// does so for pairs of elements of 2 bytes.
bool OperandBlock::LoadsMatrices(const FragmentProduct& product) const {
  if (!instructions_.load_matrices) return false;
  return along_depth_ ? product.packed * element_bytes_ == 4
                      : element_bytes_ == 2 && product.packed == 2;
}

LaneValues OperandBlock::LoadMatrices(llvm::Value* local, llvm::Value* side, int depth,
                                      llvm::ArrayRef<Place> places) {
  // Lane l addresses row l % 8 of the matrix at places[l / 8].
  llvm::Value* row = b_.CreateAnd(lane_, Number(7));
  llvm::Value* matrix = b_.CreateUDiv(lane_, Number(8));
  llvm::Value *place_side = Number(0), *place_depth = Number(0);
  for (size_t bit = 1; bit < places.size(); bit *= 2) {
    llvm::Value* is_set =
        b_.CreateIsNotNull(b_.CreateAnd(matrix, Number(static_cast<int64_t>(bit))));
    auto add = [&](llvm::Value*& sum, int value) {
      if (value != 0)
        sum = b_.CreateAdd(sum, b_.CreateSelect(is_set, Number(value), Number(0)));
    };
    add(place_side, places[bit].side);
    add(place_depth, places[bit].depth);
  }
  llvm::Value* in_side = b_.CreateAdd(side, place_side);
  llvm::Value* in_depth = b_.CreateAdd(Number(depth), place_depth);
  (along_depth_ ? in_side : in_depth) =
      b_.CreateAdd(along_depth_ ? in_side : in_depth, row);
  llvm::Value* address =
      Address(local, along_depth_ ? in_side : in_depth,
              b_.CreateMul(along_depth_ ? in_depth : in_side, Number(element_bytes_)));
  return instructions_.load_matrices(b_, address, static_cast<int>(places.size()),
                                     !along_depth_);
}

llvm::Value* OperandBlock::LoadElements(llvm::Value* local, llvm::Value* side,
                                        llvm::Value* depth, int packed) {
  llvm::Value* reg = nullptr;
  const bool whole = along_depth_ || packed == 1;
  llvm::Type* loaded = whole && packed > 1 ? b_.getInt32Ty() : type_;
  for (int i = 0; i < (whole ? 1 : packed); ++i) {
    llvm::Value* in_depth = b_.CreateAdd(depth, Number(i));
    llvm::Value* address =
        Address(local, along_depth_ ? side : in_depth,
                b_.CreateMul(along_depth_ ? in_depth : side, Number(element_bytes_)));
    llvm::Value* part = b_.CreateLoad(loaded, address);
    if (whole) return part;
    part = b_.CreateShl(b_.CreateZExt(part, b_.getInt32Ty()),
                        Number(8 * element_bytes_ * i));
    reg = reg ? b_.CreateOr(reg, part) : part;
  }
  return reg;
}

LaneValues OperandBlock::Load(llvm::Value* local, llvm::Value* side, int depth,
                              llvm::ArrayRef<Place> places,
                              const FragmentProduct& product, bool in_pairs) {
  LaneValues registers;
  in_pairs &= product.packed == 1;
  if (LoadsMatrices(product) && !in_pairs) {
    constexpr size_t kMaxMatrices = 4;
    for (size_t first = 0; first < places.size(); first += kMaxMatrices) {
      llvm::SmallVector<Place> some(
          places.slice(first, std::min(kMaxMatrices, places.size() - first)));
      const Place start = some[0];
      for (Place& place : some)
        place = {place.side - start.side, place.depth - start.depth};
      registers.append(LoadMatrices(local, b_.CreateAdd(side, Number(start.side)),
                                    depth + start.depth, some));
    }
  } else {
    llvm::Value* lane_side =
        b_.CreateAdd(side, b_.CreateUDiv(lane_, Number(FragmentProduct::kDepthLanes)));
    llvm::Value* lane_depth =
        b_.CreateMul(b_.CreateAnd(lane_, Number(FragmentProduct::kDepthLanes - 1)),
                     Number(in_pairs ? 2 : product.packed));
    for (const Place& place : places) {
      const int place_depth =
          in_pairs ? place.depth / FragmentProduct::kDepthLanes : place.depth;
      registers.push_back(LoadElements(
          local, b_.CreateAdd(lane_side, Number(place.side)),
          b_.CreateAdd(lane_depth, Number(depth + place_depth)), product.packed));
    }
  }
  if (product.round)
    for (llvm::Value*& reg : registers) reg = product.round(b_, reg);
  return registers;
}

}  // namespace tenon::codegen
