// Triangular solves and factorizations.
#include "tenon/compiler/analysis/batched_lapack.h"
#include "tenon/compiler/kernels/kernel_frame.h"

namespace tenon::compiler {
namespace {

// A view [batch, rows, columns] of a tensor's last two dimensions, or its transpose.
mlir::MemRefType MatrixView(mlir::Value tensor, bool transposed) {
  llvm::ArrayRef<int64_t> shape = ShapeOf(tensor);
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  int64_t batch = Product(shape.drop_back(2));
  if (transposed)
    return StridedView(ElementOf(tensor), {batch, columns, rows},
                       {rows * columns, 1, columns});
  return StridedView(ElementOf(tensor), {batch, rows, columns},
                     {rows * columns, columns, 1});
}

// The view of a tensor of the op: matrices, or several numbers for each matrix.
mlir::MemRefType ViewOf(mlir::Value tensor, int64_t batch, int64_t rank,
                        bool transposed) {
  if (TypeOf(tensor).getRank() == rank) return MatrixView(tensor, transposed);
  return mlir::MemRefType::get({batch, Product(ShapeOf(tensor)) / batch},
                               ElementOf(tensor));
}

struct LinalgOpSpec {
  ir::LinalgKind kind;
  // Which of the hero's operands are viewed as transposed, by number.
  llvm::SmallVector<bool> inputs_transposed;
  bool output_transposed = false;
  bool lower = false, unit_diagonal = false, conjugate = false;
};

LinalgOpSpec Describe(stablehlo::TriangularSolveOp op) {
  auto form = op.getTransposeA();
  // x op(a) = b is the same as op(a)^T x^T = b^T.
  bool left = op.getLeftSide();
  bool swap = (form != stablehlo::Transpose::NO_TRANSPOSE) == left;
  return {ir::LinalgKind::kTriangularSolve,
          {swap, !left},
          !left,
          op.getLower() != swap,
          op.getUnitDiagonal(),
          form == stablehlo::Transpose::ADJOINT};
}

}  // namespace

Status BuildLinalgKernel(KernelFrame& frame) {
  mlir::Operation& hero = frame.region().front();
  LinalgOpSpec spec;
  if (auto solve = llvm::dyn_cast<stablehlo::TriangularSolveOp>(hero)) {
    spec = Describe(solve);
  } else if (auto cholesky = llvm::dyn_cast<ir::CholeskyOp>(hero)) {
    // With transposed views of operand and result, the upper factor is the lower one.
    spec = {ir::LinalgKind::kCholesky, {cholesky.getLower()}, cholesky.getLower()};
  } else if (auto batched = AsBatchedLapack(&hero)) {
    spec = {batched->kind, {false, false}};
    spec.lower = batched->lower;
  } else if (llvm::isa<ir::LuOp>(hero)) {
    spec = {ir::LinalgKind::kLu, {false}};
  } else if (llvm::isa<ir::LuPanelOp>(hero)) {
    spec = {ir::LinalgKind::kLuPanel, {false}};
  } else {
    return Internal("no kernel of linear algebra");
  }
  llvm::SmallVector<mlir::Value> inputs, outputs;
  llvm::ArrayRef<int64_t> shape = ShapeOf(hero.getOperand(0));
  const int64_t rank = static_cast<int64_t>(shape.size());
  const int64_t batch = Product(shape.drop_back(2));
  for (auto [number, operand] : llvm::enumerate(hero.getOperands())) {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(operand);
    if (!argument) return Internal("matrices must come from outside the fusion");
    inputs.push_back(
        frame.AddInput(argument.getArgNumber(),
                       ViewOf(operand, batch, rank, spec.inputs_transposed[number])));
  }
  for (mlir::OpResult result : hero.getResults()) {
    outputs.push_back(frame.AddOutput(
        result.getResultNumber(), ViewOf(result, batch, rank, spec.output_transposed)));
  }
  mlir::Value scratch = frame.AddScratch(1);
  mlir::OpBuilder b =
      mlir::OpBuilder::atBlockEnd(&frame.built().kernel.getBody().front());
  auto op = ir::LinalgOp::create(b, frame.loc(), spec.kind, inputs, outputs, scratch,
                                 spec.lower, spec.unit_diagonal, spec.conjugate);
  return PlanKernel(frame, *op, scratch).status();
}

}  // namespace tenon::compiler
