// Custom-call handlers for test_ffi_handlers.py, which builds them with jaxlib's headers.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using F32 = ffi::Buffer<ffi::F32>;

// y = a * x + y.
static ffi::Error Axpy(float a, F32 x, F32 y, ffi::ResultBuffer<ffi::F32> out) {
  for (size_t i = 0; i < x.element_count(); ++i) {
    out->typed_data()[i] = a * x.typed_data()[i] + y.typed_data()[i];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    axpy, Axpy, ffi::Ffi::Bind().Attr<float>("a").Arg<F32>().Arg<F32>().Ret<F32>());

// x plus y reversed: reads elements of y after writing other results.
static ffi::Error ReversedSum(F32 x, F32 y, ffi::ResultBuffer<ffi::F32> out) {
  const size_t count = x.element_count();
  for (size_t i = 0; i < count; ++i) {
    out->typed_data()[i] = x.typed_data()[i] + y.typed_data()[count - 1 - i];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(reversed_sum, ReversedSum,
                              ffi::Ffi::Bind().Arg<F32>().Arg<F32>().Ret<F32>());

// The addresses of the buffers.
static ffi::Error Addresses(ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y,
                            ffi::ResultBuffer<ffi::U64> out) {
  std::memcpy(y->untyped_data(), x.untyped_data(), x.size_bytes());
  out->typed_data()[0] = reinterpret_cast<uint64_t>(x.untyped_data());
  out->typed_data()[1] = reinterpret_cast<uint64_t>(y->untyped_data());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(addresses, Addresses,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::AnyBuffer>()
                                  .Ret<ffi::AnyBuffer>()
                                  .Ret<ffi::Buffer<ffi::U64>>());

static ffi::Error Double(ffi::Token, F32 x, ffi::Result<ffi::Token>,
                         ffi::ResultBuffer<ffi::F32> y) {
  for (size_t i = 0; i < x.element_count(); ++i)
    y->typed_data()[i] = 2 * x.typed_data()[i];
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    double_with_token, Double,
    ffi::Ffi::Bind().Arg<ffi::Token>().Arg<F32>().Ret<ffi::Token>().Ret<F32>());

static ffi::Error Fail(ffi::RemainingArgs, ffi::RemainingRets, std::string_view how) {
  if (how == "throw") throw std::runtime_error("thrown");
  return ffi::Error(ffi::ErrorCode::kResourceExhausted, "no more of it");
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    fail, Fail,
    ffi::Ffi::Bind().RemainingArgs().RemainingRets().Attr<std::string_view>("how"));

// Doubles the operand on a task of the thread pool.
static ffi::Future Later(ffi::ThreadPool pool, F32 x, ffi::ResultBuffer<ffi::F32> y) {
  auto promise = std::make_shared<ffi::Promise>();
  ffi::Future future(*promise);
  pool.Schedule(
      [promise, from = x.typed_data(), to = y->typed_data(), size = x.element_count()] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        for (size_t i = 0; i < size; ++i) to[i] = 2 * from[i];
        promise->SetAvailable();
      });
  return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    later, Later, ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<F32>().Ret<F32>());

static ffi::Error Context(ffi::ThreadPool pool, ffi::RunId run, int32_t device,
                          ffi::ResultBuffer<ffi::S64> out) {
  out->typed_data()[0] = pool.num_threads();
  out->typed_data()[1] = run.run_id;
  out->typed_data()[2] = device;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(context, Context,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Ctx<ffi::RunId>()
                                  .Ctx<ffi::DeviceOrdinal>()
                                  .Ret<ffi::Buffer<ffi::S64>>());

// A counter that lives as long as the executable.
struct Counter {
  static inline ffi::TypeId id = {};
  static inline std::atomic<int> alive = 0, made = 0;

  explicit Counter(int64_t start) : value(start) { ++alive, ++made; }
  ~Counter() { --alive; }
  std::atomic<int64_t> value;
};
static ffi::TypeInfo counter_info = ffi::MakeTypeInfo<Counter>();

static ffi::ErrorOr<std::unique_ptr<Counter>> Start(int64_t start) {
  if (start < 0) return ffi::Unexpected(ffi::Error::InvalidArgument("negative start"));
  return std::make_unique<Counter>(start);
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(counter_instantiate, Start,
                              ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));

static ffi::Error Count(Counter* counter, int64_t, ffi::ResultBuffer<ffi::S32> out) {
  out->typed_data()[0] = static_cast<int32_t>(counter->value++);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(counter_execute, Count,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::State<Counter>>()
                                  .Attr<int64_t>("start")
                                  .Ret<ffi::Buffer<ffi::S32>>());

extern "C" void* counter_type_id() { return &Counter::id; }
extern "C" void* counter_type_info() { return &counter_info; }
extern "C" int counters_alive() { return Counter::alive; }
extern "C" int counters_made() { return Counter::made; }

// Writes the attributes as text to the result: names, kinds, element types and bytes.
static void Describe(const XLA_FFI_Attrs& attributes, std::string& text) {
  const auto hex = [&text](const void* data, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      const uint8_t byte = static_cast<const uint8_t*>(data)[i];
      text += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
    }
  };
  text += '{';
  for (int64_t i = 0; i < attributes.size; ++i) {
    text.append(attributes.names[i]->ptr, attributes.names[i]->len) += '=';
    const void* value = attributes.attrs[i];
    if (attributes.types[i] == XLA_FFI_AttrType_STRING) {
      const auto* span = static_cast<const XLA_FFI_ByteSpan*>(value);
      text.append("'").append(span->ptr, span->len) += '\'';
    } else if (attributes.types[i] == XLA_FFI_AttrType_SCALAR) {
      const auto* scalar = static_cast<const XLA_FFI_Scalar*>(value);
      text += std::to_string(scalar->dtype) + ':';
      hex(scalar->value, ffi::ByteWidth(static_cast<ffi::DataType>(scalar->dtype)));
    } else if (attributes.types[i] == XLA_FFI_AttrType_ARRAY) {
      const auto* array = static_cast<const XLA_FFI_Array*>(value);
      text += std::to_string(array->dtype) + '[' + std::to_string(array->size) + "]:";
      hex(array->data,
          array->size * ffi::ByteWidth(static_cast<ffi::DataType>(array->dtype)));
    } else {
      Describe(*static_cast<const XLA_FFI_Attrs*>(value), text);
    }
    text += ';';
  }
  text += '}';
}

extern "C" XLA_FFI_Error* describe(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start) {
    auto* extension =
        reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
    extension->metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    extension->metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    extension->metadata->traits = 0;
    return nullptr;
  }
  std::string text;
  Describe(frame->attrs, text);
  const auto* out = static_cast<const XLA_FFI_Buffer*>(frame->rets.rets[0]);
  std::memset(out->data, 0, static_cast<size_t>(out->dims[0]));
  std::memcpy(out->data, text.data(),
              std::min(text.size(), static_cast<size_t>(out->dims[0])));
  return nullptr;
}
