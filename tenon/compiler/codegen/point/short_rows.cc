#include "tenon/compiler/codegen/point/short_rows.h"

#include "llvm/ADT/SmallBitVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tenon/compiler/codegen/ir/loops.h"
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

}  // namespace

llvm::SmallVector<IndexValue> ShortRows::ValuesOf(
    llvm::ArrayRef<mlir::Value> indices) const {
  llvm::SmallVector<IndexValue> values;
  for (mlir::Value index : indices) values.push_back(values_.Index(index));
  return values;
}

llvm::Value* ShortRows::Load(ir::LoadOp load, const IndexValue& offset,
                             llvm::Type* type) {
  int64_t bytes = ElementBytes(ir::ElementTypeOfShaped(load.getType()));
  if (lanes().width < 2 || lanes().mask || load.getMask() || offset.varying() ||
      offset.stride < 2 || type->getScalarSizeInBits() != 8 * bytes)
    return nullptr;
  auto access = AsRowAccess(load.getView(), load.getIndices());
  if (!access || access->columns != offset.stride) return nullptr;
  auto leading = ValuesOf(access->leading);
  for (const Rows& rows : loaded_)
    if (rows.view == load.getView() && rows.leading == leading &&
        rows.block == b_.GetInsertBlock())
      return rows.columns[access->column];
  // If the row has many columns that nobody reads, loading all of them is a waste.
  int64_t wanted = ColumnsInBlock(load, *access).count();
  if (2 * wanted <= access->columns) return nullptr;
  llvm::Value* first =
      b_.CreateGEP(type, values_.View(load.getView()),
                   b_.CreateSub(offset.base, b_.getInt64(access->column)));
  loaded_.push_back({load.getView(), leading, b_.GetInsertBlock(),
                     LoadColumns(b_, first, type, lanes().width, access->columns)});
  return loaded_.back().columns[access->column];
}

bool ShortRows::Store(ir::StoreOp store, const IndexValue& offset, llvm::Value* value) {
  int64_t bytes =
      ElementBytes(ir::ElementTypeOf(store.getView().getType().getElementType()));
  if (lanes().width < 2 || lanes().mask || store.getMask() || offset.varying() ||
      offset.stride < 1 || value->getType()->getScalarSizeInBits() != 8 * bytes)
    return false;
  llvm::Type* type = value->getType()->getScalarType();
  if (offset.stride == 1) {
    if (!lanes().stored) return false;
    StoreRows({value}, b_.CreateGEP(type, values_.View(store.getView()), offset.base));
    ForgetLoads();
    return true;
  }
  auto access = AsRowAccess(store.getView(), store.getIndices());
  if (!access || access->columns != offset.stride || !StoresTogether(store, *access))
    return false;
  Rows* rows = nullptr;
  auto leading = ValuesOf(access->leading);
  for (Rows& other : stored_)
    if (other.view == store.getView() && other.leading == leading) rows = &other;
  if (!rows) {
    stored_.push_back(
        {store.getView(), leading, nullptr, Columns(access->columns, nullptr)});
    rows = &stored_.back();
  }
  rows->columns[access->column] = value;
  if (llvm::is_contained(rows->columns, nullptr)) return true;
  llvm::Value* first =
      b_.CreateGEP(type, values_.View(store.getView()),
                   b_.CreateSub(offset.base, b_.getInt64(access->column)));
  StoreRows(rows->columns, first);
  stored_.erase(stored_.begin() + (rows - stored_.data()));
  ForgetLoads();
  return true;
}

void ShortRows::StoreRows(llvm::ArrayRef<llvm::Value*> columns, llvm::Value* first) {
  if (!lanes().stored) return StoreColumns(b_, first, columns);
  // If some lanes are not stored, the stored ones go through a buffer on the stack: in
  // memory they are one contiguous range.
  const int64_t count = columns.size();
  llvm::Value* width = b_.getInt64(lanes().width);
  llvm::Value* all_stored = b_.CreateICmpEQ(lanes().stored, width);
  EmitIf(b_, all_stored, [&] { StoreColumns(b_, first, columns); });
  EmitIf(b_, b_.CreateNot(all_stored), [&] {
    llvm::Type* element = columns[0]->getType()->getScalarType();
    llvm::Value* all =
        EmitEntryAlloca(b_, llvm::ArrayType::get(element, lanes().width * count), 64);
    StoreColumns(b_, all, columns);
    llvm::Value* skipped =
        b_.CreateMul(b_.CreateSub(width, lanes().stored), b_.getInt64(count));
    int64_t bytes = element->getScalarSizeInBits() / 8;
    b_.CreateMemMove(b_.CreateGEP(element, first, skipped), llvm::Align(1),
                     b_.CreateGEP(element, all, skipped), llvm::Align(1),
                     b_.CreateMul(lanes().stored, b_.getInt64(count * bytes)));
  });
}

}  // namespace tenon::codegen
