#include "tenon/compiler/codegen/grid/tiled_product.h"

#include <algorithm>
#include <bit>

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/grid/multiply_add.h"
#include "tenon/compiler/codegen/point/value_parts.h"

namespace tenon::codegen {
namespace {

constexpr int kSideItems = 16;     // along each side of a tile
constexpr int kMaxPointSide = 64;  // of a tile inside a point
constexpr int kMaxDepth = 16;
constexpr int kUnitBytes = 16;  // the largest access of an item
constexpr int kMinItems = 64;   // of a group, where the tile has as many results
// Tiles are made smaller until there are this many groups.
constexpr int64_t kMinGroups = 128;

int Side(int64_t size, int most) {
  return static_cast<int>(std::min<uint64_t>(
      llvm::PowerOf2Ceil(static_cast<uint64_t>(size)), static_cast<uint64_t>(most)));
}

int Depth(int64_t depth, int most) { return Side(std::max<int64_t>(depth, 1), most); }

// The numbers in local memory between consecutive k. Units along the depth are stored
// across lines, which then begin in different banks.
int LineOf(const ProductTile& tile, int side, bool along_depth, int64_t part_bytes) {
  if (!tile.loads_ahead || !along_depth) return side;
  return side + static_cast<int>(std::max<int64_t>(kUnitBytes / part_bytes, 1));
}

class ProductEmitter {
 public:
  ProductEmitter(GroupBody& body, const TiledProduct& product, const ProductTile& tile)
      : body_(body),
        b_(body.builder()),
        product_(product),
        tile_(tile),
        parts_(compiler::IsComplex(product.type) ? 2 : 1),
        part_type_(compiler::ElementLlvmType(b_.getContext(), product.type)),
        part_bytes_(static_cast<int>(part_type_->getPrimitiveSizeInBits() / 8)) {}

  Status Emit(llvm::Value* group) {
    SetPositions(group);
    SetBlocks();
    const Values zeros(static_cast<size_t>(tile_.item_rows * tile_.item_columns * parts_),
                       llvm::Constant::getNullValue(part_type_));
    if (product_.depth == 0) return StoreResults(zeros);
    TENON_ASSIGN_OR_RETURN(const Values sums,
                           tile_.loads_ahead ? AddAhead(zeros) : AddInTurn(zeros));
    return StoreResults(sums);
  }

 private:
  // A block of an operand in local memory: `line` numbers for each k, of which `side` are
  // elements; then the same for the imaginary parts. There are two of them if blocks are
  // loaded ahead.
  struct Block {
    int side = 0, line = 0;
    int64_t size = 0;              // rows or columns of the operand
    llvm::Value* first = nullptr;  // row or column
    bool along_depth = false;
    int unit = 1;  // elements that an item loads at once, along the depth or the side
    std::function<StatusOr<Values>(llvm::Value* position, llvm::Value* k)> load;
    llvm::Value* memory = nullptr;
  };

  llvm::Value* Number(int64_t number) {
    return b_.getInt64(static_cast<uint64_t>(number));
  }

  void SetPositions(llvm::Value* group) {
    auto split = [&](int64_t count) {
      llvm::Value* part = b_.CreateURem(group, Number(count));
      group = b_.CreateUDiv(group, Number(count));
      return part;
    };
    lhs_.side = tile_.rows;
    rhs_.side = tile_.columns;
    rhs_.first =
        b_.CreateMul(split(CeilDiv(product_.columns, rhs_.side)), Number(rhs_.side));
    lhs_.first =
        b_.CreateMul(split(CeilDiv(product_.rows, lhs_.side)), Number(lhs_.side));
    range_ = RangeOfPart(b_, product_, group);
    batch_ = range_.batch;
    // Items that the tile does not need compute the results of others, and store nothing.
    llvm::Value* item = body_.item();
    if (tile_.items() < body_.items()) {
      is_needed_ = b_.CreateICmpSLT(item, Number(tile_.items()));
      item = b_.CreateURem(item, Number(tile_.items()));
    }
    // Neighbouring items are in rectangles, so that they read few different elements.
    constexpr int kDown = 4, kAcross = 8;
    const int down = tile_.rows / tile_.item_rows;
    const int across = tile_.columns / tile_.item_columns;
    if (down % kDown != 0 || across % kAcross != 0) {
      item_row_ = b_.CreateUDiv(item, Number(across));
      item_column_ = b_.CreateURem(item, Number(across));
      return;
    }
    llvm::Value* inside = b_.CreateURem(item, Number(kDown * kAcross));
    llvm::Value* outside = b_.CreateUDiv(item, Number(kDown * kAcross));
    auto position = [&](llvm::Value* outer, int size, llvm::Value* inner) {
      return b_.CreateAdd(b_.CreateMul(outer, Number(size)), inner);
    };
    item_row_ = position(b_.CreateUDiv(outside, Number(across / kAcross)), kDown,
                         b_.CreateUDiv(inside, Number(kAcross)));
    item_column_ = position(b_.CreateURem(outside, Number(across / kAcross)), kAcross,
                            b_.CreateURem(inside, Number(kAcross)));
  }

