// Common parts of the reducing operations. Internal; one thread per object.
#ifndef TENON_REFERENCE_REDUCTION_H_
#define TENON_REFERENCE_REDUCTION_H_

#include <cstdint>
#include <vector>

#include "tenon/reference/evaluator.h"

namespace tenon::reference {

// Accumulators of many lanes and the elements to combine them with, all in computing form
// (compute.h), for a computation (accumulators..., elements...) -> accumulators.
class LaneReducer {
 public:
  LaneReducer(RegionFunction& function, std::vector<ElementType> types);

  uint8_t* accumulator(size_t i) { return accumulators_[i].data(); }
  uint8_t* element(size_t i) { return elements_[i].data(); }
  int64_t bytes(size_t i) const { return bytes_[i]; }
  // accumulators = function(accumulators, elements) on the first `lanes` lanes.
  Status Combine(int64_t lanes);

 private:
  RegionFunction& function_;
  std::vector<int64_t> bytes_;
  std::vector<std::vector<uint8_t>> accumulators_, elements_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

// out[i] = init + the sum of inputs[i][0..steps), accumulated in f64 (complex in two f64)
// and rounded once. Only for float and complex types of at most 32 bits per part; returns
// false for others. `inputs` and `init` are in computing form, `out` in storage form.
bool SumWide(ElementType type, const void* inputs, const void* init, int64_t outputs,
             int64_t steps, bool flush_denormals, uint8_t* out);

// The same for running sums: out[i] = init + inputs[0] + ... + inputs[i]. Elements are
// `stride` apart; `backward` sums from the last to the first.
bool RunningSumWide(ElementType type, const void* inputs, const void* init, int64_t count,
                    int64_t stride, bool backward, bool flush_denormals, uint8_t* out);

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_REDUCTION_H_
