// XLA's FFI, version 0.5: the C structs that custom-call handlers exchange with Tenon.
// Handlers built for version 0.3 (jaxlib 0.10) use the same structs.
//
// Handlers compare struct_size for equality with kStructSize, which is the end of the
// struct's last versioned member, without padding.
#ifndef TENON_FFI_ABI_H_
#define TENON_FFI_ABI_H_

#include <cstddef>
#include <cstdint>

namespace tenon::ffi {

inline constexpr int kApiMajor = 0;
inline constexpr int kApiMinor = 5;

// Opaque to handlers; defined in api.cc and call_context.h.
struct Error;
struct Future;
struct CallContext;

enum class ExtensionType : int32_t { kMetadata = 1 };
enum class BufferTag : int32_t { kBuffer = 1 };  // the only kind of argument and result
enum class AttributeTag : int32_t { kArray = 1, kDictionary, kScalar, kString };
// Tenon's own trait in Metadata::traits, in a bit that XLA does not use. Executing a
// program that calls a handler with this trait returns only after the program has ended.
inline constexpr uint32_t kSynchronousTrait = 1u << 31;
enum class Stage : int32_t { kInstantiate, kPrepare, kInitialize, kExecute };

struct ExtensionBase {
  size_t struct_size;
  ExtensionType type;
  ExtensionBase* next;
};
static_assert(sizeof(ExtensionBase) == 24);

struct ApiVersion {
  static constexpr size_t kStructSize = 24;
  size_t struct_size;
  ExtensionBase* extension_start;
  int major_version;
  int minor_version;
};
static_assert(sizeof(ApiVersion) == 24);

struct BufferView {
  static constexpr size_t kStructSize = 48;
  size_t struct_size;
  ExtensionBase* extension_start;
  int32_t dtype;
  void* data;
  int64_t rank;
  int64_t* dims;
};
static_assert(sizeof(BufferView) == 48 && offsetof(BufferView, data) == 24);

struct ByteSpan {
  const char* ptr;
  size_t len;
};

struct ScalarValue {
  int32_t dtype;
  void* value;
};
static_assert(sizeof(ScalarValue) == 16);

struct ArrayValue {
  int32_t dtype;
  size_t size;  // elements
  void* data;
};
static_assert(sizeof(ArrayValue) == 24);

struct TypeId {
  int64_t type_id;  // 0: unknown
};

struct TypeInfo {
  static constexpr size_t kStructSize = 24;
  size_t struct_size;
  ExtensionBase* extension_start;
  void (*deleter)(void* object);
};
static_assert(sizeof(TypeInfo) == 24);

// Arguments and results have the same shape.
struct BufferList {
  static constexpr size_t kStructSize = 40;
  size_t struct_size;
  ExtensionBase* extension_start;
  int64_t size;
  BufferTag* types;
  void** buffers;  // BufferView each
};
static_assert(sizeof(BufferList) == 40);

struct AttributeList {
  static constexpr size_t kStructSize = 48;
  size_t struct_size;
  ExtensionBase* extension_start;
  int64_t size;
  AttributeTag* types;
  ByteSpan** names;  // ascending
  void** attrs;      // ScalarValue, ArrayValue, ByteSpan or AttributeList each
};
static_assert(sizeof(AttributeList) == 48);

struct Api;

struct CallFrame {
  static constexpr size_t kStructSize = 168;
  size_t struct_size;
  ExtensionBase* extension_start;
  const Api* api;
  CallContext* ctx;
  Stage stage;
  BufferList args;
  BufferList rets;
  AttributeList attrs;
  Future* future;  // out: set by asynchronous handlers, at stage kExecute
};
static_assert(sizeof(CallFrame) == 176 && offsetof(CallFrame, stage) == 32);
static_assert(offsetof(CallFrame, args) == 40 && offsetof(CallFrame, rets) == 80);
static_assert(offsetof(CallFrame, attrs) == 120 && offsetof(CallFrame, future) == 168);

using Handler = Error*(CallFrame*);

struct HandlerBundle {
  Handler* instantiate;
  Handler* prepare;
  Handler* initialize;
  Handler* execute;
};
static_assert(sizeof(HandlerBundle) == 32);

struct Metadata {
  static constexpr size_t kStructSize = 36;
  size_t struct_size;
  ApiVersion api_version;
  uint32_t traits;
  TypeId state_type_id;
};
static_assert(sizeof(Metadata) == 48 && offsetof(Metadata, traits) == 32);

struct MetadataExtension {
  static constexpr size_t kStructSize = 32;
  ExtensionBase base;
  Metadata* metadata;
};
static_assert(sizeof(MetadataExtension) == 32);

// The arguments of the functions in the table. All except the error functions return null
// or an error that the caller destroys.
struct ErrorCreateArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  const char* message;
  int32_t code;  // a StatusCode
};
struct ErrorGetDetailsArgs {
  static constexpr size_t kStructSize = 36;
  size_t struct_size;  // 32 before version 0.5
  ExtensionBase* extension_start;
  Error* error;
  const char* message;  // out
  int32_t code;         // out, since 0.5; a StatusCode
};
static_assert(offsetof(ErrorGetDetailsArgs, code) == 32);
struct ErrorDestroyArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Error* error;
};
struct HandlerRegisterArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ByteSpan name;
  ByteSpan platform;
  HandlerBundle bundle;
  uint32_t traits;
};
static_assert(sizeof(HandlerRegisterArgs) == 88);
struct StreamGetArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  CallContext* ctx;
  void* stream;  // out
};
struct TypeRegisterArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ByteSpan name;
  TypeId* type_id;  // in, and out if 0
  const TypeInfo* type_info;
};
static_assert(sizeof(TypeRegisterArgs) == 48);
struct ExecutionContextGetArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  CallContext* ctx;
  TypeId* type_id;
  void* data;  // out
};
struct StateArgs {  // `state` is in for Set, out for Get
  size_t struct_size;
  ExtensionBase* extension_start;
  CallContext* ctx;
  Stage stage;
  TypeId* type_id;
  void* state;
};
static_assert(sizeof(StateArgs) == 48);
// Before version 0.3, when only the instantiate stage made a state.
inline constexpr int kFirstMinorWithStateStages = 3;
struct OldStateArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  CallContext* ctx;
  TypeId* type_id;
  void* state;
  void (*deleter)(void* state);  // in, for Set of version 0.1 only
};
static_assert(sizeof(OldStateArgs) == 48);
struct DeviceMemoryAllocateArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  CallContext* ctx;
  size_t size;
  size_t alignment;
  void* data;  // out
};
struct DeviceMemoryFreeArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  CallContext* ctx;
  size_t size;
  void* data;
};
struct ThreadPoolScheduleArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  CallContext* ctx;
  void (*task)(void* data);
  void* data;
};
struct ThreadPoolNumThreadsArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  CallContext* ctx;
  int64_t* num_threads;  // out
};
struct FutureCreateArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Future* future;  // out
};
struct FutureSetAvailableArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Future* future;
};
struct FutureSetErrorArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Future* future;
  Error* error;  // taken over
};
struct RunIdGetArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  CallContext* ctx;
  int64_t run_id;  // out
};
struct DeviceOrdinalGetArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  CallContext* ctx;
  int32_t device_ordinal;  // out
};
// Since 0.5.
struct FindExtensionArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  CallContext* ctx;
  int64_t extension_type;
  const void* extension;  // out; null: there is none
};
struct CustomOptionsGetArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  CallContext* ctx;
  const AttributeList* attrs;  // out
};

