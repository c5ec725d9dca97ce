// Times generated products and convolutions on this machine: GFLOP/s on one and two
// threads, milliseconds of compilation and bytes of code. With oneDNN's library, also its
// time on two threads, with operands as given and with rhs packed before.
//
//   contract_benchmark [name-substring [second-level-cache-KiB [libdnnl.so.3]]]
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "tenon/compiler/codegen/contract/contract_jit.h"
#include "tenon/compiler/codegen/contract/element_memory.h"
#include "tenon/compiler/codegen/contract/onednn_product.h"

namespace tenon::codegen {
namespace {

std::string filter;
TargetTraits traits;
std::unique_ptr<OneDnn> onednn;

double Seconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

// Memory as the runtime allocates it for arrays: aligned, and on huge pages if there are
// any.
struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<float[], Free>;

Buffer Random(int64_t count) {
  constexpr int64_t kHugePage = 2 << 20;
  int64_t bytes = (4 * (count + 16) + kHugePage - 1) / kHugePage * kHugePage;
  Buffer values(static_cast<float*>(std::aligned_alloc(kHugePage, bytes)));
  madvise(values.get(), bytes, MADV_HUGEPAGE);
  uint32_t state = 1;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    values[i] = float(int32_t(state) >> 8) / float(1 << 23);
  }
  return values;
}

// The minimal time of an execution, in seconds.
double Best(clockid_t clock, const std::function<void()>& run) {
  // Lets the spinning threads of the previous kernel go to sleep.
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  double fastest = 1e30;
  double begin = Seconds(CLOCK_MONOTONIC);
  for (int i = 0; i < 2000; ++i) {
    double start = Seconds(clock);
    run();
    fastest = std::min(fastest, Seconds(clock) - start);
    if (i > 4 && Seconds(CLOCK_MONOTONIC) - begin > 0.4) break;
  }
  return fastest;
}

void Report(const std::string& name, JitKernel& kernel, double flops, const void* lhs,
            const void* rhs, void* out) {
  static std::vector<float> bias(1 << 16);
  // On one thread the processor time is measured, so that other jobs on the machine
  // matter less.
  auto best = [&](int threads) {
    return Best(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC,
                [&] { kernel.Run(lhs, rhs, out, threads, bias.data()); });
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

void ReportOneDnn(const ContractSpec& spec, double flops, const void* lhs,
                  const void* rhs, void* out) {
  for (bool packed : {false, true}) {
    auto run = onednn->Product(spec, lhs, rhs, out, packed);
    if (!run) continue;
    double fastest = Best(CLOCK_MONOTONIC, run);
    std::printf("  oneDNN, %-45s | %9.1f us %7.1f GF/s\n", packed ? "packed" : "plain",
                fastest * 1e6, flops / fastest / 1e9);
  }
  std::fflush(stdout);
}

// out = max(sum + bias[column], 0), an example of a fused epilogue.
StoreHook BiasRelu(const ContractStrides& strides, llvm::Value* out, llvm::Value* bias) {
  return [=](llvm::IRBuilder<>& b, const VectorAccess& access,
             const ElementValue& value) {
    llvm::Value* offset = AddI(b,
                               AddI(b, MulI(b, access.index[0], strides.batch),
                                    MulI(b, access.index[1], strides.row)),
                               MulI(b, access.index[2], strides.col));
    ElementValue added =
        LoadElements(b, value.type, OffsetPointer(b, bias, access.index[2], 4),
                     access.lanes, access.lane_dim == 2 ? 1 : 0, access.mask);
    ElementValue result = value;
    result.re = b.CreateFAdd(value.re, added.re);
    result.re = b.CreateMaxNum(result.re, ZeroElements(b, value.type, access.lanes).re);
    StoreElements(b, result, OffsetPointer(b, out, offset, 4), access.lanes,
                  access.lane_dim == 2 ? strides.col : strides.row, access.mask);
    return OkStatus();
  };
}

void Product(const std::string& name, int64_t batch, int64_t m, int64_t n, int64_t k,
             bool lhs_transposed = false, bool rhs_transposed = false,
             ElementType type = tenon::ElementType::kF32, bool fused = false) {
  if (name.find(filter) == std::string::npos) return;
  ContractSpec spec;
  spec.batch = batch, spec.m = m, spec.n = n, spec.k = k;
  spec.lhs_type = spec.rhs_type = spec.out_type = type;
  if (type == ElementType::kS8) spec.out_type = ElementType::kS32;
  spec.lhs = lhs_transposed ? ContractStrides{m * k, 1, m} : ContractStrides{m * k, k, 1};
  spec.rhs = rhs_transposed ? ContractStrides{k * n, 1, k} : ContractStrides{k * n, n, 1};
  spec.out = {m * n, n, 1};
  spec.has_store = fused;
  KernelPlan plan = PlanContract(spec, traits);
  auto make = [&] {
    return JitKernel::Make(
        plan, [&](llvm::IRBuilder<>& b, int phase, const ContractPointers& pointers,
                  llvm::Value* chunk, llvm::Value* bias) {
          ContractHooks hooks;
          if (fused) hooks.store = BiasRelu(spec.out, pointers.out, bias);
          return EmitContractPhase(b, spec, plan, phase, pointers, chunk, hooks);
        });
  };
  auto kernel = make();
  if (kernel.ok()) kernel = make();  // warm
  if (!kernel.ok()) {
    std::printf("%-34s %s\n", name.c_str(), kernel.status().ToString().c_str());
    return;
  }
  Buffer lhs = Random(batch * m * k * 2), rhs = Random(batch * k * n * 2),
         out = Random(batch * m * n * 2);
  double flops = 2.0 * batch * m * n * k;
  Report(name, *kernel, flops, lhs.get(), rhs.get(), out.get());
  if (onednn && !fused) ReportOneDnn(spec, flops, lhs.get(), rhs.get(), out.get());
}

struct Conv {
  int64_t batch, size, in, out, window;
  int64_t stride = 1, groups = 1;
  bool channels_first = false;
  bool transposed_filter = false;  // as in the gradient with respect to the input
};

ConvSpec MakeConv(const Conv& c) {
  ConvSpec spec;
  spec.batch = c.batch, spec.input_features = c.in, spec.output_features = c.out;
  spec.feature_groups = c.groups;
  int64_t out_size = (c.size + c.stride - 1) / c.stride;
  int64_t group_in = c.in / c.groups;
  int64_t in_step[2], out_step[2],
      rhs_step[2] = {c.window * group_in * c.out, group_in * c.out};
  if (c.channels_first) {
    spec.lhs_feature_stride = c.size * c.size;
    spec.out_feature_stride = out_size * out_size;
    in_step[0] = c.size, in_step[1] = 1, out_step[0] = out_size, out_step[1] = 1;
    spec.rhs_input_stride = c.window * c.window;
    spec.rhs_output_stride = group_in * c.window * c.window;
    rhs_step[0] = c.window, rhs_step[1] = 1;
  } else {
    spec.lhs_feature_stride = spec.out_feature_stride = 1;
    in_step[0] = c.size * c.in, in_step[1] = c.in;
    out_step[0] = out_size * c.out, out_step[1] = c.out;
    spec.rhs_input_stride = c.transposed_filter ? 1 : c.out;
    spec.rhs_output_stride = c.transposed_filter ? group_in : 1;
  }
  spec.lhs_batch_stride = c.size * c.size * c.in;
  spec.out_batch_stride = out_size * out_size * c.out;
  for (int i = 0; i < 2; ++i) {
    ConvSpatialDim dim;
    dim.input = c.size, dim.window = c.window, dim.output = out_size,
    dim.stride = c.stride;
    dim.padding_low = (c.window - 1) / 2;
    dim.lhs_stride = in_step[i], dim.rhs_stride = rhs_step[i],
    dim.out_stride = out_step[i];
    dim.reversal = c.transposed_filter;
    spec.spatial.push_back(dim);
  }
  return spec;
}

void Convolution(const std::string& name, const ConvSpec& spec) {
  if (name.find(filter) == std::string::npos) return;
  auto kernel = JitKernel::Make(spec, traits);
  if (!kernel.ok()) {
    std::printf("%-34s %s\n", name.c_str(), kernel.status().ToString().c_str());
    return;
  }
  int64_t lhs_count = spec.batch * spec.input_features, out_count = spec.batch,
          rhs_count = spec.output_features * spec.input_features / spec.feature_groups;
  double flops = 2;
  for (const ConvSpatialDim& dim : spec.spatial) {
    lhs_count *= dim.input, rhs_count *= dim.window, out_count *= dim.output;
    flops *= dim.output * dim.window;
  }
  flops *= double(spec.batch / spec.batch_groups) * spec.output_features *
           spec.input_features / spec.feature_groups;
  out_count *= spec.output_features;
  Buffer lhs = Random(lhs_count), rhs = Random(rhs_count), out = Random(out_count);
  Report(name, *kernel, flops, lhs.get(), rhs.get(), out.get());
}

// The gradient of a 3x3 convolution with respect to the filter, features last: batch and
// features are exchanged.
ConvSpec FilterGradient(int64_t batch, int64_t size, int64_t in, int64_t out,
                        int64_t stride) {
  int64_t out_size = (size + stride - 1) / stride;
  ConvSpec spec;
  spec.batch = in, spec.input_features = batch, spec.output_features = out;
  spec.lhs_batch_stride = 1, spec.lhs_feature_stride = size * size * in;
  spec.rhs_input_stride = out_size * out_size * out, spec.rhs_output_stride = 1;
  spec.out_batch_stride = out, spec.out_feature_stride = 1;
  for (int64_t step : {size, int64_t{1}}) {
    ConvSpatialDim dim;
    dim.input = size, dim.window = out_size, dim.output = 3;
    dim.padding_low = 1, dim.rhs_dilation = stride;
    dim.lhs_stride = step * in;
    dim.rhs_stride = (step == 1 ? 1 : out_size) * out;
    dim.out_stride = (step == 1 ? 1 : 3) * in * out;
    spec.spatial.push_back(dim);
  }
  return spec;
}

// The gradient of a strided 3x3 convolution with respect to the input: a dilated input.
ConvSpec InputGradient(int64_t batch, int64_t size, int64_t in, int64_t out,
                       int64_t stride) {
  int64_t small = size / stride;
  ConvSpec spec = MakeConv({batch, size, out, in, 3, 1, 1, false, true});
  spec.lhs_batch_stride = small * small * out;
  for (int i = 0; i < 2; ++i) {
    spec.spatial[i].input = small;
    spec.spatial[i].lhs_dilation = stride;
    spec.spatial[i].lhs_stride = (i == 0 ? small : 1) * out;
  }
  return spec;
}

void PlainF32Products() {
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
  Product("f32 16x4096x4096", 1, 16, 4096, 4096);
  for (int64_t m : {8, 16, 24})
    Product("f32 " + std::to_string(m) + "x2048x2048", 1, m, 2048, 2048);
  Product("f32 16x768x3072", 1, 16, 768, 3072);
  Product("f32 32x2048x2048", 1, 32, 2048, 2048);
  Product("f32 1x4096x4096", 1, 1, 4096, 4096);
  Product("f32 1x4096x4096 NT", 1, 1, 4096, 4096, false, true);
  Product("f32 8x1024x1024 NT", 1, 8, 1024, 1024, false, true);
  Product("f32 matvec 4096", 1, 4096, 1, 4096);
  Product("f32 matvec 4096 T", 1, 4096, 1, 4096, true, false);
  Product("f32 tall 65536x64x64", 1, 65536, 64, 64);
  Product("f32 64x64x65536 TN", 1, 64, 64, 65536, true, false);
  Product("f32 256x256x4096 TN", 1, 256, 256, 4096, true, false);
  Product("f32 128x512x2048 TN", 1, 128, 512, 2048, true, false);
  Product("f32 512x512x2048 TN", 1, 512, 512, 2048, true, false);
  Product("f32 256x1024x2048 TN", 1, 256, 1024, 2048, true, false);
  Product("f32 64x64x4096 TN", 1, 64, 64, 4096, true, false);
  Product("f32 2048x128x512 NT", 1, 2048, 128, 512, false, true);
  Product("f32 2048x512x128", 1, 2048, 512, 128);
  Product("f32 64x10x3136", 1, 64, 10, 3136);
  Product("f32 batch 512x32x32x32", 512, 32, 32, 32);
  Product("f32 batch 64x128x128x64 NT", 64, 128, 128, 64, false, true);
  Product("f32 batch 64x128x64x128", 64, 128, 64, 128);
  Product("f32 512x3072x768", 1, 512, 3072, 768);
}

void FusedProducts() {
  for (int64_t n : {16, 64, 128, 256, 1024})
    Product("f32 fused " + std::to_string(n), 1, n, n, n, false, false, ElementType::kF32,
            true);
  Product("f32 fused 512x3072x768", 1, 512, 3072, 768, false, false, ElementType::kF32,
          true);
  Product("f32 fused 333x777x555", 1, 333, 777, 555, false, false, ElementType::kF32,
          true);
  Product("f32 fused 64x10x64", 1, 64, 10, 64, false, false, ElementType::kF32, true);
  Product("f32 fused 64x128x128", 1, 64, 128, 128, false, false, ElementType::kF32, true);
}

void ProductsOfOtherTypes() {
  Product("f64 256", 1, 256, 256, 256, false, false, ElementType::kF64);
  Product("bf16 256", 1, 256, 256, 256, false, false, ElementType::kBF16);
  Product("bf16 1024", 1, 1024, 1024, 1024, false, false, ElementType::kBF16);
  Product("bf16 2048", 1, 2048, 2048, 2048, false, false, ElementType::kBF16);
  Product("bf16 1536", 1, 1536, 1536, 1536, false, false, ElementType::kBF16);
  Product("bf16 1024 NT", 1, 1024, 1024, 1024, false, true, ElementType::kBF16);
  Product("bf16 1024 TN", 1, 1024, 1024, 1024, true, false, ElementType::kBF16);
  Product("bf16 64", 1, 64, 64, 64, false, false, ElementType::kBF16);
  Product("bf16 128", 1, 128, 128, 128, false, false, ElementType::kBF16);
  Product("bf16 512", 1, 512, 512, 512, false, false, ElementType::kBF16);
  Product("bf16 8x4096x4096", 1, 8, 4096, 4096, false, false, ElementType::kBF16);
  Product("bf16 16x4096x4096", 1, 16, 4096, 4096, false, false, ElementType::kBF16);
  Product("bf16 64x4096x4096", 1, 64, 4096, 4096, false, false, ElementType::kBF16);
  Product("bf16 48x1024x1024", 1, 48, 1024, 1024, false, false, ElementType::kBF16);
  Product("bf16 24x1024x1024", 1, 24, 1024, 1024, false, false, ElementType::kBF16);
  Product("s8 256", 1, 256, 256, 256, false, false, ElementType::kS8);
  Product("s8 1024", 1, 1024, 1024, 1024, false, false, ElementType::kS8);
  Product("s8 1024 NT", 1, 1024, 1024, 1024, false, true, ElementType::kS8);
  Product("f16 1024", 1, 1024, 1024, 1024, false, false, ElementType::kF16);
}

void Convolutions() {
  Convolution("conv 3x3 1x56x56x64", MakeConv({1, 56, 64, 64, 3}));
  Convolution("conv 3x3 8x56x56x64", MakeConv({8, 56, 64, 64, 3}));
  Convolution("conv 3x3 8x28x28x128", MakeConv({8, 28, 128, 128, 3}));
  Convolution("conv 3x3 8x14x14x256", MakeConv({8, 14, 256, 256, 3}));
  Convolution("conv 3x3 8x7x7x512", MakeConv({8, 7, 512, 512, 3}));
  Convolution("conv 3x3 s2 8x56x56 64-128", MakeConv({8, 56, 64, 128, 3, 2}));
  Convolution("conv 1x1 28x28 512-128", MakeConv({1, 28, 512, 128, 1}));
  Convolution("conv 7x7 s2 1x224x224 3-64", MakeConv({1, 224, 3, 64, 7, 2}));
  Convolution("conv 3x3 32x8x8 1-16", MakeConv({32, 8, 1, 16, 3}));
  Convolution("conv 3x3 32x8x8 16-32", MakeConv({32, 8, 16, 32, 3}));
  Convolution("conv 3x3 nchw 8x56x56x64", MakeConv({8, 56, 64, 64, 3, 1, 1, true}));
  Convolution("conv 3x3 nchw 8x28x28 1-8", MakeConv({8, 28, 1, 8, 3, 1, 1, true}));
  Convolution("conv 3x3 nchw s2 8x56x56x64", MakeConv({8, 56, 64, 64, 3, 2, 1, true}));
  Convolution("conv depthwise 56x56x128", MakeConv({1, 56, 128, 128, 3, 1, 128}));
  Convolution("conv depthwise nchw 56x56x128",
              MakeConv({1, 56, 128, 128, 3, 1, 128, true}));
  Convolution("conv grouped 32 56x56x128", MakeConv({1, 56, 128, 128, 3, 1, 32}));
  Convolution("conv grouped 32 28x28x256", MakeConv({1, 28, 256, 256, 3, 1, 32}));
  Convolution("conv dinput 8x56x56x64", MakeConv({8, 56, 64, 64, 3, 1, 1, false, true}));
  Convolution("conv dinput s2 8x56x56x64", InputGradient(8, 56, 64, 64, 2));
  Convolution("conv dfilter 8x56x56x64", FilterGradient(8, 56, 64, 64, 1));
  Convolution("conv dfilter s2 8x56x56x64", FilterGradient(8, 56, 64, 64, 2));
  Convolution("conv dfilter 32x8x8 1-16", FilterGradient(32, 8, 1, 16, 1));
  Convolution("conv dfilter 32x8x8 16-32", FilterGradient(32, 8, 16, 32, 1));
}

}  // namespace
}  // namespace tenon::codegen

int main(int argc, char** argv) {
  using namespace tenon::codegen;
  traits = HostTraits();
  if (argc > 1) filter = argv[1];
  if (argc > 2) traits.l2_bytes = std::atoll(argv[2]) << 10;
  if (argc > 3 && !(onednn = OneDnn::Load(argv[3])))
    std::fprintf(stderr, "no oneDNN: %s\n", argv[3]);
  PlainF32Products();
  FusedProducts();
  ProductsOfOtherTypes();
  Convolutions();
}
