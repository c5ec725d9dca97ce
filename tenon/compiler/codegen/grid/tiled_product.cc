#include "tenon/compiler/codegen/grid/tiled_product.h"

#include <algorithm>

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/codegen/point/value_parts.h"

namespace tenon::codegen {
namespace {

constexpr int kMaxSide = 64;     // of a tile
constexpr int kMaxItemSide = 4;  // of the results of an item
constexpr int kMaxDepth = 16;
constexpr int kMinItems = 64;  // of a group, where the tile has as many results
// Tiles are made smaller until there are this many groups.
constexpr int64_t kMinGroups = 64;

int Side(int64_t size) {
  return static_cast<int>(
      std::min<uint64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(size)), kMaxSide));
}

int Depth(int64_t depth) {
  return static_cast<int>(std::clamp<uint64_t>(
      llvm::PowerOf2Ceil(static_cast<uint64_t>(std::max<int64_t>(depth, 1))), 1,
      kMaxDepth));
}

int64_t CeilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }

class ProductEmitter {
 public:
  ProductEmitter(GroupBody& body, const TiledProduct& product, const ProductTile& tile)
      : body_(body),
        b_(body.builder()),
        product_(product),
        tile_(tile),
        parts_(compiler::IsComplex(product.type) ? 2 : 1),
        part_type_(compiler::ElementLlvmType(b_.getContext(), product.type)) {}

  Status Emit(llvm::Value* group) {
    const int64_t tile_columns = CeilDiv(product_.columns, tile_.columns);
    const int64_t tile_rows = CeilDiv(product_.rows, tile_.rows);
    auto split = [&](int64_t count) {
      llvm::Value* part = b_.CreateURem(group, Number(count));
      group = b_.CreateUDiv(group, Number(count));
      return part;
    };
    first_column_ = b_.CreateMul(split(tile_columns), Number(tile_.columns));
    first_row_ = b_.CreateMul(split(tile_rows), Number(tile_.rows));
    batch_ = group;
    const int across = tile_.columns / tile_.item_columns;
    // Items that the tile does not need compute the results of others, and store nothing.
    llvm::Value* item = body_.item();
    if (tile_.items() < body_.items()) {
      is_needed_ = b_.CreateICmpSLT(item, Number(tile_.items()));
      item = b_.CreateURem(item, Number(tile_.items()));
    }
    item_row_ = b_.CreateUDiv(item, Number(across));
    item_column_ = b_.CreateURem(item, Number(across));
    lhs_block_ = body_.local().Shared(0, BlockBytes(tile_.rows));
    rhs_block_ = body_.local().Shared(1, BlockBytes(tile_.columns));
    const Values sums(static_cast<size_t>(tile_.item_rows * tile_.item_columns * parts_),
                      llvm::Constant::getNullValue(part_type_));
    Status status;
    const Values results =
        EmitForLoop(b_, Number(0), Number(product_.depth), tile_.depth, sums,
                    [&](llvm::Value* k, llvm::ArrayRef<llvm::Value*> carried) {
                      if (status.ok()) status = CopyBlocks(k);
                      body_.Barrier();
                      Values next = AddProducts(carried);
                      body_.Barrier();
                      return next;
                    });
    TENON_RETURN_IF_ERROR(status);
    return StoreResults(results);
  }

 private:
  llvm::Value* Number(int64_t number) {
    return b_.getInt64(static_cast<uint64_t>(number));
  }
  int64_t BlockBytes(int side) const {
    const auto bits = static_cast<int64_t>(part_type_->getPrimitiveSizeInBits());
    return int64_t{side} * tile_.depth * parts_ * bits / 8;
  }
  // Part `part` of element (k, position) of a block with `side` elements for each k.
  llvm::Value* Address(llvm::Value* block, int side, llvm::Value* k,
                       llvm::Value* position, int part) {
    llvm::Value* offset = b_.CreateAdd(b_.CreateMul(k, Number(side)), position);
    offset = b_.CreateAdd(offset, Number(int64_t{part} * side * tile_.depth));
    return b_.CreateGEP(part_type_, block, offset);
  }

