#include "tenon/pjrt/extensions/shardings/shardings.h"

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handles.h"

namespace tenon::pjrt::c_api {
namespace {

// Views of the shardings of an executable. Empty if one of them is unknown, because the
// API cannot mark a single one as unknown.
struct ExecutableShardings {
  explicit ExecutableShardings(std::span<const TensorInfo> infos) {
    for (const TensorInfo& info : infos) {
      if (!info.sharding) {
        bytes.clear();
        sizes.clear();
        return;
      }
      bytes.push_back(info.sharding->data());
      sizes.push_back(info.sharding->size());
    }
  }
  std::vector<const char*> bytes;
  std::vector<size_t> sizes;
};

ExecutableShardings& ShardingsOf(PJRT_Executable* handle, const void* key,
                                 std::span<const TensorInfo> infos) {
  std::lock_guard lock(handle->mutex);
  std::shared_ptr<void>& data = handle->extension_data[key];
  if (data == nullptr) data = std::make_shared<ExecutableShardings>(infos);
  return *static_cast<ExecutableShardings*>(data.get());
}

constexpr char kParameterKey = 0;
constexpr char kOutputKey = 0;

Status ParameterShardings(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  auto& shardings = ShardingsOf(args->executable, &kParameterKey,
                                args->executable->executable->parameters());
  args->num_parameters = shardings.bytes.size();
  args->shardings = shardings.bytes.empty() ? nullptr : shardings.bytes.data();
  args->sharding_sizes = shardings.sizes.empty() ? nullptr : shardings.sizes.data();
  return OkStatus();
}

Status OutputShardings(PJRT_Shardings_PJRT_Executable_OutputShardings_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  auto& shardings =
      ShardingsOf(args->executable, &kOutputKey, args->executable->executable->outputs());
  args->num_outputs = shardings.bytes.size();
  args->shardings = shardings.bytes.empty() ? nullptr : shardings.bytes.data();
  args->sharding_sizes = shardings.sizes.empty() ? nullptr : shardings.sizes.data();
  return OkStatus();
}

}  // namespace

PJRT_Shardings_Extension MakeShardingsExtension() {
  PJRT_Shardings_Extension extension{};
  extension.base.struct_size = PJRT_Shardings_Extension_STRUCT_SIZE;
  TENON_PJRT_EXTENSION_FUNCTION(
      extension, PJRT_Shardings_PJRT_Executable_ParameterShardings, ParameterShardings);
  TENON_PJRT_EXTENSION_FUNCTION(extension, PJRT_Shardings_PJRT_Executable_OutputShardings,
                                OutputShardings);
  return extension;
}

}  // namespace tenon::pjrt::c_api
