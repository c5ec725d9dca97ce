// The code of an attention kernel: copies of operands, blocks of rows, sums over rows.
#include "tenon/compiler/kernels/attention_builder.h"
#include "tenon/compiler/kernels/row_values.h"

namespace tenon::compiler {

Status AttentionBuilder::CopyColumns(const Operand& operand, const Columns& columns) {
  llvm::ArrayRef<int64_t> shape = columns.panels.getShape();
  const int64_t k = shape[1], width = shape[2];
  const bool in_tiles =
      ir::ViewStrides(TypeOfView(operand.view))[2] != 1 && width >= ir::kMinTileSide;
  llvm::SmallVector<int64_t> sizes = {batches_, shape[0]};
  if (in_tiles)
    llvm::append_values(sizes, CeilDiv(k, kTileBlock), CeilDiv(width, kTileBlock));
  else
    sizes.push_back(k);
  double point_ns = frame_.cost().moved_element_ns *
                    (in_tiles ? kTileBlock * std::min(width, kTileBlock) : width);
  KernelBlock phase(frame_, sizes,
                    frame_.cost().Grain(compiler::Product(sizes), point_ns));
  PointBuilder& points = phase.points();
  IndexBuilder& index = phase.index();
  auto indices = phase.arguments();
  mlir::Value target =
      FindPanels(operand, columns, phase.levels().BlockAt(0), index, indices[0]);
  mlir::Value first = PanelStart(index, indices[1], columns);
  auto copy = [&](mlir::Value row, mlir::Value column) {
    mlir::Value value =
        points.Load(operand.view, {indices[0], row, index.Add(first, column)}, nullptr);
    BuildStore(points, value, target, {indices[1], row, column});
    return OkStatus();
  };
  if (!in_tiles) {
    return BuildMap(points, index.Constant(0), index.Constant(width), width - 1,
                    [&](mlir::Value column) { return copy(indices[2], column); });
  }
  mlir::OpBuilder b = phase.levels().InnermostBuilder();
  auto tile =
      ir::TileOp::create(b, frame_.loc(), {k, width}, kTileBlock, indices[2], indices[3]);
  mlir::Block* body = b.createBlock(&tile.getBody());
  for (int i = 0; i < 2; ++i) body->addArgument(b.getIndexType(), frame_.loc());
  phase.levels().Push(body);
  return copy(body->getArgument(0), body->getArgument(1));
}

StatusOr<ir::ContractOp> AttentionBuilder::Multiply(const RowBlock& row_block,
                                                    mlir::Value lhs,
                                                    const Operand& operand,
                                                    const Columns& columns,
                                                    mlir::Type accumulate) {
  mlir::Block* block = row_block.block;
  mlir::Value rhs;
  if (operand.copy.empty()) {
    llvm::ArrayRef<int64_t> shape = TypeOfView(operand.view).getShape();
    rhs = Part(block, operand.view, row_block.batch, row_block.zero, row_block.zero,
               shape[1], shape[2]);
  } else {
    rhs = FindPanels(operand, columns, block, row_block.index, row_block.batch);
    lhs = Subview(block, lhs, {row_block.zero, row_block.zero, row_block.zero},
                  RepeatedFor(TypeOfView(lhs), columns));
  }
  return AddPlanned(block, lhs, rhs, row_block.product_scratch, accumulate);
}

mlir::Value AttentionBuilder::ColumnIn(KernelBlock& epilogue, mlir::Block* body,
                                       const Columns& columns) {
  mlir::Value column = body->getArgument(2);
  if (!columns.panels) return column;
  IndexBuilder& index = epilogue.index();
  llvm::ArrayRef<int64_t> shape = columns.panels.getShape();
  index.SetRange(body->getArgument(0), 0, shape[0] - 1);
  index.SetRange(column, 0, shape[2] - 1);
  return index.Add(PanelStart(index, body->getArgument(0), columns), column);
}

Status AttentionBuilder::BuildRows(KernelBlock& phase, mlir::Value batch,
                                   mlir::Value row0, int64_t rows,
                                   llvm::ArrayRef<mlir::Value> scores,
                                   llvm::ArrayRef<mlir::Value> weights) {
  PointBuilder& points = phase.points();
  IndexBuilder& index = phase.index();
  llvm::ArrayRef<int64_t> shape = ShapeOf(scores_.front().stored_value);
  mlir::Value zero = index.Constant(0);
  llvm::SmallVector<mlir::Value> stored_values, elements;
  for (auto [one, view] : llvm::zip_equal(scores_, scores)) {
    // A view that starts at row 0, though scratch holds only the block's rows.
    llvm::SmallVector<int64_t> strides(one.views.batch.size(), 0);
    for (int64_t stride : RowMajorStrides(one.views.m))
      strides.push_back(stride * one.rows.pitch);
    strides.push_back(1);
    points.Bind(one.stored_value,
                Subview(phase.levels().BlockAt(0), view, {index.Sub(zero, row0), zero},
                        StridedView(one.rows.element, shape, strides)));
    stored_values.push_back(one.stored_value);
  }
  for (Weights& one : weights_) elements.push_back(one.value);
  for (int64_t number : element_results_) elements.push_back(frame_.yields()[number]);
  return BuildFor(points, zero, index.Constant(rows), rows - 1, [&](mlir::Value row) {
    auto outer = RowIndices(index, batch, index.Add(row0, row));
    TENON_RETURN_IF_ERROR(
        CacheRepeated(frame_, points, elements, stored_values, shape, outer, 8));
    for (int64_t number : row_results_) {
      mlir::Value result = frame_.yields()[number];
      auto indices = outer;
      if (ShapeOf(result).size() == shape.size()) indices.push_back(zero);
      TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(result, indices, nullptr));
      BuildStore(points, value, frame_.output(number), indices);
    }
    return BuildLoops(
        points, shape.back(), [&](llvm::ArrayRef<mlir::Value> column) -> Status {
          auto indices = outer;
          indices.push_back(column[0]);
          llvm::SmallVector<mlir::Value> values;
          for (mlir::Value element : elements) {
            TENON_ASSIGN_OR_RETURN(mlir::Value value,
                                   points.At(element, indices, nullptr));
            values.push_back(value);
          }
          auto stored = llvm::ArrayRef<mlir::Value>(values).take_front(weights.size());
          for (auto [view, value] : llvm::zip_equal(weights, stored))
            BuildStore(points, value, view, {row, column[0]});
          for (auto [number, value] : llvm::zip_equal(
                   element_results_, llvm::drop_begin(values, weights.size())))
            BuildStore(points, value, frame_.output(number), indices);
          return OkStatus();
        });
  });
}

