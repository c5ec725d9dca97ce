// Times generated products and convolutions on this machine: GFLOP/s on one and two
// threads, the milliseconds their compilation takes and the bytes of their code.
//
//   contract_benchmark [name-substring]
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tenon/compiler/codegen/contract/contract_jit.h"

namespace tenon::codegen {
namespace {

std::string filter;

std::vector<float> Random(int64_t count) {
  std::vector<float> values(count + 16);
  uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = float(int32_t(state) >> 8) / float(1 << 23);
  }
  return values;
}

void Report(const std::string& name, JitKernel& kernel, double flops, const void* lhs,
            const void* rhs, void* out) {
  auto best = [&](int threads) {
    double least = 1e30;
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 2000; ++i) {
      auto start = std::chrono::steady_clock::now();
      kernel.Run(lhs, rhs, out, threads);
      auto end = std::chrono::steady_clock::now();
      least = std::min(least, std::chrono::duration<double>(end - start).count());
      if (i > 4 && end - begin > std::chrono::milliseconds(400)) break;
    }
    return least;
  };
  double one = best(1), two = best(2);
  std::string chunks;
  for (int64_t count : kernel.plan().phase_chunks) chunks += " " + std::to_string(count);
  std::printf(
      "%-34s %9.1f us %7.1f GF/s | %9.1f us %7.1f GF/s | est %8.1f us, %5.1f ms, %5lld B,"
      "%s\n",
      name.c_str(), one * 1e6, flops / one / 1e9, two * 1e6, flops / two / 1e9,
      kernel.plan().estimated_ns / 1e3, kernel.codegen_ms(),
      static_cast<long long>(kernel.code_bytes()), chunks.c_str());
  std::fflush(stdout);
}

void Product(const std::string& name, int64_t batch, int64_t m, int64_t n, int64_t k,
             bool lhs_transposed = false, bool rhs_transposed = false,
             ElementType type = ElementType::kF32) {
  if (name.find(filter) == std::string::npos) return;
  ContractSpec spec;
  spec.batch = batch, spec.m = m, spec.n = n, spec.k = k;
  spec.lhs_type = spec.rhs_type = spec.out_type = type;
  spec.lhs = lhs_transposed ? ContractStrides{m * k, 1, m} : ContractStrides{m * k, k, 1};
  spec.rhs = rhs_transposed ? ContractStrides{k * n, 1, k} : ContractStrides{k * n, n, 1};
  spec.out = {m * n, n, 1};
  auto kernel = JitKernel::Make(spec, HostTraits());
  if (!kernel.ok()) {
    std::printf("%-34s %s\n", name.c_str(), kernel.status().ToString().c_str());
    return;
  }
  std::vector<float> lhs = Random(batch * m * k * 2), rhs = Random(batch * k * n * 2),
                     out(batch * m * n * 2 + 16);
  Report(name, *kernel, 2.0 * batch * m * n * k, lhs.data(), rhs.data(), out.data());
}

}  // namespace
}  // namespace tenon::codegen

int main(int argc, char** argv) {
  using namespace tenon::codegen;
  if (argc > 1) filter = argv[1];
  for (int64_t n : {16, 32, 64, 128, 256, 512, 1024, 2048})
    Product("f32 " + std::to_string(n), 1, n, n, n);
  Product("f32 333x777x555", 1, 333, 777, 555);
  Product("f32 100x100x100", 1, 100, 100, 100);
  Product("f32 1024 NT", 1, 1024, 1024, 1024, false, true);
  Product("f32 1024 TN", 1, 1024, 1024, 1024, true, false);
  Product("f32 256 NT", 1, 256, 256, 256, false, true);
  Product("f32 256 TN", 1, 256, 256, 256, true, false);
  Product("f32 64x512x512 NT", 1, 64, 512, 512, false, true);
  Product("f32 8x4096x4096", 1, 8, 4096, 4096);
  Product("f32 1x4096x4096", 1, 1, 4096, 4096);
  Product("f32 1x4096x4096 NT", 1, 1, 4096, 4096, false, true);
  Product("f32 8x1024x1024 NT", 1, 8, 1024, 1024, false, true);
  Product("f32 matvec 4096", 1, 4096, 1, 4096);
  Product("f32 matvec 4096 T", 1, 4096, 1, 4096, true, false);
  Product("f32 tall 65536x64x64", 1, 65536, 64, 64);
  Product("f32 64x64x65536 TN", 1, 64, 64, 65536, true, false);
  Product("f32 64x10x3136", 1, 64, 10, 3136);
  Product("f32 batch 512x32x32x32", 512, 32, 32, 32);
  Product("f32 batch 64x128x128x64 NT", 64, 128, 128, 64, false, true);
  Product("f32 batch 64x128x64x128", 64, 128, 64, 128);
  Product("f32 512x3072x768", 1, 512, 3072, 768);
  Product("f64 256", 1, 256, 256, 256, false, false, tenon::ElementType::kF64);
  Product("bf16 256", 1, 256, 256, 256, false, false, tenon::ElementType::kBF16);
  Product("bf16 1024", 1, 1024, 1024, 1024, false, false, tenon::ElementType::kBF16);
  Product("f16 1024", 1, 1024, 1024, 1024, false, false, tenon::ElementType::kF16);
}
