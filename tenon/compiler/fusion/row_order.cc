#include "tenon/compiler/fusion/row_order.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/analysis/roundable.h"
#include "tenon/compiler/fusion/op_roles.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

constexpr int64_t kMinElements = 1 << 16;  // as many as attention's scores have
constexpr int kMaxCopied = 16;             // ops of an operand, such as a mask

using Dims = llvm::SmallVector<int64_t>;

// `dims`, followed by all other dimensions below `rank`.
Dims AllDims(Dims dims, int64_t rank) {
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim)) dims.push_back(dim);
  return dims;
}

// Whether one side of a product has several row dimensions and the other one has a single
// column dimension: [batch..., row..., column], or the other way round.
bool HasSeveralRowDims(stablehlo::DotGeneralOp dot, bool on_left = true) {
  auto numbers = dot.getDotDimensionNumbers();
  auto shared = static_cast<int64_t>(numbers.getLhsBatchingDimensions().size() +
                                     numbers.getLhsContractingDimensions().size());
  mlir::Value rows = on_left ? dot.getLhs() : dot.getRhs();
  mlir::Value columns = on_left ? dot.getRhs() : dot.getLhs();
  return ElementCountOf(dot.getResult()) >= kMinElements &&
         TypeOf(rows).getRank() >= shared + 2 && TypeOf(columns).getRank() == shared + 1;
}

class RowOrder {
 public:
  explicit RowOrder(mlir::Block& block) : block_(block) {}