Status AttentionBuilder::BuildScores(Scores& scores, const RowBlock& row_block,
                                     mlir::Value view) {
  mlir::Value lhs = Part(row_block.block, scores.lhs, row_block.batch, row_block.row0,
                         row_block.zero, row_block.rows, scores.views.lhs.getDimSize(2));
  for (const Columns& columns : scores.rhs.ColumnsOf()) {
    TENON_ASSIGN_OR_RETURN(ir::ContractOp contract,
                           Multiply(row_block, lhs, scores.rhs, columns,
                                    AccumulateTypeOf(ElementOf(scores.dot.getResult()))));
    mlir::Block* body = &contract.getEpilogue().front();
    KernelBlock epilogue(frame_, body);
    mlir::Value column = ColumnIn(epilogue, body, columns);
    TENON_ASSIGN_OR_RETURN(
        mlir::Value value,
        ScoreAt(epilogue, scores, body, row_block.batch, row_block.row0, column));
    BuildStore(epilogue.points(), value, view, {body->getArgument(1), column});
  }
  return OkStatus();
}

StatusOr<mlir::Value> AttentionBuilder::ScoreAt(KernelBlock& epilogue, Scores& scores,
                                                mlir::Block* body, mlir::Value batch,
                                                mlir::Value row0, mlir::Value column) {
  PointBuilder& points = epilogue.points();
  mlir::Value row = body->getArgument(1);
  if (row0) row = epilogue.index().Add(row0, row);
  auto indices = RowIndices(epilogue.index(), batch, row);
  indices.push_back(column);
  points.BindPoint(scores.dot.getResult(), indices,
                   AsElementOf(scores.dot.getResult(), body->getArgument(3), points));
  return points.At(scores.stored_value, indices, nullptr);
}

