// Attention and its gradients as tenon.attention ops, for devices with matrix
// instructions: one for each level of reductions, and one or more for the products.
#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/analysis/roundable.h"
#include "tenon/compiler/kernels/attention_builder.h"
#include "tenon/compiler/targets/device_target.h"
#include "tenon/compiler/targets/matrix_instructions.h"
#include "tenon/dialects/tenon/attention_op.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

constexpr int64_t kFoldBytes = 4;

// Of all operands and results that a lane has in registers, in registers of 32 bits.
constexpr int64_t kMaxRegisters = 128;
int64_t OperandRegisters(int64_t depth, int64_t bytes) {
  return static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(depth))) * bytes /
         8;
}
int64_t ResultRegisters(int64_t columns) {
  return static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(columns))) / 2;
}

mlir::MemRefType Transposed(mlir::MemRefType view) {
  auto strides = ir::ViewStrides(view);
  return StridedView(view.getElementType(),
                     {view.getDimSize(0), view.getDimSize(2), view.getDimSize(1)},
                     {strides[0], strides[2], strides[1]});
}

// The value before it is rounded: elements are rounded when they are multiplied.
mlir::Value BeforeRounding(mlir::Value value) {
  auto convert = value.getDefiningOp<stablehlo::ConvertOp>();
  return convert && ElementOf(convert.getOperand()).isF32() ? convert.getOperand()
                                                            : value;
}

}  // namespace

// Whether `value` depends on `dot` through elements: not through reductions, which are
// known when elements are computed.
bool AttentionBuilder::IsElementOf(mlir::Value value, stablehlo::DotGeneralOp dot) {
  llvm::SmallVector<mlir::Value> work{value};
  llvm::SmallPtrSet<mlir::Operation*, 32> seen;
  while (!work.empty()) {
    mlir::Operation* op = work.pop_back_val().getDefiningOp();
    if (!op || IsFolded(op) || !seen.insert(op).second) continue;
    if (op == dot.getOperation()) return true;
    llvm::append_range(work, op->getOperands());
  }
  return false;
}

bool AttentionBuilder::IsFolded(mlir::Operation* op) {
  auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op);
  return reduce && ShapeOf(reduce.getInputs()[0]) == ShapeOf(scores_.front().dot);
}

bool AttentionBuilder::HasStreamedTypes() {
  const mlir::Type type = scores_.front().views.lhs.getElementType();
  const MatrixInstructions& matrix = *target_.device->matrix;
  auto can_stream = [&](int64_t depth, int64_t columns) {
    return CanStreamAttention(matrix, ir::ElementTypeOf(type), depth, columns);
  };
  // Instructions round f32.
  auto may_round = [&](stablehlo::DotGeneralOp dot) {
    return IsNarrow(type) || (type.isF32() && MayRound(dot));
  };
  return llvm::all_of(scores_,
                      [&](const Scores& scores) {
                        return scores.views.lhs.getElementType() == type &&
                               scores.views.rhs.getElementType() == type &&
                               may_round(scores.dot) &&
                               can_stream(scores.views.lhs.getDimSize(2), 2);
                      }) &&
         llvm::all_of(products_, [&](const Product& product) {
           return product.other_type.getElementType() == type && may_round(product.dot) &&
                  weights_[product.weights].rows.element == type &&
                  can_stream(1, compiler::Product(product.free));
         });
}

