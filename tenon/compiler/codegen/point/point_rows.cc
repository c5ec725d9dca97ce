// Accesses to short rows by whole vectors and shuffles instead of single elements. Either
// the lanes of a register span several consecutive rows, or each lane processes a row.
#include <numeric>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/point/point_emitter.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

// Limit of the columns that are loaded or stored at once.
constexpr int64_t kMaxColumns = 16;

std::optional<int64_t> ConstantOf(mlir::Value index) {
  auto op = index.getDefiningOp<mlir::arith::ConstantOp>();
  if (!op) return std::nullopt;
  return llvm::cast<mlir::IntegerAttr>(op.getValue()).getInt();
}

// An access to an element of a row. The last indices of the access are constants, and the
// row consists of all elements that these indices can address.
struct RowAccess {
  llvm::SmallVector<mlir::Value> leading;
  int64_t columns = 1, column = 0;
};

std::optional<RowAccess> AsRowAccess(mlir::Value view, mlir::OperandRange indices) {
  auto type = llvm::cast<mlir::MemRefType>(view.getType());
  auto strides = ir::ViewStrides(type);
  RowAccess access;
  size_t d = indices.size();
  for (; d > 0 && strides[d - 1] == access.columns; --d) {
    auto index = ConstantOf(indices[d - 1]);
    if (!index || access.columns * type.getDimSize(d - 1) > kMaxColumns) break;
    access.column += *index * access.columns;
    access.columns *= type.getDimSize(d - 1);
  }
  if (access.columns < 2 || access.column < 0 || access.column >= access.columns)
    return std::nullopt;
  access.leading.append(indices.begin(), indices.begin() + d);
  return access;
}

// Returns the columns of the row of `access` that are accessed by ops of the same kind in
// the same block.
template <typename Op>
llvm::SmallBitVector ColumnsInBlock(Op op, const RowAccess& access) {
  llvm::SmallBitVector columns(access.columns);
  for (Op other : op->getBlock()->template getOps<Op>()) {
    if (other.getView() != op.getView() || other.getMask()) continue;
    auto same = AsRowAccess(other.getView(), other.getIndices());
    if (same && same->leading == access.leading) columns.set(same->column);
  }
  return columns;
}

// Whether each column of the rows of `store` is stored exactly once, with no load between
// the first and the last of these stores.
bool StoresTogether(ir::StoreOp store, const RowAccess& access) {
  int64_t stores = 0;
  for (mlir::Operation& op : *store->getBlock()) {
    if (auto other = llvm::dyn_cast<ir::StoreOp>(op)) {
      auto same = AsRowAccess(other.getView(), other.getIndices());
      if (other.getView() == store.getView() && !other.getMask() && same &&
          same->leading == access.leading)
        ++stores;
    } else if (stores > 0 && stores < access.columns &&
               (op.getNumRegions() > 0 || llvm::isa<ir::LoadOp>(op))) {
      return false;
    }
  }
  return stores == access.columns && ColumnsInBlock(store, access).all();
}

// Returns the active lanes, or nothing if they are only known at run time.
std::optional<llvm::SmallVector<bool>> KnownLanes(llvm::Value* mask, int width) {
  llvm::SmallVector<bool> lanes(width, true);
  if (!mask) return lanes;
  auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  if (!constant) return std::nullopt;
  for (int lane = 0; lane < width; ++lane) {
    auto* on = llvm::dyn_cast_or_null<llvm::ConstantInt>(
        constant->getType()->isVectorTy() ? constant->getAggregateElement(lane)
                                          : constant);
    if (!on) return std::nullopt;
    lanes[lane] = on->isOne();
  }
  return lanes;
}

// The starts, in elements, of vectors of `size` elements that together cover [low, high]
// and no element outside.
struct Cover {
  int64_t size;
  llvm::SmallVector<int64_t, 4> starts;
};