  Status CopyBlocks(llvm::Value* k) {
    auto lhs = [&](llvm::Value* row, llvm::Value* depth) {
      return product_.load_lhs(batch_, row, depth);
    };
    auto rhs = [&](llvm::Value* column, llvm::Value* depth) {
      return product_.load_rhs(batch_, depth, column);
    };
    TENON_RETURN_IF_ERROR(CopyBlock(lhs_block_, tile_.rows, product_.rows, first_row_, k,
                                    product_.lhs_along_depth, lhs));
    return CopyBlock(rhs_block_, tile_.columns, product_.columns, first_column_, k,
                     !product_.rhs_along_columns, rhs);
  }

  // Copies a block of `side` rows or columns of an operand, from `first` of `size` on.
  // Items read neighbouring elements. Beyond the last row or column, the last one is
  // copied again, for results that are not stored; beyond the last k there are zeros.
  template <typename LoadElement>
  Status CopyBlock(llvm::Value* block, int side, int64_t size, llvm::Value* first,
                   llvm::Value* k, bool along_depth, LoadElement load) {
    const int64_t elements = int64_t{side} * tile_.depth;
    Status status;
    EmitForLoop(b_, body_.item(), Number(elements), body_.items(), {},
                [&](llvm::Value* element, auto) {
                  llvm::Value* inner = Number(along_depth ? tile_.depth : side);
                  llvm::Value* fast = b_.CreateURem(element, inner);
                  llvm::Value* slow = b_.CreateUDiv(element, inner);
                  llvm::Value *depth = along_depth ? fast : slow,
                              *position = along_depth ? slow : fast;
                  llvm::Value* index = b_.CreateAdd(first, position);
                  if (size % side != 0) index = Min(index, size - 1);
                  llvm::Value* all_k = b_.CreateAdd(k, depth);
                  llvm::Value* exists = nullptr;
                  if (product_.depth % tile_.depth != 0) {
                    exists = b_.CreateICmpSLT(all_k, Number(product_.depth));
                    all_k = Min(all_k, product_.depth - 1);
                  }
                  auto value = load(index, all_k);
                  if (!value.ok()) {
                    status = value.status();
                    return Values();
                  }
                  const Values parts = FlattenParts({*value});
                  for (auto [part, number] : llvm::enumerate(parts)) {
                    llvm::Value* stored = number;
                    if (exists)
                      stored = b_.CreateSelect(exists, number,
                                               llvm::Constant::getNullValue(part_type_));
                    b_.CreateStore(stored, Address(block, side, depth, position,
                                                   static_cast<int>(part)));
                  }
                  return Values();
                });
    return status;
  }

  llvm::Value* Min(llvm::Value* x, int64_t limit) {
    return b_.CreateSelect(b_.CreateICmpSLT(x, Number(limit)), x, Number(limit));
  }

  // The rows and columns of an item are as far apart as there are items along the tile,
  // so that neighbouring items read and store neighbouring elements.
  llvm::Value* RowInTile(int number) {
    return b_.CreateAdd(item_row_,
                        Number(int64_t{number} * (tile_.rows / tile_.item_rows)));
  }
  llvm::Value* ColumnInTile(int number) {
    return b_.CreateAdd(item_column_,
                        Number(int64_t{number} * (tile_.columns / tile_.item_columns)));
  }

  // Adds the products of the blocks to an item's sums.
  Values AddProducts(llvm::ArrayRef<llvm::Value*> sums) {
    return EmitForLoop(b_, Number(0), Number(tile_.depth), 1, sums,
                       [&](llvm::Value* k, llvm::ArrayRef<llvm::Value*> carried) {
                         Values lhs, rhs, next(carried);
                         auto load = [&](llvm::Value* block, int side,
                                         llvm::Value* position, Values& values) {
                           for (int part = 0; part < parts_; ++part)
                             values.push_back(b_.CreateLoad(
                                 part_type_, Address(block, side, k, position, part)));
                         };
                         for (int i = 0; i < tile_.item_rows; ++i)
                           load(lhs_block_, tile_.rows, RowInTile(i), lhs);
                         for (int j = 0; j < tile_.item_columns; ++j)
                           load(rhs_block_, tile_.columns, ColumnInTile(j), rhs);
                         size_t number = 0;
                         for (int i = 0; i < tile_.item_rows; ++i)
                           for (int j = 0; j < tile_.item_columns; ++j) {
                             AddProduct(&lhs[static_cast<size_t>(i * parts_)],
                                        &rhs[static_cast<size_t>(j * parts_)],
                                        &next[number]);
                             number += static_cast<size_t>(parts_);
                           }
                         return next;
                       });
  }

