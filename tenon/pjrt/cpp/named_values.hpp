// Named values: options of clients and compilers, attributes of plugins and devices,
// costs of executables.
#ifndef TENON_PJRT_CPP_NAMED_VALUES_HPP_
#define TENON_PJRT_CPP_NAMED_VALUES_HPP_

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tenon/pjrt/raw.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

class Value {
 public:
  Value(std::string text) : value_(std::move(text)) {}
  Value(std::string_view text) : value_(std::string(text)) {}
  Value(const char* text) : value_(std::string(text)) {}
  Value(std::vector<int64_t> list) : value_(std::move(list)) {}
  template <std::same_as<bool> B>
  Value(B flag) : value_(flag) {}
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  Value(I number) : value_(static_cast<int64_t>(number)) {}
  template <std::floating_point F>
  Value(F number) : value_(static_cast<float>(number)) {}

  // The value if it has type T, or null. T is std::string, int64_t, float, bool or
  // std::vector<int64_t>.
  template <typename T>
  const T* get() const {
    return std::get_if<T>(&value_);
  }
  // An integer or float as double; `otherwise` for other types.
  double number(double otherwise = 0) const {
    if (auto* integer = get<int64_t>()) return static_cast<double>(*integer);
    if (auto* real = get<float>()) return *real;
    return otherwise;
  }
  bool operator==(const Value&) const = default;

 private:
  std::variant<std::string, int64_t, float, bool, std::vector<int64_t>> value_;
};

struct NamedValue {
  std::string name;
  Value value;
};

using NamedValues = std::vector<NamedValue>;

// The first value of this name, or null.
inline const Value* find(const NamedValues& values, std::string_view name) {
  for (const NamedValue& value : values) {
    if (value.name == name) return &value.value;
  }
  return nullptr;
}

namespace detail {

// Refers to `values`.
inline std::vector<PJRT_NamedValue> to_c(const NamedValues& values) {
  std::vector<PJRT_NamedValue> result;
  result.reserve(values.size());
  for (const NamedValue& named : values) {
    auto c = raw::sized<PJRT_NamedValue>();
    c.name = named.name.data();
    c.name_size = named.name.size();
    c.value_size = 1;
    if (auto* text = named.value.get<std::string>()) {
      c.type = PJRT_NamedValue_kString;
      c.string_value = text->data();
      c.value_size = text->size();
    } else if (auto* number = named.value.get<int64_t>()) {
      c.type = PJRT_NamedValue_kInt64;
      c.int64_value = *number;
    } else if (auto* real = named.value.get<float>()) {
      c.type = PJRT_NamedValue_kFloat;
      c.float_value = *real;
    } else if (auto* flag = named.value.get<bool>()) {
      c.type = PJRT_NamedValue_kBool;
      c.bool_value = *flag;
    } else if (auto* list = named.value.get<std::vector<int64_t>>()) {
      c.type = PJRT_NamedValue_kInt64List;
      c.int64_array_value = list->data();
      c.value_size = list->size();
    }
    result.push_back(c);
  }
  return result;
}

// Leaves out values of types that this library does not know.
inline NamedValues from_c(const PJRT_NamedValue* values, size_t count) {
  NamedValues result;
  if (!values) return result;
  result.reserve(count);
  for (const PJRT_NamedValue& c : std::span(values, count)) {
    std::string name(c.name, c.name_size);
    switch (c.type) {
      case PJRT_NamedValue_kString:
        result.push_back({std::move(name), std::string(c.string_value, c.value_size)});
        break;
      case PJRT_NamedValue_kInt64:
        result.push_back({std::move(name), c.int64_value});
        break;
      case PJRT_NamedValue_kInt64List:
        result.push_back(
            {std::move(name), std::vector<int64_t>(c.int64_array_value,
                                                   c.int64_array_value + c.value_size)});
        break;
      case PJRT_NamedValue_kFloat:
        result.push_back({std::move(name), c.float_value});
        break;
      case PJRT_NamedValue_kBool:
        result.push_back({std::move(name), c.bool_value});
        break;
    }
  }
  return result;
}

}  // namespace detail
}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_NAMED_VALUES_HPP_