Cover CoverOf(int64_t low, int64_t high, int64_t width) {
  int64_t count = high - low + 1;
  Cover cover{std::min(width, int64_t(llvm::bit_floor(uint64_t(count)))), {}};
  for (int64_t start = low; start + cover.size <= high; start += cover.size)
    cover.starts.push_back(start);
  cover.starts.push_back(high - cover.size + 1);
  return cover;
}

}  // namespace

// Loads elements at constant distances: loads all elements from the lowest to the highest
// one and selects by shuffles. Returns null if they are too far apart.
llvm::Value* PointEmitter::LoadLanes(llvm::Value* pointer, llvm::Type* type,
                                     const IndexValue& offset, llvm::Value* mask,
                                     llvm::Value* other, int part, int parts) {
  const int64_t width = lanes_.width;
  auto on = KnownLanes(mask, lanes_.width);
  if (!on) return nullptr;
  std::optional<int64_t> low, high;
  for (int64_t lane = 0; lane < width; ++lane) {
    if (!(*on)[lane]) continue;
    int64_t element = offset.lanes[lane] * parts;
    low = std::min(low.value_or(element), element);
    high = std::max(high.value_or(element), element + parts - 1);
  }
  auto* vector = llvm::FixedVectorType::get(type, lanes_.width);
  if (!low) return other ? other : llvm::Constant::getNullValue(vector);
  Cover cover = CoverOf(*low, *high, width);
  if (static_cast<int64_t>(cover.starts.size()) > std::max<int64_t>(2, width / 2))
    return nullptr;
  llvm::Type* element = llvm::ArrayType::get(type, parts);
  llvm::Value* first = b_.CreateGEP(element, pointer, offset.base);
  auto* loaded = llvm::FixedVectorType::get(type, static_cast<unsigned>(cover.size));
  llvm::SmallVector<int> widened(width, -1);
  std::iota(widened.begin(), widened.begin() + cover.size, 0);
  llvm::Value* result = nullptr;
  llvm::SmallVector<bool> done(width, false);
  for (int64_t start : cover.starts) {
    llvm::Value* address = b_.CreateGEP(type, first, b_.getInt64(start));
    llvm::Value* piece = b_.CreateAlignedLoad(
        loaded, address, llvm::Align(type->getScalarSizeInBits() / 8));
    if (cover.size < width) piece = b_.CreateShuffleVector(piece, widened);
    // Inactive lanes may hold any element, but not poison.
    llvm::SmallVector<int> from(width, 0);
    for (int64_t lane = 0; lane < width; ++lane) {
      int64_t position = offset.lanes[lane] * parts + part - start;
      bool here = (*on)[lane] && !done[lane] && position >= 0 && position < cover.size;
      if (result)
        from[lane] = static_cast<int>(here ? width + position : lane);
      else if (here)
        from[lane] = static_cast<int>(position);
      if (here) done[lane] = true;
    }
    result = result ? b_.CreateShuffleVector(result, piece, from)
                    : b_.CreateShuffleVector(piece, from);
  }
  return mask && other ? b_.CreateSelect(mask, result, other) : result;
}

llvm::SmallVector<llvm::Value*> PointEmitter::Bases(
    llvm::ArrayRef<mlir::Value> indices) const {
  llvm::SmallVector<llvm::Value*> bases;
  for (mlir::Value index : indices) bases.push_back(Index(index).base);
  return bases;
}

