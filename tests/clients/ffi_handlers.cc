// XLA FFI handlers for the smoke programs, built with the headers of each supported
// jaxlib (jax.ffi.include_dir()). Tenon's own declarations must agree with those headers.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string_view>

#include "tenon/ffi/abi.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
namespace own = tenon::ffi;

// Handlers of this jaxlib and Tenon exchange these structs. Handlers require equal sizes.
static_assert(XLA_FFI_CallFrame_STRUCT_SIZE == own::CallFrame::kStructSize);
static_assert(XLA_FFI_Args_STRUCT_SIZE == own::BufferList::kStructSize);
static_assert(XLA_FFI_Rets_STRUCT_SIZE == own::BufferList::kStructSize);
static_assert(XLA_FFI_Attrs_STRUCT_SIZE == own::AttributeList::kStructSize);
static_assert(XLA_FFI_Buffer_STRUCT_SIZE == own::BufferView::kStructSize);
static_assert(XLA_FFI_Api_Version_STRUCT_SIZE == own::ApiVersion::kStructSize);
static_assert(XLA_FFI_CallFrame_STRUCT_SIZE == 168 && XLA_FFI_Args_STRUCT_SIZE == 40);
static_assert(XLA_FFI_Rets_STRUCT_SIZE == 40 && XLA_FFI_Attrs_STRUCT_SIZE == 48);
static_assert(XLA_FFI_Buffer_STRUCT_SIZE == 48);
#define SAME_OFFSET(theirs, their_field, ours, our_field) \
  static_assert(offsetof(theirs, their_field) == offsetof(ours, our_field))
SAME_OFFSET(XLA_FFI_CallFrame, api, own::CallFrame, api);
SAME_OFFSET(XLA_FFI_CallFrame, ctx, own::CallFrame, ctx);
SAME_OFFSET(XLA_FFI_CallFrame, stage, own::CallFrame, stage);
SAME_OFFSET(XLA_FFI_CallFrame, args, own::CallFrame, args);
SAME_OFFSET(XLA_FFI_CallFrame, rets, own::CallFrame, rets);
SAME_OFFSET(XLA_FFI_CallFrame, attrs, own::CallFrame, attrs);
SAME_OFFSET(XLA_FFI_CallFrame, future, own::CallFrame, future);
SAME_OFFSET(XLA_FFI_Buffer, dtype, own::BufferView, dtype);
SAME_OFFSET(XLA_FFI_Buffer, data, own::BufferView, data);
SAME_OFFSET(XLA_FFI_Buffer, rank, own::BufferView, rank);
SAME_OFFSET(XLA_FFI_Buffer, dims, own::BufferView, dims);
SAME_OFFSET(XLA_FFI_Attrs, names, own::AttributeList, names);
SAME_OFFSET(XLA_FFI_Attrs, attrs, own::AttributeList, attrs);
SAME_OFFSET(XLA_FFI_Metadata, api_version, own::Metadata, api_version);
SAME_OFFSET(XLA_FFI_Metadata, traits, own::Metadata, traits);
SAME_OFFSET(XLA_FFI_Api, XLA_FFI_Error_Create, own::Api, error_create);
SAME_OFFSET(XLA_FFI_Api, XLA_FFI_Handler_Register, own::Api, handler_register);
SAME_OFFSET(XLA_FFI_Api, XLA_FFI_Stream_Get, own::Api, stream_get);
SAME_OFFSET(XLA_FFI_Api, XLA_FFI_State_Set, own::Api, state_set);
SAME_OFFSET(XLA_FFI_Api, XLA_FFI_State_Get, own::Api, state_get);
SAME_OFFSET(XLA_FFI_Api, XLA_FFI_DeviceMemory_Allocate, own::Api, device_memory_allocate);
SAME_OFFSET(XLA_FFI_Api, XLA_FFI_ThreadPool_Schedule, own::Api, thread_pool_schedule);
SAME_OFFSET(XLA_FFI_Api, XLA_FFI_Future_Create, own::Api, future_create);
SAME_OFFSET(XLA_FFI_Api, XLA_FFI_RunId_Get, own::Api, run_id_get);

namespace {

ffi::Error Scale(ffi::Buffer<ffi::F32> x, float factor, std::string_view label,
                 ffi::ResultBuffer<ffi::F32> y) {
  if (label.empty() || x.element_count() != y->element_count()) {
    return ffi::Error::InvalidArgument("need a label and the same number of elements");
  }
  for (size_t i = 0; i < x.element_count(); ++i) {
    y->typed_data()[i] = x.typed_data()[i] * factor;
  }
  return ffi::Error::Success();
}

// (rank, flag, sum of numbers, length of text)
ffi::Error Describe(ffi::AnyBuffer x, bool flag, ffi::Span<const int64_t> numbers,
                    std::string_view text, ffi::ResultBuffer<ffi::S32> y) {
  int32_t* out = y->typed_data();
  out[0] = static_cast<int32_t>(x.dimensions().size());
  out[1] = flag;
  out[2] = static_cast<int32_t>(std::accumulate(numbers.begin(), numbers.end(), 0));
  out[3] = static_cast<int32_t>(text.size());
  return ffi::Error::Success();
}

// Counts the runs of a call in a program. Instantiation creates this state.
struct Counter {
  static ffi::TypeId id;
  int32_t calls = 0;
};
ffi::TypeId Counter::id = {};

ffi::ErrorOr<std::unique_ptr<Counter>> NewCounter(int32_t start) {
  if (start < 0) {
    return ffi::Unexpected(ffi::Error::InvalidArgument("a count does not start below 0"));
  }
  auto counter = std::make_unique<Counter>();
  counter->calls = start;
  return counter;
}

// FFI before 0.3 requires every stage to declare all attributes.
ffi::Error Count(Counter* counter, ffi::AnyBuffer, int32_t /*start*/,
                 ffi::ResultBuffer<ffi::S32> y) {
  y->typed_data()[0] = ++counter->calls;
  return ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(ScaleHandler, Scale,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Attr<float>("factor")
                                  .Attr<std::string_view>("label")
                                  .Ret<ffi::Buffer<ffi::F32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(DescribeHandler, Describe,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::AnyBuffer>()
                                  .Attr<bool>("flag")
                                  .Attr<ffi::Span<const int64_t>>("numbers")
                                  .Attr<std::string_view>("text")
                                  .Ret<ffi::Buffer<ffi::S32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(CountInstantiateHandler, NewCounter,
                              ffi::Ffi::BindInstantiate().Attr<int32_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(CountHandler, Count,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::State<Counter>>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Attr<int32_t>("start")
                                  .Ret<ffi::Buffer<ffi::S32>>());

extern "C" XLA_FFI_TypeId* CounterTypeId() { return &Counter::id; }
#if XLA_FFI_API_MINOR >= 2
extern "C" const XLA_FFI_TypeInfo* CounterTypeInfo() {
  static const XLA_FFI_TypeInfo info = ffi::MakeTypeInfo<Counter>();
  return &info;
}
#endif