  void SetBlocks() {
    lhs_.size = product_.rows;
    lhs_.along_depth = product_.lhs_along_depth;
    lhs_.unit = product_.lhs_unit;
    lhs_.load = [&](llvm::Value* row, llvm::Value* k) -> StatusOr<Values> {
      if (lhs_.unit > 1) return product_.load_lhs_unit(batch_, row, k);
      TENON_ASSIGN_OR_RETURN(const ElementValue value, product_.load_lhs(batch_, row, k));
      return FlattenParts({value});
    };
    rhs_.size = product_.columns;
    rhs_.along_depth = !product_.rhs_along_columns;
    rhs_.unit = product_.rhs_unit;
    rhs_.load = [&](llvm::Value* column, llvm::Value* k) -> StatusOr<Values> {
      if (rhs_.unit > 1) return product_.load_rhs_unit(batch_, k, column);
      TENON_ASSIGN_OR_RETURN(const ElementValue value,
                             product_.load_rhs(batch_, k, column));
      return FlattenParts({value});
    };
    int number = 0;
    for (Block* block : {&lhs_, &rhs_}) {
      if ((block->along_depth ? tile_.depth : block->side) % block->unit != 0)
        block->unit = 1;
      block->line = LineOf(tile_, block->side, block->along_depth, part_bytes_);
      block->memory =
          body_.local().Shared(number++, BlockNumbers(*block) * part_bytes_ * Stages());
    }
  }

  int Stages() const { return tile_.loads_ahead ? 2 : 1; }
  int64_t BlockNumbers(const Block& block) const {
    return int64_t{block.line} * tile_.depth * parts_;
  }
  // Part `part` of element (k, position) of a block.
  llvm::Value* Address(const Block& block, llvm::Value* memory, llvm::Value* k,
                       llvm::Value* position, int part) {
    llvm::Value* offset = b_.CreateAdd(b_.CreateMul(k, Number(block.line)), position);
    offset = b_.CreateAdd(offset, Number(int64_t{part} * block.line * tile_.depth));
    return b_.CreateGEP(part_type_, memory, offset);
  }

  // One block of each operand at a time.
  StatusOr<Values> AddInTurn(llvm::ArrayRef<llvm::Value*> zeros) {
    Status status;
    const Values sums = EmitForLoop(
        b_, range_.begin, range_.end, tile_.depth, zeros,
        [&](llvm::Value* k, llvm::ArrayRef<llvm::Value*> carried) {
          for (const Block* block : {&lhs_, &rhs_})
            EmitForLoop(b_, body_.item(), Number(Units(*block)), body_.items(), {},
                        [&](llvm::Value* unit, auto) {
                          auto values = LoadUnit(*block, unit, k);
                          if (values.ok())
                            StoreUnit(*block, block->memory, unit, *values);
                          else
                            status = values.status();
                          return Values();
                        });
          body_.Barrier();
          Values next = EmitForLoop(
              b_, Number(0), Number(tile_.depth), 1, carried,
              [&](llvm::Value* in_block, llvm::ArrayRef<llvm::Value*> values) {
                Values results(values);
                AddProducts(lhs_.memory, rhs_.memory, in_block, results);
                return results;
              });
          body_.Barrier();
          return next;
        });
    TENON_RETURN_IF_ERROR(status);
    return sums;
  }