std::optional<AttentionBuilder::Stream> AttentionBuilder::FindStream() {
  if (!target_.device || !target_.device->matrix || !element_results_.empty() ||
      !HasStreamedTypes())
    return std::nullopt;
  Stream stream;
  if (scores_.size() == 1 && products_.size() == 1 && !products_.front().over_rows) {
    stream.softmax = FindSoftmax(weights_.front().value, /*ignores_rounding=*/false);
    auto is_inside = [&](mlir::Operation* op) {
      return op->getBlock() == &frame_.region();
    };
    if (stream.softmax && ElementOf(stream.softmax->scores).isF32() &&
        IsOfPoint(stream.softmax->scores, scores_.front().dot, is_inside) &&
        llvm::all_of(frame_.region().getOps<stablehlo::ReduceOp>(),
                     [&](stablehlo::ReduceOp reduce) {
                       return stream.softmax->IsReduction(reduce);
                     }))
      return stream;
    stream.softmax = std::nullopt;
  }
  llvm::DenseMap<mlir::Operation*, size_t> level_of;
  for (mlir::Operation& op : frame_.region()) {
    size_t level = 0;
    for (mlir::Value operand : op.getOperands())
      if (mlir::Operation* def = operand.getDefiningOp())
        level = std::max(level, level_of.lookup(def));
    if (IsFolded(&op)) {
      auto reduce = llvm::cast<stablehlo::ReduceOp>(op);
      if (!IsExactFold(reduce)) return std::nullopt;
      if (stream.levels.size() <= level) stream.levels.resize(level + 1);
      stream.levels[level++].push_back(reduce);
    }
    level_of[&op] = level;
  }
  return stream;
}

Status AttentionBuilder::BuildStream(const Stream& stream) {
  std::vector<Pass> passes;
  int64_t folds = 0;
  if (stream.softmax) {
    Pass& pass = passes.emplace_back();
    pass.products.push_back(0);
    pass.softmax = &*stream.softmax;
    pass.stores_rows = !row_results_.empty();
  } else {
    for (const auto& level : stream.levels) {
      Pass& pass = passes.emplace_back();
      for (stablehlo::ReduceOp reduce : level) {
        pass.folds.push_back(reduce);
        fold_offsets_[reduce] = folds++ * batches_ * length_ * kFoldBytes;
      }
    }
    if (!passes.empty()) passes.back().stores_rows = !row_results_.empty();
    for (bool over_rows : {false, true}) AddProductPasses(over_rows, passes);
  }
  llvm::SmallVector<mlir::Operation*> heroes;
  for (Scores& scores : scores_) heroes.push_back(scores.dot);
  for (Product& product : products_) heroes.push_back(product.dot);
  for (Pass& pass : passes) TENON_RETURN_IF_ERROR(AddPassOperands(pass));
  AddOtherInputs(frame_, heroes);
  frame_.AddOutputs();
  if (folds > 0) scratch_ = frame_.AddScratch(folds * batches_ * length_ * kFoldBytes);
  frame_.built().estimated_ns =
      EstimatePointNs(frame_) * compiler::Product(ShapeOf(frame_.yields()[0]));
  for (Pass& pass : passes) TENON_RETURN_IF_ERROR(BuildPass(pass));
  return OkStatus();
}

// Products whose results fit into registers together share a pass.
void AttentionBuilder::AddProductPasses(bool over_rows, std::vector<Pass>& passes) {
  auto registers = [&](const Pass& pass) {
    int64_t count = 0;
    for (Scores& scores : scores_)
      if (llvm::any_of(pass.products, [&](size_t product) {
            return IsElementOf(weights_[products_[product].weights].value, scores.dot);
          }))
        count += OperandRegisters(scores.views.lhs.getDimSize(2),
                                  BytesOf(scores.views.lhs.getElementType()));
    for (size_t product : pass.products)
      count += ResultRegisters(compiler::Product(products_[product].free));
    return count;
  };
  Pass* pass = nullptr;
  for (auto [number, product] : llvm::enumerate(products_)) {
    if (product.over_rows != over_rows) continue;
    if (pass) {
      pass->products.push_back(number);
      if (registers(*pass) <= kMaxRegisters) continue;
      pass->products.pop_back();
    }
    pass = &passes.emplace_back();
    pass->over_rows = over_rows;
    pass->products.push_back(number);
  }
}

