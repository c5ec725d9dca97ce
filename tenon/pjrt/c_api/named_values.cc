#include "tenon/pjrt/c_api/named_values.h"

#include <string>
#include <utility>
#include <variant>

namespace tenon::pjrt::c_api {
namespace {

struct ToC {
  PJRT_NamedValue& out;

  void operator()(const std::string& value) const {
    out.type = PJRT_NamedValue_kString;
    out.string_value = value.data();
    out.value_size = value.size();
  }
  void operator()(int64_t value) const {
    out.type = PJRT_NamedValue_kInt64;
    out.int64_value = value;
  }
  void operator()(const std::vector<int64_t>& value) const {
    out.type = PJRT_NamedValue_kInt64List;
    out.int64_array_value = value.data();
    out.value_size = value.size();
  }
  void operator()(float value) const {
    out.type = PJRT_NamedValue_kFloat;
    out.float_value = value;
  }
  void operator()(bool value) const {
    out.type = PJRT_NamedValue_kBool;
    out.bool_value = value;
  }
};

}  // namespace

NamedValueArray::NamedValueArray(NamedValueMap values) : values_(std::move(values)) {
  array_.reserve(values_.size());
  for (const auto& [name, value] : values_) {
    PJRT_NamedValue& out = array_.emplace_back();
    out.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    out.name = name.data();
    out.name_size = name.size();
    out.value_size = 1;
    std::visit(ToC{out}, value);
  }
}

StatusOr<NamedValueMap> ReadNamedValues(const PJRT_NamedValue* values, size_t count) {
  if (count > 0 && values == nullptr) {
    return InvalidArgument("a list of " + std::to_string(count) +
                           " named values is null");
  }
  NamedValueMap map;
  for (size_t i = 0; i < count; ++i) {
    const PJRT_NamedValue& value = values[i];
    std::string name =
        value.name ? std::string(value.name, value.name_size) : std::string();
    bool has_bytes = value.value_size > 0;
    switch (value.type) {
      case PJRT_NamedValue_kString:
        if (has_bytes && !value.string_value) break;
        map[name] = std::string(has_bytes ? value.string_value : "", value.value_size);
        continue;
      case PJRT_NamedValue_kInt64:
        map[name] = value.int64_value;
        continue;
      case PJRT_NamedValue_kInt64List:
        if (has_bytes && !value.int64_array_value) break;
        map[name] = has_bytes
                        ? std::vector<int64_t>(value.int64_array_value,
                                               value.int64_array_value + value.value_size)
                        : std::vector<int64_t>();
        continue;
      case PJRT_NamedValue_kFloat:
        map[name] = value.float_value;
        continue;
      case PJRT_NamedValue_kBool:
        map[name] = value.bool_value;
        continue;
    }
    return InvalidArgument("named value '" + name + "' has a null value or type " +
                           std::to_string(static_cast<int>(value.type)) +
                           ", which is not a type of named values");
  }
  return map;
}

}  // namespace tenon::pjrt::c_api