  // Items load the next blocks into registers, multiply, and store what they have loaded
  // to the other blocks in local memory.
  StatusOr<Values> AddAhead(llvm::ArrayRef<llvm::Value*> zeros) {
    TENON_ASSIGN_OR_RETURN(const LoadedUnits loaded, LoadBlocks(range_.begin));
    StoreBlocks(loaded, Number(0));
    body_.Barrier();
    auto multiply = [&](llvm::Value* stage, Values& sums) {
      for (int k = 0; k < tile_.depth; ++k)
        AddProducts(StageOf(lhs_, stage), StageOf(rhs_, stage), Number(k), sums);
    };
    Values carried(zeros);
    carried.push_back(Number(0));
    Status status;
    carried = EmitForLoop(b_, b_.CreateAdd(range_.begin, Number(tile_.depth)), range_.end,
                          tile_.depth, carried,
                          [&](llvm::Value* k, llvm::ArrayRef<llvm::Value*> values) {
                            Values sums(values);
                            llvm::Value* stage = sums.pop_back_val();
                            auto next = LoadBlocks(k);
                            if (!next.ok()) {
                              status = next.status();
                              return Values(values);
                            }
                            multiply(stage, sums);
                            llvm::Value* other = b_.CreateSub(Number(1), stage);
                            StoreBlocks(*next, other);
                            body_.Barrier();
                            sums.push_back(other);
                            return sums;
                          });
    TENON_RETURN_IF_ERROR(status);
    llvm::Value* stage = carried.pop_back_val();
    multiply(stage, carried);
    return carried;
  }

  llvm::Value* StageOf(const Block& block, llvm::Value* stage) {
    return b_.CreateGEP(part_type_, block.memory,
                        b_.CreateMul(stage, Number(BlockNumbers(block))));
  }

  // What an item has loaded of both blocks: the units and their values.
  struct Loaded {
    const Block* block;
    llvm::Value* unit;
    Values values;
  };
  using LoadedUnits = llvm::SmallVector<Loaded, 8>;

  int Units(const Block& block) const { return block.side * tile_.depth / block.unit; }

  // Where a unit begins in its block.
  std::pair<llvm::Value*, llvm::Value*> PositionAndDepth(const Block& block,
                                                         llvm::Value* unit) {
    llvm::Value* inner =
        Number((block.along_depth ? tile_.depth : block.side) / block.unit);
    llvm::Value* fast = b_.CreateMul(b_.CreateURem(unit, inner), Number(block.unit));
    llvm::Value* slow = b_.CreateUDiv(unit, inner);
    if (block.along_depth) return {slow, fast};
    return {fast, slow};
  }

  // Items read neighbouring units. Beyond the last row or column, the last one is loaded
  // again, for results that are not stored; beyond the last k there are zeros.
  StatusOr<Values> LoadUnit(const Block& block, llvm::Value* unit, llvm::Value* k) {
    auto [position, depth] = PositionAndDepth(block, unit);
    llvm::Value* index = b_.CreateAdd(block.first, position);
    if (block.size % block.side != 0)
      index = Min(index, block.size - (block.along_depth ? 1 : block.unit));
    llvm::Value* all_k = b_.CreateAdd(k, depth);
    llvm::Value* exists = nullptr;
    if (product_.depth % tile_.depth != 0) {
      exists = b_.CreateICmpSLT(all_k, Number(product_.depth));
      all_k = Min(all_k, product_.depth - (block.along_depth ? block.unit : 1));
    }
    TENON_ASSIGN_OR_RETURN(Values values, block.load(index, all_k));
    if (exists)
      for (llvm::Value*& value : values)
        value = b_.CreateSelect(exists, value, llvm::Constant::getNullValue(part_type_));
    return values;
  }

  void StoreUnit(const Block& block, llvm::Value* memory, llvm::Value* unit,
                 llvm::ArrayRef<llvm::Value*> values) {
    auto [position, depth] = PositionAndDepth(block, unit);
    for (int part = 0; part < parts_; ++part) {
      Values numbers;
      for (int i = 0; i < block.unit; ++i)
        numbers.push_back(values[static_cast<size_t>(i * parts_ + part)]);
      if (block.along_depth) {
        for (auto [i, number] : llvm::enumerate(numbers))
          b_.CreateStore(number,
                         Address(block, memory, b_.CreateAdd(depth, b_.getInt64(i)),
                                 position, part));
        continue;
      }
      llvm::Value* vector = numbers[0];
      if (block.unit > 1) {
        vector = llvm::PoisonValue::get(
            llvm::FixedVectorType::get(part_type_, static_cast<unsigned>(block.unit)));
        for (auto [i, number] : llvm::enumerate(numbers))
          vector = b_.CreateInsertElement(vector, number, i);
      }
      b_.CreateAlignedStore(vector, Address(block, memory, depth, position, part),
                            AlignmentOf(block.unit));
    }
  }