  void Run() {
    for (mlir::Operation& op : llvm::make_early_inc_range(block_)) Visit(&op);
    if (views_.empty()) return;
    for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block_)))
      if (mlir::isOpTriviallyDead(&op)) op.erase();
  }

 private:
  // A transpose of `source`: its dimension d is dimension order[d] of `source`.
  struct View {
    mlir::Value source;
    Dims order;
  };

  void Visit(mlir::Operation* op) {
    if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op)) {
      if (llvm::any_of(op->getOperands(), [&](mlir::Value v) { return IsView(v); }))
        return VisitProduct(dot);
      if (HasSeveralRowDims(dot)) of_rows_.insert(dot.getResult());
      if (HasSeveralRowDims(dot, /*on_left=*/false) && ColumnsBecomeLast(dot))
        ExchangeFactors(dot);
      return;
    }
    if (op->getNumResults() != 1) return;
    if (auto transpose = llvm::dyn_cast<stablehlo::TransposeOp>(op))
      return VisitTranspose(transpose);
    if (llvm::any_of(op->getOperands(), [&](mlir::Value v) { return IsView(v); }))
      return VisitUser(op);
    // Elementwise ops and reductions of scores keep the row dimensions.
    bool of_rows = llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
      return of_rows_.contains(operand);
    });
    if (of_rows && (IsElementwise(op) || IsOfLastDim(op)))
      of_rows_.insert(op->getResult(0));
  }

  // Whether a transpose moves the product's column dimension, which comes before the
  // rows, to the end.
  static bool ColumnsBecomeLast(stablehlo::DotGeneralOp dot) {
    auto columns = static_cast<int64_t>(
        dot.getDotDimensionNumbers().getLhsBatchingDimensions().size());
    mlir::Value value = dot.getResult();
    while (value.hasOneUse()) {
      mlir::Operation* user = *value.getUsers().begin();
      if (auto transpose = llvm::dyn_cast<stablehlo::TransposeOp>(user))
        return transpose.getPermutation().back() == columns;
      if (!IsElementwise(user) || user->getNumResults() != 1) return false;
      value = user->getResult(0);
    }
    return false;
  }

  // Exchanges the factors. Multiplication commutes, and sums keep their order.
  void ExchangeFactors(stablehlo::DotGeneralOp dot) {
    if (dot.getAlgorithm() || (dot.getPrecisionConfig() && !MayRound(dot))) return;
    auto numbers = dot.getDotDimensionNumbers();
    auto batch = static_cast<int64_t>(numbers.getLhsBatchingDimensions().size());
    llvm::ArrayRef<int64_t> shape = ShapeOf(dot.getResult());
    Dims sizes(shape), order;
    std::rotate(sizes.begin() + batch, sizes.begin() + batch + 1, sizes.end());
    auto rank = static_cast<int64_t>(shape.size());
    for (int64_t dim = 0; dim < rank; ++dim)
      order.push_back(dim < batch ? dim : dim == batch ? rank - 1 : dim - 1);
    mlir::OpBuilder b(dot);
    auto new_value = stablehlo::DotGeneralOp::create(
        b, dot.getLoc(), mlir::RankedTensorType::get(sizes, ElementOf(dot.getResult())),
        dot.getRhs(), dot.getLhs(),
        stablehlo::DotDimensionNumbersAttr::get(
            dot.getContext(), numbers.getRhsBatchingDimensions(),
            numbers.getLhsBatchingDimensions(), numbers.getRhsContractingDimensions(),
            numbers.getLhsContractingDimensions()),
        dot.getPrecisionConfigAttr(), dot.getAlgorithmAttr());
    of_rows_.insert(new_value.getResult());
    Replace(dot, new_value.getResult(), order);
  }

  bool IsView(mlir::Value value) const { return views_.contains(value); }

  static bool IsOfLastDim(mlir::Operation* op) {
    auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op);
    return reduce && reduce.getInputs().size() == 1 &&
           reduce.getDimensions().size() == 1 &&
           reduce.getDimensions()[0] == TypeOf(reduce.getInputs()[0]).getRank() - 1;
  }

  void VisitTranspose(stablehlo::TransposeOp op) {
    mlir::Value operand = op.getOperand();
    Dims order(op.getPermutation());
    if (auto view = views_.find(operand); view != views_.end()) {
      for (int64_t& dim : order) dim = view->second.order[dim];
      operand = view->second.source;
    } else if (!of_rows_.contains(operand)) {
      return;
    }
    views_[op.getResult()] = {operand, order};
  }

  // Replaces `op` by a view (a transpose) of `new_value`, which holds the op's result
  // with its dimensions in another order.
  void Replace(mlir::Operation* op, mlir::Value new_value, const Dims& order) {
    mlir::OpBuilder b(op);
    mlir::Value old = op->getResult(0), transposed = new_value;
    if (!llvm::is_sorted(order))
      transposed = stablehlo::TransposeOp::create(
          b, op->getLoc(), llvm::cast<mlir::RankedTensorType>(old.getType()), new_value,
          order);
    views_[transposed] = {new_value, order};
    old.replaceAllUsesWith(transposed);
    op->erase();
  }

  void VisitUser(mlir::Operation* op) {
    mlir::OpBuilder b(op);
    auto first =
        llvm::find_if(op->getOperands(), [&](mlir::Value v) { return IsView(v); });
    View view = views_[*first];
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) {
      if (!IsOfLastDim(op) || IsView(reduce.getInitValues()[0])) return;
      Dims order(llvm::ArrayRef(view.order).drop_back());
      // The last dimension must stay last, which keeps the order of summation.
      if (view.order.back() != static_cast<int64_t>(order.size())) return;
      auto copy = llvm::cast<stablehlo::ReduceOp>(b.clone(*op));
      copy.getInputsMutable().assign(view.source);
      copy.getResult(0).setType(mlir::RankedTensorType::get(
          ShapeOf(view.source).drop_back(), ElementOf(op->getResult(0))));
      return Replace(op, copy.getResult(0), order);
    }
    if (auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
      auto rank = static_cast<int64_t>(ShapeOf(broadcast.getResult()).size());
      // Result dimensions in the order of the source; new ones come last.
      Dims result_dims(view.order.size());
      for (auto [d, dim] : llvm::enumerate(view.order))
        result_dims[dim] = broadcast.getBroadcastDimensions()[d];
      Dims from = AllDims(result_dims, rank), order(rank), sizes;
      for (auto [position, dim] : llvm::enumerate(from)) {
        order[dim] = static_cast<int64_t>(position);
        sizes.push_back(ShapeOf(broadcast.getResult())[dim]);
      }
      auto new_value = stablehlo::BroadcastInDimOp::create(
          b, op->getLoc(),
          mlir::RankedTensorType::get(sizes, ElementOf(broadcast.getResult())),
          view.source, llvm::to_vector(llvm::seq<int64_t>(0, view.order.size())));
      return Replace(op, new_value, order);
    }
    if (auto reshape = llvm::dyn_cast<stablehlo::ReshapeOp>(op)) {
      // Only a reshape that appends a unit dimension.
      llvm::ArrayRef<int64_t> from = ShapeOf(reshape.getOperand()),
                              to = ShapeOf(reshape.getResult());
      if (to.size() != from.size() + 1 || to.drop_back() != from) return;
      Dims order = view.order, sizes(ShapeOf(view.source));
      order.push_back(static_cast<int64_t>(from.size()));
      sizes.push_back(1);
      auto new_value = stablehlo::ReshapeOp::create(
          b, op->getLoc(),
          mlir::RankedTensorType::get(sizes, ElementOf(reshape.getResult())),
          view.source);
      return Replace(op, new_value, order);
    }
    if (!IsElementwise(op) || llvm::isa<stablehlo::CompositeOp>(op)) return;
    // Two products may have their rows in different orders.
    for (mlir::Value operand : op->getOperands())
      if (IsView(operand) && !TransposableProduct(operand)) view = views_[operand];
    for (mlir::Value operand : llvm::to_vector(op->getOperands()))
      if (IsView(operand) && views_[operand].order != view.order)
        TransposeProduct(operand, view.order);
    if (mlir::Value new_value = InOrder(b, op->getResult(0), view.order))
      Replace(op, new_value, view.order);
  }

  // The product behind the view `value`, if it has no other use; else null.
  stablehlo::DotGeneralOp TransposableProduct(mlir::Value value) {
    mlir::Value source = views_[value].source;
    auto dot = source.getDefiningOp<stablehlo::DotGeneralOp>();
    if (!dot || !source.hasOneUse() || !HasSeveralRowDims(dot) ||
        !value.getDefiningOp<stablehlo::TransposeOp>())
      return nullptr;
    return dot;
  }

  // Changes the order of the view `value` of a product to `order`, by transposing the
  // product's left operand, which is small, instead.
  void TransposeProduct(mlir::Value value, const Dims& order) {
    stablehlo::DotGeneralOp dot = TransposableProduct(value);
    if (!dot) return;
    auto numbers = dot.getDotDimensionNumbers();
    llvm::ArrayRef<int64_t> batch = numbers.getLhsBatchingDimensions(),
                            contracting = numbers.getLhsContractingDimensions();
    mlir::Value lhs = dot.getLhs();
    Dims shared(batch), result(order.size());
    llvm::append_range(shared, contracting);
    Dims free = AllDims(shared, TypeOf(lhs).getRank());
    free.erase(free.begin(), free.begin() + static_cast<int64_t>(shared.size()));
    // The old dimension of each dimension of the new product.
    for (auto [dim, old_dim] : llvm::zip_equal(order, views_[value].order))
      result[dim] = old_dim;
    auto begin = static_cast<int64_t>(batch.size()), rank = begin;
    Dims from(batch), sizes;
    for (auto [dim, old_dim] : llvm::enumerate(result)) {
      bool is_row = old_dim >= begin && old_dim + 1 < static_cast<int64_t>(order.size());
      if (!is_row && old_dim != static_cast<int64_t>(dim)) return;
      if (is_row) from.push_back(free[old_dim - begin]);
      sizes.push_back(ShapeOf(dot.getResult())[old_dim]);
    }
    rank = static_cast<int64_t>(from.size());
    llvm::append_range(from, contracting);
    mlir::OpBuilder b(dot);
    auto to_end = [](int64_t first, size_t count) {
      return llvm::to_vector(
          llvm::seq<int64_t>(first, first + static_cast<int64_t>(count)));
    };
    Dims lhs_sizes;
    for (int64_t dim : from) lhs_sizes.push_back(ShapeOf(lhs)[dim]);
    auto transposed = stablehlo::TransposeOp::create(
        b, dot.getLoc(), mlir::RankedTensorType::get(lhs_sizes, ElementOf(lhs)), lhs,
        from);
    auto new_value = stablehlo::DotGeneralOp::create(
        b, dot.getLoc(), mlir::RankedTensorType::get(sizes, ElementOf(dot.getResult())),
        transposed, dot.getRhs(),
        stablehlo::DotDimensionNumbersAttr::get(
            dot.getContext(), to_end(0, batch.size()), numbers.getRhsBatchingDimensions(),
            to_end(rank, contracting.size()), numbers.getRhsContractingDimensions()),
        dot.getPrecisionConfigAttr(), dot.getAlgorithmAttr());
    of_rows_.insert(new_value.getResult());
    auto old = value.getDefiningOp<stablehlo::TransposeOp>();
    views_.erase(value);
    auto view = stablehlo::TransposeOp::create(
        b, old.getLoc(), llvm::cast<mlir::RankedTensorType>(value.getType()), new_value,
        order);
    views_[view.getResult()] = {new_value, order};
    value.replaceAllUsesWith(view);
    of_rows_.erase(dot.getResult());
    old.erase();
    dot.erase();
  }

  // Recomputes `value` in the order of a view's source. Null if that would take more than
  // a few ops on values that are not materialized.
  mlir::Value InOrder(mlir::OpBuilder& b, mlir::Value value, const Dims& order) {
    int left = kMaxCopied;
    if (!CanMove(value, order, left)) return nullptr;
    mlir::IRMapping moved;
    return Move(b, value, order, moved);
  }

  bool CanMove(mlir::Value value, const Dims& order, int& left) {
    if (auto view = views_.find(value); view != views_.end())
      return view->second.order == order;
    mlir::Operation* def = value.getDefiningOp();
    if (TypeOf(value).getRank() == 0) return true;
    if (!def || --left < 0 ||
        TypeOf(value).getRank() != static_cast<int64_t>(order.size()))
      return false;
    if (IsSplatConstant(def) ||
        llvm::isa<stablehlo::BroadcastInDimOp, stablehlo::IotaOp>(def))
      return true;
    return IsElementwise(def) && !llvm::isa<stablehlo::CompositeOp>(def) &&
           llvm::all_of(def->getOperands(), [&](mlir::Value operand) {
             return CanMove(operand, order, left);
           });
  }

  mlir::Value Move(mlir::OpBuilder& b, mlir::Value value, const Dims& order,
                   mlir::IRMapping& moved) {
    if (auto view = views_.find(value); view != views_.end()) return view->second.source;
    if (TypeOf(value).getRank() == 0) return value;
    if (mlir::Value done = moved.lookupOrNull(value)) return done;
    Dims sizes(order.size());
    for (auto [d, dim] : llvm::enumerate(order)) sizes[dim] = ShapeOf(value)[d];
    auto type = mlir::RankedTensorType::get(sizes, ElementOf(value));
    mlir::Operation* def = value.getDefiningOp();
    mlir::Value new_value;
    if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(def)) {
      auto dense = llvm::cast<mlir::DenseElementsAttr>(constant.getValue());
      new_value =
          stablehlo::ConstantOp::create(b, def->getLoc(), dense.resizeSplat(type));
    } else if (auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(def)) {
      new_value = MoveBroadcast(b, broadcast, type, order);
    } else if (auto iota = llvm::dyn_cast<stablehlo::IotaOp>(def)) {
      new_value = stablehlo::IotaOp::create(b, def->getLoc(), type,
                                            order[iota.getIotaDimension()]);
    } else {
      llvm::SmallVector<mlir::Value> operands;
      for (mlir::Value operand : def->getOperands())
        operands.push_back(Move(b, operand, order, moved));
      mlir::Operation* copy = b.clone(*def);
      copy->setOperands(operands);
      copy->getResult(0).setType(type);
      new_value = copy->getResult(0);
    }
    moved.map(value, new_value);
    return new_value;
  }

  // The operand is small, so it is transposed if its dimensions change their order.
  mlir::Value MoveBroadcast(mlir::OpBuilder& b, stablehlo::BroadcastInDimOp op,
                            mlir::RankedTensorType type, const Dims& order) {
    Dims dims;
    for (int64_t dim : op.getBroadcastDimensions()) dims.push_back(order[dim]);
    mlir::Value operand = op.getOperand();
    if (!llvm::is_sorted(dims)) {
      Dims by_position = llvm::to_vector(llvm::seq<int64_t>(0, dims.size())), sizes;
      llvm::sort(by_position, [&](int64_t x, int64_t y) { return dims[x] < dims[y]; });
      for (int64_t dim : by_position) sizes.push_back(ShapeOf(operand)[dim]);
      operand = stablehlo::TransposeOp::create(
          b, op.getLoc(), mlir::RankedTensorType::get(sizes, ElementOf(operand)), operand,
          by_position);
      llvm::sort(dims);
    }
    return stablehlo::BroadcastInDimOp::create(b, op.getLoc(), type, operand, dims);
  }

  // An operand of a product, and the roles of its dimensions.
  struct Side {
    mlir::Value operand;
    Dims batch, contracting, free;
    bool of_view = false;
  };

  static bool Collapse(const Side& side) {
    llvm::ArrayRef<int64_t> shape = ShapeOf(side.operand);
    Dims free = side.free;
    llvm::sort(free);
    return Collapses(side.batch, shape) && Collapses(side.contracting, shape) &&
           Collapses(free, shape);
  }

  Side SideOf(mlir::Value operand, llvm::ArrayRef<int64_t> batch,
              llvm::ArrayRef<int64_t> contracting) {
    Dims shared(batch);
    llvm::append_range(shared, contracting);
    Dims all = AllDims(shared, TypeOf(operand).getRank());
    return {operand, Dims(batch), Dims(contracting),
            Dims(llvm::ArrayRef(all).drop_front(shared.size()))};
  }

  // Makes a product read the source of a view. Free dimensions may change their order in
  // the result. The other operand is small and is transposed if necessary.
  void VisitProduct(stablehlo::DotGeneralOp dot) {
    mlir::OpBuilder b(dot);
    auto numbers = dot.getDotDimensionNumbers();
    Side sides[] = {SideOf(dot.getLhs(), numbers.getLhsBatchingDimensions(),
                           numbers.getLhsContractingDimensions()),
                    SideOf(dot.getRhs(), numbers.getRhsBatchingDimensions(),
                           numbers.getRhsContractingDimensions())};
    for (Side& side : sides) {
      auto view = views_.find(side.operand);
      if (view == views_.end()) continue;
      side.of_view = true;
      side.operand = view->second.source;
      for (Dims* dims : {&side.batch, &side.contracting, &side.free})
        for (int64_t& dim : *dims) dim = view->second.order[dim];
    }
    // Contracted dimensions are summed in the order of the view.
    Side& first = sides[0].of_view ? sides[0] : sides[1];
    Side& second = sides[0].of_view ? sides[1] : sides[0];
    Dims by_position = llvm::to_vector(llvm::seq<int64_t>(0, first.contracting.size()));
    llvm::sort(by_position, [&](int64_t x, int64_t y) {
      return first.contracting[x] < first.contracting[y];
    });
    for (Side* side : {&first, &second}) {
      Dims unordered = side->contracting;
      for (auto [i, position] : llvm::enumerate(by_position))
        side->contracting[i] = unordered[position];
    }
    if (!Collapse(first) || (second.of_view && !Collapse(second))) return;
    if (!Collapse(second)) MakeCollapse(b, dot.getLoc(), second);

    Dims sizes, order;
    for (int64_t size : ShapeOf(dot.getResult()).take_front(sides[0].batch.size())) {
      order.push_back(static_cast<int64_t>(sizes.size()));
      sizes.push_back(size);
    }
    for (Side& side : sides) {
      Dims sorted = side.free;
      llvm::sort(sorted);
      auto begin = static_cast<int64_t>(sizes.size());
      for (int64_t dim : side.free)
        order.push_back(begin + (llvm::find(sorted, dim) - sorted.begin()));
      for (int64_t dim : sorted) sizes.push_back(ShapeOf(side.operand)[dim]);
    }
    auto new_value = stablehlo::DotGeneralOp::create(
        b, dot.getLoc(), mlir::RankedTensorType::get(sizes, ElementOf(dot.getResult())),
        sides[0].operand, sides[1].operand,
        stablehlo::DotDimensionNumbersAttr::get(dot.getContext(), sides[0].batch,
                                                sides[1].batch, sides[0].contracting,
                                                sides[1].contracting),
        dot.getPrecisionConfigAttr(), dot.getAlgorithmAttr());
    if (HasSeveralRowDims(new_value)) of_rows_.insert(new_value.getResult());
    Replace(dot, new_value.getResult(), order);
  }

  // Transposes an operand to [batch, free, contracting].
  static void MakeCollapse(mlir::OpBuilder& b, mlir::Location loc, Side& side) {
    Dims from = side.batch, sizes;
    llvm::append_range(from, side.free);
    llvm::append_range(from, side.contracting);
    for (int64_t dim : from) sizes.push_back(ShapeOf(side.operand)[dim]);
    side.operand = stablehlo::TransposeOp::create(
        b, loc, mlir::RankedTensorType::get(sizes, ElementOf(side.operand)), side.operand,
        from);
    int64_t next = 0;
    for (Dims* dims : {&side.batch, &side.free, &side.contracting})
      for (int64_t& dim : *dims) dim = next++;
  }

  mlir::Block& block_;
  llvm::DenseMap<mlir::Value, View> views_;
  llvm::DenseSet<mlir::Value> of_rows_;  // values in the dimension order of their product
};

}  // namespace

void KeepOrderOfRows(mlir::Block& block) { RowOrder(block).Run(); }

}  // namespace tenon::compiler
