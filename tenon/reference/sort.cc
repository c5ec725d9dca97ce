// sort: a stable merge sort with any comparator.
#include <cstring>
#include <numeric>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/evaluator.h"

namespace tenon::reference {
namespace {

// Sorts `order` by `less`, which returns a Status and sets its flag. The result is a
// permutation, whatever the comparator returns.
template <typename Less>
Status MergeSort(std::vector<int64_t>& order, Less less) {
  std::vector<int64_t> merged(order.size());
  const size_t size = order.size();
  for (size_t width = 1; width < size; width *= 2) {
    for (size_t begin = 0; begin < size; begin += 2 * width) {
      const size_t middle = std::min(begin + width, size);
      const size_t end = std::min(begin + 2 * width, size);
      size_t left = begin, right = middle, next = begin;
      while (left < middle && right < end) {
        bool right_first = false;
        TENON_RETURN_IF_ERROR(less(order[right], order[left], right_first));
        merged[next++] = right_first ? order[right++] : order[left++];
      }
      while (left < middle) merged[next++] = order[left++];
      while (right < end) merged[next++] = order[right++];
    }
    order.swap(merged);
  }
  return OkStatus();
}

}  // namespace

Status EvalSort(OpContext& context) {
  auto op = llvm::cast<stablehlo::SortOp>(context.op);
  const size_t count = op.getInputs().size();
  const Dims dims = context.operands[0].dims();
  const int64_t rank = static_cast<int64_t>(dims.size());
  const int64_t given = static_cast<int64_t>(op.getDimension());
  const int64_t dimension = given < 0 ? given + rank : given;
  if (dimension < 0 || dimension >= rank) {
    if (rank != 0)
      return InvalidArgument("there is no dimension " + std::to_string(given));
    context.results = std::move(context.operands);
    return OkStatus();
  }
  const int64_t size = dims[dimension];
  const int64_t stride = RowMajorStrides(dims)[dimension];
  const int64_t lines = size == 0 ? 0 : ElementCount(dims) / size;

  std::vector<ComputeArray> inputs;
  std::vector<int64_t> bytes;
  for (size_t i = 0; i < count; ++i) {
    inputs.emplace_back(context.operands[i]);
    bytes.push_back(ComputeBytes(context.operands[i].type()));
    TENON_ASSIGN_OR_RETURN(Literal result,
                           context.NewLiteral(context.operands[i].type(), dims));
    context.results.push_back(std::move(result));
  }
  RegionFunction comparator(context, op.getComparator());
  std::vector<const void*> arguments(2 * count);
  std::vector<uint8_t*> out(count);
  for (size_t i = 0; i < count; ++i)
    if (lines) out[i] = context.results[i].mutable_data();
  std::vector<int64_t> order(size);
  for (int64_t line = 0; line < lines; ++line) {
    const int64_t base = line / stride * stride * size + line % stride;
    const auto less = [&](int64_t a, int64_t b, bool& result) -> Status {
      for (size_t i = 0; i < count; ++i) {
        const auto* values = inputs[i].values<uint8_t>();
        arguments[2 * i] = values + (base + a * stride) * bytes[i];
        arguments[2 * i + 1] = values + (base + b * stride) * bytes[i];
      }
      uint64_t answer[2] = {0, 0};
      void* outputs[] = {answer};
      TENON_RETURN_IF_ERROR(comparator.Run(1, arguments.data(), outputs));
      result = answer[0] != 0;
      return OkStatus();
    };
    std::iota(order.begin(), order.end(), 0);
    TENON_RETURN_IF_ERROR(MergeSort(order, less));
    for (size_t i = 0; i < count; ++i) {
      const int64_t width = ElementBytes(context.operands[i].type());
      for (int64_t k = 0; k < size; ++k)
        std::memcpy(out[i] + (base + k * stride) * width,
                    context.operands[i].data() + (base + order[k] * stride) * width,
                    width);
    }
  }
  return OkStatus();
}

}  // namespace tenon::reference
