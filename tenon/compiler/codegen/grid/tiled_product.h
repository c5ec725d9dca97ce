// Matrix products by groups of items: each group computes a tile of the result. It copies
// blocks of both operands to local memory, and each item adds up some results in
// registers. Also the form of convolutions, whose operands are read through the window.
#ifndef TENON_COMPILER_CODEGEN_GRID_TILED_PRODUCT_H_
#define TENON_COMPILER_CODEGEN_GRID_TILED_PRODUCT_H_

#include <functional>
#include <vector>

#include "tenon/compiler/codegen/grid/group_body.h"

namespace tenon::codegen {

// Where an element of an operand is: `offset` elements from the beginning of its view
// (i64). exists (i1): if it is false then the element is zero, and there may be no
// memory; null: it exists.
struct OperandPlace {
  llvm::Value* offset = nullptr;
  llvm::Value* exists = nullptr;
};

// result[batch, row, column] = sum over k of lhs[batch, row, k] rhs[batch, k, column].
struct TiledProduct {
  // Loads an element in the type of the sum. All indices are i64 and in range.
  using Load = std::function<StatusOr<ElementValue>(llvm::Value* batch, llvm::Value* row,
                                                    llvm::Value* column)>;
  // Loads consecutive elements: their parts, element by element.
  using LoadUnit = std::function<StatusOr<Values>(llvm::Value* batch, llvm::Value* row,
                                                  llvm::Value* column)>;
  using Place = std::function<OperandPlace(llvm::Value* batch, llvm::Value* row,
                                           llvm::Value* column)>;
  using Store = std::function<Status(llvm::Value* batch, llvm::Value* row,
                                     llvm::Value* column, const ElementValue& sum)>;

  int64_t batch = 1, rows = 1, columns = 1, depth = 1;
  ElementType type = ElementType::kF32;  // of the sum
  // Whether consecutive elements in memory are along k, or, for rhs, along columns.
  bool lhs_along_depth = true, rhs_along_columns = true;
  Load load_lhs, load_rhs;
  // Operands that can be loaded in units of more than one element, along the dimension
  // that is consecutive in memory: positions along it are multiples of the unit, and so
  // is its size.
  int lhs_unit = 1, rhs_unit = 1;
  LoadUnit load_lhs_unit, load_rhs_unit;
  Place place_lhs, place_rhs;  // of convolutions
  // Elements of so many consecutive batches are consecutive in memory, from a multiple of
  // this batch on, and so are results: depthwise convolutions.
  int batch_unit = 1;
  LoadUnit load_lhs_batches, load_rhs_batches;
  // If there are several parts then the depth is cut into ranges of part_depth, and
  // `store` gets the number batch * parts + part for the batch.
  int64_t parts = 1, part_depth = 0;
  Store store;
  // Whether `store` also takes the sums of consecutive columns, as a vector. `column` is
  // then a multiple of their number.
  bool stores_vectors = false;
};

// Of the sums that a group computes. All are i64.
struct PartRange {
  llvm::Value *batch = nullptr, *stored_batch = nullptr;
  llvm::Value *begin = nullptr, *end = nullptr;  // of the depth
};
// `number` is batch * parts + part.
PartRange RangeOfPart(llvm::IRBuilderBase& b, const TiledProduct& product,
                      llvm::Value* number);
// Where the sums of parts are: the address of number `part` of an element.
llvm::Value* AddressOfPart(llvm::IRBuilderBase& b, const TiledProduct& product,
                           llvm::Value* memory, llvm::Value* stored_batch,
                           llvm::Value* row, llvm::Value* column, int part);

// A tile has rows x columns results, and is computed `depth` products at a time. An item
// has item_rows x item_columns of the results.
struct ProductTile {
  int rows = 1, columns = 1, depth = 1;
  int item_rows = 1, item_columns = 1;
  // Whether the next blocks are loaded into registers while blocks are multiplied.
  bool loads_ahead = false;
  int items() const { return rows / item_rows * (columns / item_columns); }
};

// Selects one of so many candidates, of which number 0 is the cost model's.
using ChooseCandidate = llvm::function_ref<size_t(size_t count)>;

// Tiles for a product: first what the cost model proposes, then tiles of half and twice
// its sides.
std::vector<ProductTile> CandidateTiles(const TiledProduct& product,
                                        const compiler::DeviceTarget& device);
// A tile for a group of `items` items that computes all tiles of a product. There may be
// more items than the tile needs.
ProductTile ChooseTileOfGroup(const TiledProduct& product, int items);
int64_t CountTiles(const TiledProduct& product, const ProductTile& tile);

// Emits the work of group number `group` (i64): one tile. `body` has at least the items
// of the tile.
Status EmitTiledProduct(GroupBody& body, const TiledProduct& product,
                        const ProductTile& tile, llvm::Value* group);
// Emits all tiles of a product inside a point, one after another.
Status EmitProductInPoint(GroupBody& body, const TiledProduct& product);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_TILED_PRODUCT_H_