struct Api {
  size_t struct_size;
  ExtensionBase* extension_start;
  ApiVersion api_version;
  const void* internal_api;
  Error* (*error_create)(ErrorCreateArgs*);
  void (*error_get_details)(ErrorGetDetailsArgs*);
  void (*error_destroy)(ErrorDestroyArgs*);
  Error* (*handler_register)(HandlerRegisterArgs*);
  Error* (*stream_get)(StreamGetArgs*);
  Error* (*type_register)(TypeRegisterArgs*);
  Error* (*execution_context_get)(ExecutionContextGetArgs*);
  Error* (*state_set)(StateArgs*);
  Error* (*state_get)(StateArgs*);
  Error* (*device_memory_allocate)(DeviceMemoryAllocateArgs*);
  Error* (*device_memory_free)(DeviceMemoryFreeArgs*);
  Error* (*thread_pool_schedule)(ThreadPoolScheduleArgs*);
  Error* (*thread_pool_num_threads)(ThreadPoolNumThreadsArgs*);
  Error* (*future_create)(FutureCreateArgs*);
  Error* (*future_set_available)(FutureSetAvailableArgs*);
  Error* (*future_set_error)(FutureSetErrorArgs*);
  Error* (*run_id_get)(RunIdGetArgs*);
  Error* (*device_ordinal_get)(DeviceOrdinalGetArgs*);
  Error* (*find_extension)(FindExtensionArgs*);
  Error* (*custom_options_get)(CustomOptionsGetArgs*);
};
static_assert(sizeof(Api) == 208 && offsetof(Api, error_create) == 48);

}  // namespace tenon::ffi

#endif  // TENON_FFI_ABI_H_