  void AddProduct(llvm::Value* const* x, llvm::Value* const* y, llvm::Value** sum) {
    sum[0] = MultiplyAdd(x[0], y[0], sum[0]);
    if (parts_ == 1) return;
    sum[0] = MultiplyAdd(b_.CreateFNeg(x[1]), y[1], sum[0]);
    sum[1] = MultiplyAdd(x[0], y[1], sum[1]);
    sum[1] = MultiplyAdd(x[1], y[0], sum[1]);
  }
  llvm::Value* MultiplyAdd(llvm::Value* x, llvm::Value* y, llvm::Value* sum) {
    if (part_type_->isIntegerTy()) return b_.CreateAdd(b_.CreateMul(x, y), sum);
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {part_type_}, {x, y, sum});
  }

  Status StoreResults(llvm::ArrayRef<llvm::Value*> sums) {
    size_t number = 0;
    Status status;
    for (int i = 0; i < tile_.item_rows; ++i) {
      for (int j = 0; j < tile_.item_columns; ++j) {
        llvm::Value* row = b_.CreateAdd(first_row_, RowInTile(i));
        llvm::Value* column = b_.CreateAdd(first_column_, ColumnInTile(j));
        ElementValue sum{product_.type, sums[number], nullptr};
        if (parts_ == 2) sum.im = sums[number + 1];
        number += static_cast<size_t>(parts_);
        auto store = [&] {
          if (status.ok())
            status =
                body_.InItem([&] { return product_.store(batch_, row, column, sum); });
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
  llvm::Value *batch_ = nullptr, *first_row_ = nullptr, *first_column_ = nullptr;
  llvm::Value *item_row_ = nullptr, *item_column_ = nullptr;
  llvm::Value* is_needed_ = nullptr;  // whether the item has results; null: all have
  llvm::Value *lhs_block_ = nullptr, *rhs_block_ = nullptr;
};

}  // namespace

ProductTile ChooseTile(const TiledProduct& product,
                       const compiler::DeviceTarget& device) {
  ProductTile tile;
  tile.rows = Side(product.rows);
  tile.columns = Side(product.columns);
  // Narrower tiles where there would be too few groups.
  constexpr int kMinSide = 16;
  while (CountTiles(product, tile) < kMinGroups &&
         std::max(tile.rows, tile.columns) > kMinSide)
    (tile.rows >= tile.columns ? tile.rows : tile.columns) /= 2;
  tile.depth = Depth(product.depth);
  tile.item_rows = std::clamp(tile.rows / 16, 1, kMaxItemSide);
  tile.item_columns = std::clamp(tile.columns / 16, 1, kMaxItemSide);
  while (tile.items() < kMinItems && tile.item_rows * tile.item_columns > 1)
    (tile.item_rows >= tile.item_columns ? tile.item_rows : tile.item_columns) /= 2;
  while (tile.items() > device.max_group_items)
    (tile.item_rows <= tile.item_columns ? tile.item_rows : tile.item_columns) *= 2;
  return tile;
}

ProductTile ChooseTileOfGroup(const TiledProduct& product, int items) {
  ProductTile tile;
  tile.rows = Side(product.rows);
  tile.columns = Side(product.columns);
  tile.depth = Depth(product.depth);
  while (tile.items() > items)
    (tile.item_rows < tile.rows &&
             (tile.item_rows <= tile.item_columns || tile.item_columns == tile.columns)
         ? tile.item_rows
         : tile.item_columns) *= 2;
  return tile;
}

int64_t CountTiles(const TiledProduct& product, const ProductTile& tile) {
  return product.batch * CeilDiv(product.rows, tile.rows) *
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