Status AttentionBuilder::StoreProduct(Product& product, mlir::Block* body,
                                      mlir::Value batch, mlir::Value row0,
                                      const Columns& columns) {
  KernelBlock epilogue(frame_, body);
  IndexBuilder& index = epilogue.index();
  mlir::Value row = body->getArgument(1);
  if (row0) row = index.Add(row0, row);
  auto indices = RowIndices(index, batch, row);
  mlir::Value column = ColumnIn(epilogue, body, columns);
  index.SetRange(column, 0, compiler::Product(product.free) - 1);
  auto free = index.Delinearize(column, product.free);
  auto rows = static_cast<int64_t>(scores_.front().views.m.size());
  indices.insert(product.weights_first ? indices.end() : indices.end() - rows,
                 free.begin(), free.end());
  mlir::Value result = product.dot.getResult();
  epilogue.points().BindPoint(
      result, indices, AsElementOf(result, body->getArgument(3), epilogue.points()));
  return StoreResults(frame_, epilogue.points(), indices, product.results);
}

Status AttentionBuilder::AddToSums(Product& product, mlir::Block* body, mlir::Value sums,
                                   mlir::Value is_first, bool only_one) {
  KernelBlock epilogue(frame_, body);
  PointBuilder& points = epilogue.points();
  mlir::Value row = body->getArgument(1), column = body->getArgument(2);
  mlir::Value value = body->getArgument(3);
  if (!only_one) {
    mlir::Value sum = points.Load(sums, {row, column}, nullptr);
    mlir::OpBuilder b = points.levels().InnermostBuilder();
    sum = stablehlo::AddOp::create(b, frame_.loc(), sum, value);
    value = is_first ? points.Select(is_first, value, sum) : sum;
  }
  BuildStore(points, value, sums, {row, column});
  return OkStatus();
}

Status AttentionBuilder::BuildBlocks(int64_t first_row, int64_t rows, int64_t blocks) {
  // Left-over rows add to the sums of the first chunk of their batch.
  bool left_over = first_row != 0;
  int64_t grain = left_over ? GrainOf(batches_, MaxChunks()) : grain_;
  KernelBlock phase(frame_, {batches_, blocks}, grain);
  mlir::Block* block = phase.levels().BlockAt(0);
  IndexBuilder& index = phase.index();
  mlir::Value batch = block->getArgument(0), number = block->getArgument(1);
  mlir::Value zero = index.Constant(0);
  mlir::Value slot = index.DivU(index.Add(index.Mul(batch, blocks), number), grain);
  mlir::Value row0 = index.Add(index.Mul(number, rows), index.Constant(first_row));
  auto in_slot = [&](int64_t offset, mlir::MemRefType type) {
    mlir::Value start =
        index.Add(index.Mul(slot, slot_bytes_), index.Constant(slots_offset_ + offset));
    return Subview(block, scratch_, start, type);
  };
  mlir::Value local;
  if (in_local_) {
    auto type = mlir::MemRefType::get({local_bytes_}, frame_.builder().getI8Type());
    mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(block);
    local = ir::LocalOp::create(b, frame_.loc(), type);
  }
  auto rows_in_slot = [&](const Rows& matrix) {
    auto type = StridedView(matrix.element, {rows, width_}, {matrix.pitch, 1});
    return local ? Subview(block, local, index.Constant(matrix.offset), type)
                 : in_slot(matrix.offset, type);
  };
  mlir::Value product_scratch =
      in_slot(product_scratch_offset_,
              mlir::MemRefType::get({slot_bytes_ - product_scratch_offset_},
                                    frame_.builder().getI8Type()));
  RowBlock row_block{block, index,           batch, number, row0,
                     zero,  product_scratch, rows,  grain,  left_over};
  llvm::SmallVector<mlir::Value> scores, weights;
  for (Scores& one : scores_) {
    scores.push_back(rows_in_slot(one.rows));
    TENON_RETURN_IF_ERROR(BuildScores(one, row_block, scores.back()));
  }
  for (Weights& one : weights_) weights.push_back(rows_in_slot(one.rows));
  TENON_RETURN_IF_ERROR(BuildRows(phase, batch, row0, rows, scores, weights));

  for (Product& product : products_) {
    mlir::Value view = weights[product.weights];
    TENON_RETURN_IF_ERROR(product.over_rows
                              ? BuildSumOverRows(product, row_block, view)
                              : BuildSumOverColumns(product, row_block, view));
  }
  return OkStatus();
}