llvm::Value* PointEmitter::LoadFromRows(ir::LoadOp load, const IndexValue& offset,
                                        llvm::Type* type) {
  int64_t bytes = ElementBytes(ir::ElementTypeOfShaped(load.getType()));
  if (lanes_.width < 2 || lanes_.mask || load.getMask() || offset.varying() ||
      offset.stride < 2 || type->getScalarSizeInBits() != 8 * bytes)
    return nullptr;
  auto access = AsRowAccess(load.getView(), load.getIndices());
  if (!access || access->columns != offset.stride) return nullptr;
  auto leading = Bases(access->leading);
  for (const Rows& rows : loaded_rows_)
    if (rows.view == load.getView() && rows.leading == leading &&
        rows.block == b_.GetInsertBlock())
      return rows.columns[access->column];
  // If the row has many columns that nobody reads, loading all of them is a waste.
  int64_t wanted = ColumnsInBlock(load, *access).count();
  if (2 * wanted <= access->columns) return nullptr;
  llvm::Value* first = b_.CreateGEP(
      type, View(load.getView()), b_.CreateSub(offset.base, b_.getInt64(access->column)));
  loaded_rows_.push_back({load.getView(), leading, b_.GetInsertBlock(),
                          LoadColumns(b_, first, type, lanes_.width, access->columns)});
  return loaded_rows_.back().columns[access->column];
}

bool PointEmitter::StoreToRows(ir::StoreOp store, const IndexValue& offset,
                               llvm::Value* value) {
  int64_t bytes =
      ElementBytes(ir::ElementTypeOf(store.getView().getType().getElementType()));
  if (lanes_.width < 2 || lanes_.mask || store.getMask() || offset.varying() ||
      offset.stride < 1 || value->getType()->getScalarSizeInBits() != 8 * bytes)
    return false;
  llvm::Type* type = value->getType()->getScalarType();
  if (offset.stride == 1) {
    if (!lanes_.stored) return false;
    StoreRows({value}, b_.CreateGEP(type, View(store.getView()), offset.base));
    loaded_rows_.clear();
    return true;
  }
  auto access = AsRowAccess(store.getView(), store.getIndices());
  if (!access || access->columns != offset.stride || !StoresTogether(store, *access))
    return false;
  Rows* rows = nullptr;
  auto leading = Bases(access->leading);
  for (Rows& other : stored_rows_)
    if (other.view == store.getView() && other.leading == leading) rows = &other;
  if (!rows) {
    stored_rows_.push_back(
        {store.getView(), leading, nullptr, Columns(access->columns, nullptr)});
    rows = &stored_rows_.back();
  }
  rows->columns[access->column] = value;
  if (llvm::is_contained(rows->columns, nullptr)) return true;
  llvm::Value* first =
      b_.CreateGEP(type, View(store.getView()),
                   b_.CreateSub(offset.base, b_.getInt64(access->column)));
  StoreRows(rows->columns, first);
  stored_rows_.erase(stored_rows_.begin() + (rows - stored_rows_.data()));
  loaded_rows_.clear();
  return true;
}

void PointEmitter::StoreRows(llvm::ArrayRef<llvm::Value*> columns, llvm::Value* first) {
  if (!lanes_.stored) return StoreColumns(b_, first, columns);
  // If some lanes are not stored, the stored ones go through a buffer on the stack: in
  // memory they are one contiguous range.
  const int64_t count = columns.size();
  llvm::Value* width = b_.getInt64(lanes_.width);
  llvm::Value* all_stored = b_.CreateICmpEQ(lanes_.stored, width);
  EmitIf(b_, all_stored, [&] { StoreColumns(b_, first, columns); });
  EmitIf(b_, b_.CreateNot(all_stored), [&] {
    llvm::Type* element = columns[0]->getType()->getScalarType();
    llvm::Value* all =
        EmitEntryAlloca(b_, llvm::ArrayType::get(element, lanes_.width * count), 64);
    StoreColumns(b_, all, columns);
    llvm::Value* skipped =
        b_.CreateMul(b_.CreateSub(width, lanes_.stored), b_.getInt64(count));
    int64_t bytes = element->getScalarSizeInBits() / 8;
    b_.CreateMemMove(b_.CreateGEP(element, first, skipped), llvm::Align(1),
                     b_.CreateGEP(element, all, skipped), llvm::Align(1),
                     b_.CreateMul(lanes_.stored, b_.getInt64(count * bytes)));
  });
}

}  // namespace tenon::codegen