Status AttentionBuilder::AddPassOperands(Pass& pass) {
  for (stablehlo::ReduceOp reduce : pass.folds)
    pass.folded.push_back(reduce.getInputs()[0]);
  for (size_t number : pass.products) {
    mlir::Value value = pass.softmax
                            ? pass.softmax->scores
                            : BeforeRounding(weights_[products_[number].weights].value);
    auto found = llvm::find(pass.elements, value);
    pass.element_numbers.push_back(found - pass.elements.begin());
    if (found == pass.elements.end()) pass.elements.push_back(value);
  }
  llvm::append_range(pass.elements, pass.folded);
  struct Used {
    int64_t operand;
    mlir::MemRefType type;
  };
  llvm::SmallVector<Used, 2> right;
  for (auto [number, scores] : llvm::enumerate(scores_)) {
    if (llvm::none_of(pass.elements,
                      [&](mlir::Value value) { return IsElementOf(value, scores.dot); }))
      continue;
    pass.scores.push_back(number);
    TENON_ASSIGN_OR_RETURN(int64_t lhs, HeroOperand(scores.dot, 0));
    TENON_ASSIGN_OR_RETURN(int64_t rhs, HeroOperand(scores.dot, 1));
    mlir::MemRefType lhs_type = scores.views.lhs, rhs_type = scores.views.rhs;
    // Over rows, keys and rows change places.
    if (pass.over_rows) {
      std::swap(lhs, rhs);
      std::tie(lhs_type, rhs_type) =
          std::pair(Transposed(rhs_type), Transposed(lhs_type));
    }
    pass.lhs.push_back(frame_.AddInput(lhs, lhs_type));
    pass.rhs.push_back(frame_.AddInput(rhs, rhs_type));
    right.push_back({rhs, rhs_type});
  }
  for (size_t number : pass.products) {
    Product& product = products_[number];
    TENON_ASSIGN_OR_RETURN(int64_t other,
                           HeroOperand(product.dot, product.weights_first ? 1 : 0));
    const mlir::MemRefType type = product.over_rows && !product.weights_first
                                      ? Transposed(product.other_type)
                                      : product.other_type;
    pass.factors.push_back(frame_.AddInput(other, type));
    auto same = llvm::find_if(right, [&](const Used& used) {
      return used.operand == other && Transposed(used.type) == type;
    });
    pass.same_as.push_back(same == right.end() ? -1 : same - right.begin());
  }
  return OkStatus();
}

// The tensor's indices of a row, and of a key if there is one.
llvm::SmallVector<mlir::Value> AttentionBuilder::ElementIndices(const Pass& pass,
                                                                IndexBuilder& index,
                                                                mlir::Block* block) {
  mlir::Value row = block->getArgument(1), key = block->getArgument(2);
  if (pass.over_rows) std::swap(row, key);
  auto indices = RowIndices(index, block->getArgument(0), row);
  index.SetRange(key, 0, width_ - 1);
  indices.push_back(key);
  return indices;
}

// Binds the reductions of earlier passes.
void AttentionBuilder::BindFolds(KernelBlock& body, mlir::Block* block) {
  for (auto [op, offset] : fold_offsets_) {
    mlir::Value result = op->getResult(0);
    body.points().Bind(result, Subview(block, scratch_, body.index().Constant(offset),
                                       ViewTypeOf(result.getType())));
  }
}

Status AttentionBuilder::BuildPass(Pass& pass) {
  mlir::OpBuilder b =
      mlir::OpBuilder::atBlockEnd(&frame_.built().kernel.getBody().front());
  llvm::SmallVector<int64_t> folds;
  for (stablehlo::ReduceOp reduce : pass.folds)
    folds.push_back(FoldOf(reduce) == RowFold::kMaximum);
  auto op = ir::AttentionOp::create(b, frame_.loc(), pass.lhs, pass.rhs, pass.factors,
                                    pass.element_numbers, pass.same_as, folds,
                                    pass.softmax != nullptr,
                                    static_cast<unsigned>(pass.products.size()));
  auto add_block = [&](mlir::Region& region, size_t indices, size_t scalars) {
    mlir::Block* block = b.createBlock(&region);
    for (size_t i = 0; i < indices; ++i)
      block->addArgument(b.getIndexType(), frame_.loc());
    for (size_t i = 0; i < scalars; ++i)
      block->addArgument(mlir::RankedTensorType::get({}, b.getF32Type()), frame_.loc());
    return block;
  };
  TENON_RETURN_IF_ERROR(
      BuildElements(pass, add_block(op.getElement(), 3, pass.scores.size())));
  mlir::Block* row = add_block(op.getRow(), 2, pass.softmax ? 2 : folds.size());
  TENON_RETURN_IF_ERROR(StoreRows(pass, row));
  for (auto [number, region] : llvm::zip_equal(pass.products, op.getResults())) {
    Product& product = products_[number];
    mlir::Block* block = add_block(region, 3, 1);
    TENON_RETURN_IF_ERROR(
        product.over_rows
            ? StoreSumOverRows(product, block)
            : StoreProduct(product, block, block->getArgument(0), nullptr, {}));
  }
  return OkStatus();
}