Status AttentionBuilder::BuildSumOverColumns(Product& product, const RowBlock& row_block,
                                             mlir::Value weights) {
  const Rows& of = weights_[product.weights].rows;
  mlir::Value lhs = Subview(row_block.block, weights, {row_block.zero, row_block.zero},
                            StridedView(of.element, {1, row_block.rows, width_},
                                        {of.pitch * row_block.rows, of.pitch, 1}));
  for (const Columns& columns : product.other.ColumnsOf()) {
    TENON_ASSIGN_OR_RETURN(
        ir::ContractOp contract,
        Multiply(row_block, lhs, product.other, columns,
                 AccumulateTypeOf(ElementOf(product.dot.getResult()))));
    TENON_RETURN_IF_ERROR(StoreProduct(product, &contract.getEpilogue().front(),
                                       row_block.batch, row_block.row0, columns));
  }
  return OkStatus();
}

Status AttentionBuilder::BuildSumOverRows(Product& product, const RowBlock& row_block,
                                          mlir::Value weights) {
  const Rows& of = weights_[product.weights].rows;
  int64_t rows = row_block.rows, whole = of.pitch * rows;
  int64_t free = compiler::Product(product.free);
  IndexBuilder& index = row_block.index;
  mlir::Type accumulate = AccumulateTypeOf(ElementOf(product.dot.getResult()));
  mlir::Value other = product.other.view;
  mlir::Value lhs, rhs;
  if (product.weights_first) {
    lhs = Subview(row_block.block, weights, {row_block.zero, row_block.zero},
                  StridedView(of.element, {1, width_, rows}, {whole, 1, of.pitch}));
    rhs = Part(row_block.block, other, row_block.batch, row_block.row0, row_block.zero,
               rows, free);
  } else {
    lhs = Part(row_block.block, other, row_block.batch, row_block.zero, row_block.row0,
               free, rows);
    rhs = Subview(row_block.block, weights, {row_block.zero, row_block.zero},
                  StridedView(of.element, {1, rows, width_}, {whole, of.pitch, 1}));
  }
  mlir::Value chunk = index.Mul(row_block.batch, blocks_ / grain_);
  if (!row_block.is_left_over)
    chunk = index.Add(chunk, index.DivU(row_block.number, row_block.grain));
  int64_t bytes = product.rows * product.columns * BytesOf(accumulate);
  mlir::Value sums = Subview(
      row_block.block, scratch_,
      index.Add(index.Mul(chunk, bytes), index.Constant(product.offset)),
      StridedView(accumulate, {product.rows, product.columns}, {product.columns, 1}));
  mlir::Value is_first =
      row_block.is_left_over || row_block.grain == 1
          ? mlir::Value()
          : index.Equal(index.RemU(row_block.number, row_block.grain), 0);
  TENON_ASSIGN_OR_RETURN(
      auto contract,
      AddPlanned(row_block.block, lhs, rhs, row_block.product_scratch, accumulate));
  return AddToSums(product, &contract.getEpilogue().front(), sums, is_first,
                   !row_block.is_left_over && row_block.grain == 1);
}

