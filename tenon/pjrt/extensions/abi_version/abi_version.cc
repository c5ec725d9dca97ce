#include "tenon/pjrt/extensions/abi_version/abi_version.h"

#include <cstdint>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>

#include "tenon/pjrt/c_api/handles.h"
#include "tenon/pjrt/c_api/proto.h"

struct PJRT_RuntimeAbiVersion {
  tenon::pjrt::AbiRange range;
};

struct PJRT_ExecutableAbiVersion {
  int64_t abi;
};

namespace tenon::pjrt::c_api {
namespace {

// "tenon" as a number. The same for all names that a client can give the platform,
// because executables do not depend on the name.
constexpr uint64_t kPlatformId = 0x6e6f6e6574;

// Fields of both protocol buffers. Clients only store them and give them back.
enum Field { kPlatform = 1, kNewest = 2, kOldest = 3 };

std::string Encode(const AbiRange& range) {
  ProtoWriter writer;
  writer.Int(kPlatform, static_cast<int64_t>(kPlatformId));
  writer.Int(kNewest, range.newest);
  writer.Int(kOldest, range.oldest);
  return std::move(writer).Take();
}

// Of an executable, both numbers are equal.
StatusOr<AbiRange> Decode(const char* bytes, size_t size) {
  AbiRange range;
  uint64_t platform = 0;
  try {
    protozero::pbf_reader reader(bytes ? bytes : "", bytes ? size : 0);
    while (reader.next()) {
      if (reader.wire_type() != protozero::pbf_wire_type::varint) {
        reader.skip();
      } else if (reader.tag() == kPlatform) {
        platform = reader.get_uint64();
      } else if (reader.tag() == kNewest) {
        range.newest = reader.get_int64();
      } else if (reader.tag() == kOldest) {
        range.oldest = reader.get_int64();
      } else {
        reader.skip();
      }
    }
  } catch (const protozero::exception&) {
    return InvalidArgument("an ABI version is malformed");
  }
  if (platform != kPlatformId)
    return InvalidArgument("an ABI version is of another platform than Tenon");
  if (range.oldest < 1 || range.newest < range.oldest)
    return InvalidArgument("an ABI version has no numbers of ABIs");
  return range;
}

// Whether a runtime with `range` runs code of `abi`.
Status Check(const AbiRange& range, int64_t abi) {
  if (abi >= range.oldest && abi <= range.newest) return OkStatus();
  return FailedPrecondition(
      "this plugin runs executables of ABI " + std::to_string(range.oldest) + " to " +
      std::to_string(range.newest) + ", but this one has ABI " + std::to_string(abi) +
      "; use " + (abi > range.newest ? "a newer" : "an older") +
      " version of the plugin, or compile the program again");
}

Status DestroyRuntime(PJRT_RuntimeAbiVersion_Destroy_Args* args) {
  delete args->abi_version;
  return OkStatus();
}

Status DestroyExecutable(PJRT_ExecutableAbiVersion_Destroy_Args* args) {
  delete args->abi_version;
  return OkStatus();
}

// A runtime is compatible with another if it runs what compilers for that one write now.
Status CompatibleWithRuntime(PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args* args) {
  TENON_PJRT_REQUIRE(args, abi_version);
  TENON_PJRT_REQUIRE(args, other_abi_version);
  return Check(args->abi_version->range, args->other_abi_version->range.newest);
}

Status CompatibleWithExecutable(
    PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args* args) {
  TENON_PJRT_REQUIRE(args, abi_version);
  TENON_PJRT_REQUIRE(args, executable_abi_version);
  return Check(args->abi_version->range, args->executable_abi_version->abi);
}

template <typename Args>
Status WriteProto(Args* args, const AbiRange& range) {
  args->serialized_proto_holder = HoldString<PJRT_SerializedProto>(
      Encode(range), &args->serialized_proto, &args->serialized_proto_size);
  args->serialized_proto_deleter = FreeHeldString<PJRT_SerializedProto>;
  return OkStatus();
}

Status RuntimeToProto(PJRT_RuntimeAbiVersion_ToProto_Args* args) {
  TENON_PJRT_REQUIRE(args, abi_version);
  return WriteProto(args, args->abi_version->range);
}

Status ExecutableToProto(PJRT_ExecutableAbiVersion_ToProto_Args* args) {
  TENON_PJRT_REQUIRE(args, abi_version);
  return WriteProto(args, {args->abi_version->abi, args->abi_version->abi});
}

Status RuntimeFromProto(PJRT_RuntimeAbiVersion_FromProto_Args* args) {
  TENON_ASSIGN_OR_RETURN(const AbiRange range,
                         Decode(args->serialized_proto, args->serialized_proto_size));
  args->abi_version = new PJRT_RuntimeAbiVersion{range};
  return OkStatus();
}

Status ExecutableFromProto(PJRT_ExecutableAbiVersion_FromProto_Args* args) {
  TENON_ASSIGN_OR_RETURN(const AbiRange range,
                         Decode(args->serialized_proto, args->serialized_proto_size));
  args->abi_version = new PJRT_ExecutableAbiVersion{range.newest};
  return OkStatus();
}

template <typename Args>
Status PlatformId(Args* args) {
  TENON_PJRT_REQUIRE(args, abi_version);
  args->platform_id = kPlatformId;
  return OkStatus();
}

// As TENON_PJRT_EXTENSION_FUNCTION, for members that are not named after their arguments.
template <FunctionName kName, size_t kSize, typename Args, Status (*kHandler)(Args*)>
PJRT_Error* Call(Args* args) {
  return Dispatch<kName, kSize>(args, kHandler);
}
#define TENON_ABI_VERSION_FUNCTION(member, function, handler) \
  extension.member =                                          \
      Call<#function, function##_Args_STRUCT_SIZE, function##_Args, handler>

}  // namespace

PJRT_AbiVersion_Extension MakeCommonAbiVersionExtension() {
  PJRT_AbiVersion_Extension extension{};
  extension.base.struct_size = PJRT_AbiVersion_Extension_STRUCT_SIZE;
  TENON_ABI_VERSION_FUNCTION(runtime_abi_version_destroy, PJRT_RuntimeAbiVersion_Destroy,
                             DestroyRuntime);
  TENON_ABI_VERSION_FUNCTION(runtime_abi_version_is_compatible_with_runtime,
                             PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime,
                             CompatibleWithRuntime);
  TENON_ABI_VERSION_FUNCTION(runtime_abi_version_is_compatible_with_executable,
                             PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable,
                             CompatibleWithExecutable);
  TENON_ABI_VERSION_FUNCTION(runtime_abi_version_to_proto, PJRT_RuntimeAbiVersion_ToProto,
                             RuntimeToProto);
  TENON_ABI_VERSION_FUNCTION(runtime_abi_version_platform_id,
                             PJRT_RuntimeAbiVersion_PlatformId, PlatformId);
  TENON_ABI_VERSION_FUNCTION(executable_abi_version_destroy,
                             PJRT_ExecutableAbiVersion_Destroy, DestroyExecutable);
  TENON_ABI_VERSION_FUNCTION(executable_abi_version_to_proto,
                             PJRT_ExecutableAbiVersion_ToProto, ExecutableToProto);
  TENON_ABI_VERSION_FUNCTION(executable_abi_version_platform_id,
                             PJRT_ExecutableAbiVersion_PlatformId, PlatformId);
  TENON_ABI_VERSION_FUNCTION(runtime_abi_version_from_proto,
                             PJRT_RuntimeAbiVersion_FromProto, RuntimeFromProto);
  TENON_ABI_VERSION_FUNCTION(executable_abi_version_from_proto,
                             PJRT_ExecutableAbiVersion_FromProto, ExecutableFromProto);
  return extension;
}

Status RuntimeAbiVersion(const AbiRange& range,
                         PJRT_Client_RuntimeAbiVersion_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  args->abi_version = new PJRT_RuntimeAbiVersion{range};
  return OkStatus();
}

Status ExecutableAbiVersion(PJRT_Executable_GetAbiVersion_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  // jaxlib 0.11 and newer serialize no executable with a version of a platform that they
  // do not know, but do serialize those without a version.
  return Unimplemented("the ABI version of an executable that is not serialized");
}

}  // namespace tenon::pjrt::c_api
