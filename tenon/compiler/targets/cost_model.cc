#include "tenon/compiler/targets/cost_model.h"

#include <algorithm>

#include "llvm/ADT/StringMap.h"

namespace tenon::compiler {

CostModel CostModel::ForVectorBits(int vector_bits) {
  CostModel model;
  model.vector_scale = 512.0 / vector_bits;
  model.simple_ns *= model.vector_scale;
  return model;
}

double CostModel::ElementNs(llvm::StringRef name) const {
  static const llvm::StringMap<double> kCostlyNs = {
      {"exponential", 0.05}, {"exponential_minus_one", 0.08},
      {"log", 0.1},          {"log_plus_one", 0.12},
      {"logistic", 0.1},     {"tanh", 0.06},
      {"sine", 0.07},        {"cosine", 0.07},
      {"tan", 0.12},         {"power", 0.43},
      {"cbrt", 0.2},         {"atan2", 0.2},
      {"composite", 0.15},   {"divide", 0.06},
      {"remainder", 0.2},    {"sqrt", 0.06},
      {"rsqrt", 0.1}};
  auto costly = kCostlyNs.find(name);
  return costly == kCostlyNs.end() ? simple_ns : costly->second * vector_scale;
}

int64_t CostModel::Grain(int64_t points, double point_ns) const {
  if (points * point_ns <= min_parallel_ns) return std::max<int64_t>(points, 1);
  return std::clamp<int64_t>(static_cast<int64_t>(chunk_ns / point_ns), 1, points);
}

}  // namespace tenon::compiler