  StatusOr<LoadedUnits> LoadBlocks(llvm::Value* k) {
    LoadedUnits loaded;
    for (const Block* block : {&lhs_, &rhs_}) {
      const int units = Units(*block);
      for (int first = 0; first < units; first += body_.items()) {
        llvm::Value* unit = b_.CreateAdd(body_.item(), Number(first));
        if (units - first < body_.items()) unit = Min(unit, units - 1);
        TENON_ASSIGN_OR_RETURN(Values values, LoadUnit(*block, unit, k));
        loaded.push_back({block, unit, std::move(values)});
      }
    }
    return loaded;
  }

  // Items beyond the last unit have loaded it, too, and store the same values.
  void StoreBlocks(const LoadedUnits& loaded, llvm::Value* stage) {
    for (const Loaded& unit : loaded)
      StoreUnit(*unit.block, StageOf(*unit.block, stage), unit.unit, unit.values);
  }

  llvm::Value* Min(llvm::Value* x, int64_t limit) {
    return b_.CreateSelect(b_.CreateICmpSLT(x, Number(limit)), x, Number(limit));
  }
  llvm::Align AlignmentOf(int numbers) const {
    return llvm::Align(static_cast<uint64_t>(numbers * part_bytes_));
  }

  // The rows, or columns, of an item are in chunks that it reads at once. Chunks are as
  // far apart as all items take, so that neighbouring items read neighbouring chunks.
  int Chunk(int item_side) const {
    return std::clamp(kUnitBytes / part_bytes_, 1, item_side);
  }
  llvm::Value* InTile(llvm::Value* item, int side, int item_side, int number) {
    const int chunk = Chunk(item_side);
    return b_.CreateAdd(
        b_.CreateMul(item, Number(chunk)),
        Number(int64_t{number / chunk} * (side / item_side * chunk) + number % chunk));
  }
  llvm::Value* RowInTile(int number) {
    return InTile(item_row_, tile_.rows, tile_.item_rows, number);
  }
  llvm::Value* ColumnInTile(int number) {
    return InTile(item_column_, tile_.columns, tile_.item_columns, number);
  }

  // Adds the products of line k of two blocks to an item's sums.
  void AddProducts(llvm::Value* lhs_memory, llvm::Value* rhs_memory, llvm::Value* k,
                   llvm::MutableArrayRef<llvm::Value*> sums) {
    // Part after part of each element.
    auto load = [&](const Block& block, llvm::Value* memory, int item_side,
                    auto position) {
      const int chunk = Chunk(item_side);
      Values values(static_cast<size_t>(item_side * parts_));
      for (int first = 0; first < item_side; first += chunk) {
        for (int part = 0; part < parts_; ++part) {
          llvm::Type* type = part_type_;
          if (chunk > 1)
            type = llvm::FixedVectorType::get(type, static_cast<unsigned>(chunk));
          llvm::Value* loaded = b_.CreateAlignedLoad(
              type, Address(block, memory, k, position(first), part), AlignmentOf(chunk));
          for (int i = 0; i < chunk; ++i)
            values[static_cast<size_t>((first + i) * parts_ + part)] =
                chunk > 1 ? b_.CreateExtractElement(loaded, static_cast<uint64_t>(i))
                          : loaded;
        }
      }
      return values;
    };
    const Values lhs = load(lhs_, lhs_memory, tile_.item_rows,
                            [&](int number) { return RowInTile(number); });
    const Values rhs = load(rhs_, rhs_memory, tile_.item_columns,
                            [&](int number) { return ColumnInTile(number); });
    size_t number = 0;
    for (int i = 0; i < tile_.item_rows; ++i) {
      for (int j = 0; j < tile_.item_columns; ++j) {
        const auto parts = static_cast<size_t>(parts_);
        AddProduct(b_, llvm::ArrayRef(lhs).slice(static_cast<size_t>(i) * parts, parts),
                   llvm::ArrayRef(rhs).slice(static_cast<size_t>(j) * parts, parts),
                   sums.slice(number, parts));
        number += parts;
      }
    }
  }

