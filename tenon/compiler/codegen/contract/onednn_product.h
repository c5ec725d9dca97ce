// Benchmark support: matrix products by oneDNN's C library, loaded at run time (the wheel
// onednn-cpu-gomp has it), so that both are timed without a framework. Nothing is ever
// freed. One thread.
#ifndef TENON_COMPILER_CODEGEN_CONTRACT_ONEDNN_PRODUCT_H_
#define TENON_COMPILER_CODEGEN_CONTRACT_ONEDNN_PRODUCT_H_

#include <dlfcn.h>

#include <functional>
#include <memory>
#include <vector>

#include "tenon/compiler/codegen/contract/contract.h"

namespace tenon::codegen {

class OneDnn {
 public:
  // Null if the library cannot be loaded.
  static std::unique_ptr<OneDnn> Load(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return nullptr;
    auto dnn = std::unique_ptr<OneDnn>(new OneDnn(library));
    constexpr int kCpu = 1, kInOrder = 1;
    dnn->engine_ = dnn->Make("dnnl_engine_create", kCpu, size_t{0});
    dnn->stream_ = dnn->Make("dnnl_stream_create", dnn->engine_, kInOrder);
    return dnn;
  }

  // A function that computes the product of `spec`'s shapes, types and strides. If
  // `packed`, rhs is reordered into the library's own layout now. Null if the library
  // does not support it.
  std::function<void()> Product(const ContractSpec& spec, const void* lhs,
                                const void* rhs, void* out, bool packed) {
    void* a = Describe(spec.lhs_type, spec.batch, spec.m, spec.k, &spec.lhs);
    void* b = Describe(spec.rhs_type, spec.batch, spec.k, spec.n, &spec.rhs);
    void* c = Describe(spec.out_type, spec.batch, spec.m, spec.n, &spec.out);
    void* wanted = b;
    if (packed) wanted = Describe(spec.rhs_type, spec.batch, spec.k, spec.n, nullptr);
    void* none = nullptr;
    void* description =
        Make("dnnl_matmul_primitive_desc_create", engine_, a, wanted, none, c, none);
    if (!description) return nullptr;
    std::vector<Argument> arguments = {{kSource, MemoryOf(a, lhs)},
                                       {kWeights, MemoryOf(b, rhs)},
                                       {kResult, MemoryOf(c, out)}};
    if (packed) {
      constexpr int kQueryWeights = 131;
      auto query = Find<void*(void*, int, int)>("dnnl_primitive_desc_query_md");
      wanted = query(description, kQueryWeights, 0);
      void* own = MemoryOf(wanted, reinterpret_cast<void*>(-1));  // allocated by oneDNN
      void* reorder =
          Make("dnnl_reorder_primitive_desc_create", b, engine_, wanted, engine_, none);
      if (!reorder) return nullptr;
      Execute(Make("dnnl_primitive_create", reorder),
              {{kSource, arguments[1].memory}, {kResult, own}});
      arguments[1].memory = own;
    }
    void* primitive = Make("dnnl_primitive_create", description);
    return [this, primitive, arguments] { Execute(primitive, arguments); };
  }

 private:
  static constexpr int kSource = 1, kWeights = 33, kResult = 17;
  struct Argument {
    int kind;
    void* memory;
  };

  explicit OneDnn(void* library) : library_(library) {}

  template <typename Function>
  Function* Find(const char* name) {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }

  // Calls a function that creates an object; null if it fails.
  template <typename... Arguments>
  void* Make(const char* name, Arguments... arguments) {
    void* handle = nullptr;
    int status = Find<int(void**, Arguments...)>(name)(&handle, arguments...);
    return status == 0 ? handle : nullptr;
  }

  static int TypeCode(ElementType type) {
    switch (type) {
      case ElementType::kF16:
        return 1;
      case ElementType::kBF16:
        return 2;
      case ElementType::kF32:
        return 3;
      case ElementType::kS32:
        return 4;
      case ElementType::kS8:
        return 5;
      default:
        return 0;
    }
  }

  void* Describe(ElementType type, int64_t batch, int64_t rows, int64_t columns,
                 const ContractStrides* strides) {
    std::vector<int64_t> dims = {batch, rows, columns}, steps;
    if (strides) steps = {strides->batch, strides->row, strides->col};
    bool batched = batch > 1;
    const int64_t* sizes = dims.data() + !batched;
    int rank = 2 + batched;
    constexpr int kAny = 1;
    if (!strides)
      return Make("dnnl_memory_desc_create_with_tag", rank, sizes, TypeCode(type), kAny);
    const int64_t* given = steps.data() + !batched;
    return Make("dnnl_memory_desc_create_with_strides", rank, sizes, TypeCode(type),
                given);
  }

  void* MemoryOf(void* description, const void* data) {
    return Make("dnnl_memory_create", description, engine_, const_cast<void*>(data));
  }

  void Execute(void* primitive, const std::vector<Argument>& arguments) {
    static auto execute =
        Find<int(void*, void*, int, const Argument*)>("dnnl_primitive_execute");
    execute(primitive, stream_, static_cast<int>(arguments.size()), arguments.data());
  }

  void* library_;
  void* engine_ = nullptr;
  void* stream_ = nullptr;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_CONTRACT_ONEDNN_PRODUCT_H_