// Adds up the sums of a batch's chunks, and stores the results that depend on them.
Status AttentionBuilder::BuildSums(Product& product) {
  int64_t chunks = blocks_ / grain_;
  KernelBlock phase(
      frame_, {batches_, product.rows},
      frame_.cost().Grain(batches_ * product.rows,
                          frame_.cost().loaded_element_ns * product.columns * chunks));
  PointBuilder& points = phase.points();
  IndexBuilder& index = phase.index();
  auto arguments = phase.arguments();
  mlir::Type accumulate = AccumulateTypeOf(ElementOf(product.dot.getResult()));
  int64_t matrix = product.rows * product.columns;
  mlir::Value sums =
      Subview(phase.levels().BlockAt(0), scratch_, index.Constant(product.offset),
              StridedView(accumulate, {batches_, chunks, product.rows, product.columns},
                          {chunks * matrix, matrix, product.columns, 1}));
  return BuildMap(
      points, index.Constant(0), index.Constant(product.columns), product.columns - 1,
      [&](mlir::Value column) {
        mlir::Value sum;
        for (int64_t chunk = 0; chunk < chunks; ++chunk) {
          mlir::Value part = points.Load(
              sums, {arguments[0], index.Constant(chunk), arguments[1], column}, nullptr);
          mlir::OpBuilder b = points.levels().InnermostBuilder();
          sum = sum ? stablehlo::AddOp::create(b, frame_.loc(), sum, part) : part;
        }
        auto indices = BatchIndices(index, arguments[0]);
        bool first = product.weights_first;
        auto free = index.Delinearize(first ? column : arguments[1], product.free);
        if (first) indices.push_back(arguments[1]);
        llvm::append_range(indices, free);
        if (!first) indices.push_back(column);
        mlir::Value result = product.dot.getResult();
        points.BindPoint(result, indices, AsElementOf(result, sum, points));
        return StoreResults(frame_, points, indices, product.results);
      });
}

Status AttentionBuilder::Build() {
  TENON_RETURN_IF_ERROR(FindProducts());
  if (auto stream = FindStream()) return BuildStream(*stream);
  TENON_RETURN_IF_ERROR(AddOperands());
  PlaceRows(kMinRows);
  int64_t rows = ChooseRows();
  PlaceRows(rows);
  blocks_ = length_ / rows;
  int64_t left_over_rows = length_ % rows;
  ChooseGrain();
  int64_t slots = CeilDiv(batches_ * blocks_, grain_);
  ContractResources resources = ResourcesOfBlock(rows);
  double ns = resources.ns * batches_ * blocks_;
  if (left_over_rows != 0) {
    slots = std::max(slots, CeilDiv(batches_, GrainOf(batches_, MaxChunks())));
    ContractResources left_over = ResourcesOfBlock(left_over_rows);
    resources.scratch_bytes = std::max(resources.scratch_bytes, left_over.scratch_bytes);
    ns += left_over.ns * batches_;
  }
  if (in_local_) local_bytes_ = std::exchange(product_scratch_offset_, 0);
  // The groups of a device copy operands to local memory instead.
  if (target_.device) resources.scratch_bytes = 0;
  slot_bytes_ =
      AlignUp(std::max<int64_t>(1, product_scratch_offset_ + resources.scratch_bytes),
              kAlignment);
  int64_t bytes = 0;
  auto take = [&](int64_t size) {
    return std::exchange(bytes, bytes + AlignUp(size, kAlignment));
  };
  llvm::SmallVector<Operand*> operands;
  for (Scores& scores : scores_) operands.push_back(&scores.rhs);
  for (Product& product : products_) operands.push_back(&product.other);
  for (Operand* operand : operands)
    operand->offset = take(batches_ * operand->batch_bytes());
  for (Product& product : products_)
    if (product.over_rows)
      product.offset =
          take(batches_ * (blocks_ / grain_) * product.rows * product.columns *
               BytesOf(AccumulateTypeOf(ElementOf(product.dot.getResult()))));
  slots_offset_ = bytes;
  scratch_ = frame_.AddScratch(bytes + slots * slot_bytes_);
  frame_.built().estimated_ns =
      ns + EstimatePointNs(frame_) * compiler::Product(ShapeOf(frame_.yields()[0]));

  for (Operand* operand : operands)
    for (const Columns& columns : operand->copy)
      TENON_RETURN_IF_ERROR(CopyColumns(*operand, columns));
  TENON_RETURN_IF_ERROR(BuildBlocks(0, rows, blocks_));
  if (left_over_rows != 0)
    TENON_RETURN_IF_ERROR(BuildBlocks(length_ - left_over_rows, left_over_rows, 1));
  for (Product& product : products_)
    if (product.over_rows) TENON_RETURN_IF_ERROR(BuildSums(product));
  return OkStatus();
}

Status BuildAttentionKernel(KernelFrame& frame) {
  return AttentionBuilder(frame).Build();
}

}  // namespace tenon::compiler