  // Results of a chunk of columns are stored as a vector, if they all exist.
  Status StoreResults(llvm::ArrayRef<llvm::Value*> sums) {
    const int chunk = Chunk(tile_.item_columns);
    const bool in_vectors = tile_.loads_ahead && product_.stores_vectors && parts_ == 1 &&
                            chunk > 1 && product_.columns % chunk == 0;
    const int together = in_vectors ? chunk : 1;
    size_t number = 0;
    Status status;
    for (int i = 0; i < tile_.item_rows; ++i) {
      for (int j = 0; j < tile_.item_columns; j += together) {
        llvm::Value* row = b_.CreateAdd(lhs_.first, RowInTile(i));
        llvm::Value* column = b_.CreateAdd(rhs_.first, ColumnInTile(j));
        ElementValue sum{product_.type, sums[number], nullptr};
        if (parts_ == 2) sum.im = sums[number + 1];
        if (in_vectors) {
          sum.re = llvm::PoisonValue::get(
              llvm::FixedVectorType::get(part_type_, static_cast<unsigned>(chunk)));
          for (int lane = 0; lane < chunk; ++lane)
            sum.re =
                b_.CreateInsertElement(sum.re, sums[number + static_cast<size_t>(lane)],
                                       static_cast<uint64_t>(lane));
        }
        number += static_cast<size_t>(together * parts_);
        auto store = [&] {
          if (status.ok())
            status = body_.InItem(
                [&] { return product_.store(range_.stored_batch, row, column, sum); });
        };
        llvm::Value* exists = is_needed_ ? is_needed_ : b_.getTrue();
        if (product_.rows % tile_.rows != 0 || product_.columns % tile_.columns != 0)
          exists = b_.CreateAnd(
              exists, b_.CreateAnd(b_.CreateICmpSLT(row, Number(product_.rows)),
                                   b_.CreateICmpSLT(column, Number(product_.columns))));
        if (llvm::isa<llvm::Constant>(exists))
          store();
        else
          EmitIf(b_, exists, store);
      }
    }
    return status;
  }

  GroupBody& body_;
  llvm::IRBuilderBase& b_;
  const TiledProduct& product_;
  const ProductTile& tile_;
  const int parts_;  // of an element: 2 if complex
  llvm::Type* const part_type_;
  const int part_bytes_;
  Block lhs_, rhs_;
  PartRange range_;
  llvm::Value* batch_ = nullptr;
  llvm::Value *item_row_ = nullptr, *item_column_ = nullptr;
  llvm::Value* is_needed_ = nullptr;  // whether the item has results; null: all have
};

}  // namespace

PartRange RangeOfPart(llvm::IRBuilderBase& b, const TiledProduct& product,
                      llvm::Value* number) {
  auto constant = [&](int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); };
  if (product.parts == 1) return {number, number, constant(0), constant(product.depth)};
  PartRange range;
  range.stored_batch = number;
  range.batch = b.CreateUDiv(number, constant(product.parts));
  range.begin = b.CreateMul(b.CreateURem(number, constant(product.parts)),
                            constant(product.part_depth));
  range.end = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::smin, b.CreateAdd(range.begin, constant(product.part_depth)),
      constant(product.depth));
  return range;
}

llvm::Value* AddressOfPart(llvm::IRBuilderBase& b, const TiledProduct& product,
                           llvm::Value* memory, llvm::Value* stored_batch,
                           llvm::Value* row, llvm::Value* column, int part) {
  auto constant = [&](int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); };
  llvm::Value* at = b.CreateAdd(b.CreateMul(stored_batch, constant(product.rows)), row);
  at = b.CreateAdd(b.CreateMul(at, constant(product.columns)), column);
  if (compiler::IsComplex(product.type))
    at = b.CreateAdd(b.CreateMul(at, constant(2)), constant(part));
  return b.CreateGEP(compiler::ElementLlvmType(b.getContext(), product.type), memory, at);
}

