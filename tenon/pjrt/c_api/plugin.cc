// PJRT_Plugin_*.
#include "tenon/pjrt/c_api/plugin.h"

#include <map>
#include <mutex>

#include "tenon/pjrt/c_api/named_values.h"

namespace tenon::pjrt::c_api {

Status PluginInitialize(const PluginDescription&, PJRT_Plugin_Initialize_Args*) {
  return OkStatus();
}

Status PluginAttributes(const PluginDescription& plugin,
                        PJRT_Plugin_Attributes_Args* args) {
  // The arrays live as long as the process, like the descriptions.
  static std::mutex& mutex = *new std::mutex;
  static auto& arrays = *new std::map<const PluginDescription*, NamedValueArray>;
  std::lock_guard lock(mutex);
  auto found = arrays.find(&plugin);
  if (found == arrays.end()) {
    found = arrays.emplace(&plugin, NamedValueArray(plugin.attributes)).first;
  }
  args->attributes = found->second.data();
  args->num_attributes = found->second.size();
  return OkStatus();
}

}  // namespace tenon::pjrt::c_api