Status AttentionBuilder::BuildElements(Pass& pass, mlir::Block* block) {
  KernelBlock body(frame_, block);
  PointBuilder& points = body.points();
  if (!pass.softmax) BindFolds(body, block);
  auto indices = ElementIndices(pass, body.index(), block);
  for (auto [position, number] : llvm::enumerate(pass.scores)) {
    mlir::Value dot = scores_[number].dot.getResult();
    auto sum = block->getArgument(3 + static_cast<unsigned>(position));
    points.BindPoint(dot, indices, AsElementOf(dot, sum, points));
  }
  llvm::SmallVector<mlir::Value> values;
  for (mlir::Value element : pass.elements) {
    TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(element, indices, nullptr));
    mlir::OpBuilder b = points.levels().InnermostBuilder();
    auto type = mlir::RankedTensorType::get({}, b.getF32Type());
    if (value.getType() != type)
      value = stablehlo::ConvertOp::create(b, frame_.loc(), type, value);
    values.push_back(value);
  }
  mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(block);
  ir::YieldOp::create(b, frame_.loc(), values);
  return OkStatus();
}

// Stores the reductions of the pass for later ones, and results of rows.
Status AttentionBuilder::StoreRows(Pass& pass, mlir::Block* block) {
  if (pass.folds.empty() && !pass.stores_rows) return OkStatus();
  KernelBlock body(frame_, block);
  PointBuilder& points = body.points();
  auto outer = RowIndices(body.index(), block->getArgument(0), block->getArgument(1));
  auto bind = [&](mlir::Value reduced, unsigned number) {
    mlir::Value value = AsElementOf(reduced, block->getArgument(2 + number), points);
    points.BindPoint(reduced, outer, value);
    return value;
  };
  if (pass.softmax) {
    bind(pass.softmax->maximum, 0);
    bind(pass.softmax->sum, 1);
  } else {
    BindFolds(body, block);
  }
  for (auto [number, reduce] : llvm::enumerate(pass.folds)) {
    mlir::Value result = reduce.getResult(0);
    mlir::Value view =
        Subview(block, scratch_, body.index().Constant(fold_offsets_[reduce]),
                ViewTypeOf(result.getType()));
    BuildStore(points, bind(result, static_cast<unsigned>(number)), view, outer);
  }
  if (!pass.stores_rows) return OkStatus();
  for (int64_t number : row_results_) {
    mlir::Value result = frame_.yields()[number];
    auto indices = outer;
    if (ShapeOf(result).size() > outer.size())
      indices.push_back(body.index().Constant(0));
    TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(result, indices, nullptr));
    BuildStore(points, value, frame_.output(number), indices);
  }
  return OkStatus();
}

Status AttentionBuilder::StoreSumOverRows(Product& product, mlir::Block* block) {
  KernelBlock body(frame_, block);
  IndexBuilder& index = body.index();
  mlir::Value key = block->getArgument(1), column = block->getArgument(2);
  auto indices = BatchIndices(index, block->getArgument(0));
  index.SetRange(key, 0, width_ - 1);
  index.SetRange(column, 0, compiler::Product(product.free) - 1);
  auto free = index.Delinearize(column, product.free);
  if (product.weights_first) indices.push_back(key);
  llvm::append_range(indices, free);
  if (!product.weights_first) indices.push_back(key);
  mlir::Value result = product.dot.getResult();
  body.points().BindPoint(result, indices,
                          AsElementOf(result, block->getArgument(3), body.points()));
  return StoreResults(frame_, body.points(), indices, product.results);
}

}  // namespace tenon::compiler