namespace {

// The largest part of a tile that an item has.
struct ItemSides {
  int rows = 1, columns = 1;
};
ItemSides MaxItemSides(const TiledProduct& product,
                       const compiler::DeviceTarget& device) {
  // Of an item, if the sums have 32 bits or less.
  const int words = static_cast<int>((ElementBytes(product.type) + 3) / 4);
  const int sums = std::max<int>(device.item_sums / words, 1);
  const int columns = 1 << (llvm::Log2_32(static_cast<uint32_t>(sums)) / 2);
  return {sums / columns, columns};
}

// The tile of these sides.
ProductTile TileOf(int rows, int columns, const TiledProduct& product,
                   const compiler::DeviceTarget& device) {
  const int64_t bytes = ElementBytes(product.type);
  const ItemSides most_of_item = MaxItemSides(product, device);
  ProductTile tile;
  tile.loads_ahead = true;
  tile.rows = rows;
  tile.columns = columns;
  tile.item_rows = std::clamp(tile.rows / kSideItems, 1, most_of_item.rows);
  tile.item_columns = std::clamp(tile.columns / kSideItems, 1, most_of_item.columns);
  while (tile.items() < kMinItems && tile.item_rows * tile.item_columns > 1)
    (tile.item_rows >= tile.item_columns ? tile.item_rows : tile.item_columns) /= 2;
  while (tile.items() > device.max_group_items)
    (tile.item_rows <= tile.item_columns ? tile.item_rows : tile.item_columns) *= 2;
  // An item keeps about as many elements in registers until they are stored.
  constexpr int kItemElements = 8;
  const int most =
      std::clamp(static_cast<int>(std::bit_floor(static_cast<uint32_t>(
                     kItemElements * tile.items() / (tile.rows + tile.columns)))),
                 1, kMaxDepth);
  tile.depth = Depth(product.depth, most);
  auto fits = [&] {
    const int64_t part_bytes = compiler::IsComplex(product.type) ? bytes / 2 : bytes;
    const int64_t lines = LineOf(tile, tile.rows, true, part_bytes) +
                          LineOf(tile, tile.columns, true, part_bytes);
    return 2 * lines * tile.depth * bytes <= device.local_bytes;
  };
  while (!fits() && tile.depth > 1) tile.depth /= 2;
  return tile;
}

}  // namespace

std::vector<ProductTile> CandidateTiles(const TiledProduct& product,
                                        const compiler::DeviceTarget& device) {
  const ItemSides most_of_item = MaxItemSides(product, device);
  const int max_rows = Side(product.rows, kSideItems * most_of_item.rows);
  const int max_columns = Side(product.columns, kSideItems * most_of_item.columns);
  ProductTile best;
  best.rows = max_rows;
  best.columns = max_columns;
  // Narrower tiles where there would be too few groups.
  while (CountTiles(product, best) < kMinGroups &&
         std::max(best.rows, best.columns) > kSideItems)
    (best.rows >= best.columns ? best.rows : best.columns) /= 2;
  std::vector<ProductTile> tiles = {TileOf(best.rows, best.columns, product, device)};
  const auto is_side = [](int side, int most) {
    return side <= most && side >= std::min(most, kSideItems);
  };
  for (const int rows : {best.rows / 2, best.rows, best.rows * 2}) {
    for (const int columns : {best.columns / 2, best.columns, best.columns * 2}) {
      if (is_side(rows, max_rows) && is_side(columns, max_columns) &&
          (rows != best.rows || columns != best.columns))
        tiles.push_back(TileOf(rows, columns, product, device));
    }
  }
  return tiles;
}

ProductTile ChooseTileOfGroup(const TiledProduct& product, int items) {
  ProductTile tile;
  tile.rows = Side(product.rows, kMaxPointSide);
  tile.columns = Side(product.columns, kMaxPointSide);
  tile.depth = Depth(product.depth, kMaxDepth);
  while (tile.items() > items)
    (tile.item_rows < tile.rows &&
             (tile.item_rows <= tile.item_columns || tile.item_columns == tile.columns)
         ? tile.item_rows
         : tile.item_columns) *= 2;
  return tile;
}

int64_t CountTiles(const TiledProduct& product, const ProductTile& tile) {
  return product.batch * product.parts * CeilDiv(product.rows, tile.rows) *
         CeilDiv(product.columns, tile.columns);
}

Status EmitTiledProduct(GroupBody& body, const TiledProduct& product,
                        const ProductTile& tile, llvm::Value* group) {
  return ProductEmitter(body, product, tile).Emit(group);
}

Status EmitProductInPoint(GroupBody& body, const TiledProduct& product) {
  llvm::IRBuilderBase& b = body.builder();
  const ProductTile tile = ChooseTileOfGroup(product, body.items());
  Status status;
  EmitForLoop(b, b.getInt64(0),
              b.getInt64(static_cast<uint64_t>(CountTiles(product, tile))), 1, {},
              [&](llvm::Value* number, auto) {
                status = EmitTiledProduct(body, product, tile, number);
                return Values();
              });
  return status;
}

}  // namespace tenon::codegen
