#include "tenon/compiler/codegen/ir/transpose_tile.h"

namespace tenon::codegen {

void TransposeTile(llvm::IRBuilderBase& b, llvm::MutableArrayRef<llvm::Value*> rows,
                   int unit) {
  // Each step interleaves the upper half of the vectors with the lower half (a perfect
  // shuffle). log2(count) steps transpose the tile.
  int count = static_cast<int>(rows.size());
  llvm::SmallVector<int> low, high;
  for (int element = 0; element < count; ++element) {
    int from = element / 2 + (element % 2 == 0 ? 0 : count);
    for (int lane = 0; lane < unit; ++lane) {
      low.push_back(from * unit + lane);
      high.push_back((from + count / 2) * unit + lane);
    }
  }
  // An arithmetic_fence after each shuffle keeps LLVM from trying to combine the shuffles
  // of successive steps. The attempt takes time in proportion to the number of paths
  // between them, and never succeeds.
  auto fence = [&](llvm::Value* vector) -> llvm::Value* {
    llvm::Type* element = vector->getType()->getScalarType();
    if (!element->isFloatTy() && !element->isDoubleTy()) return vector;
    return b.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {vector->getType()},
                             {vector});
  };
  for (int step = 1; step < count; step *= 2) {
    llvm::SmallVector<llvm::Value*> next;
    for (int i = 0; i < count / 2; ++i) {
      next.push_back(fence(b.CreateShuffleVector(rows[i], rows[i + count / 2], low)));
      next.push_back(fence(b.CreateShuffleVector(rows[i], rows[i + count / 2], high)));
    }
    llvm::copy(next, rows.begin());
  }
}

void TransposeBlocksOfFour(llvm::IRBuilderBase& b, llvm::Value* (&rows)[4]) {
  int lanes = llvm::cast<llvm::FixedVectorType>(rows[0]->getType())->getNumElements();
  // Interleaves pairs of elements (`unit` 1), then pairs of pairs (`unit` 2).
  auto interleave = [&](llvm::Value* x, llvm::Value* y, int start, int unit) {
    llvm::SmallVector<int> indices;
    for (int block = 0; block < lanes; block += 4)
      for (int j = 0; j < 4; ++j) {
        int within = start + (unit == 1 ? j / 2 : j % 2);
        int from_y = unit == 1 ? j % 2 : j / 2;
        indices.push_back(from_y * lanes + block + within);
      }
    return b.CreateShuffleVector(x, y, indices);
  };
  llvm::Value* low01 = interleave(rows[0], rows[1], 0, 1);
  llvm::Value* high01 = interleave(rows[0], rows[1], 2, 1);
  llvm::Value* low23 = interleave(rows[2], rows[3], 0, 1);
  llvm::Value* high23 = interleave(rows[2], rows[3], 2, 1);
  rows[0] = interleave(low01, low23, 0, 2);
  rows[1] = interleave(low01, low23, 2, 2);
  rows[2] = interleave(high01, high23, 0, 2);
  rows[3] = interleave(high01, high23, 2, 2);
}

}  // namespace tenon::codegen
