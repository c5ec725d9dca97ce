// Conversion of named values between the C API and the interface.
#ifndef TENON_PJRT_C_API_NAMED_VALUES_H_
#define TENON_PJRT_C_API_NAMED_VALUES_H_

#include <cstddef>
#include <span>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/pjrt/abi/pjrt_c_api.h"
#include "tenon/pjrt/interface/named_value.h"

namespace tenon::pjrt::c_api {

// A map as the C array that getters return. Owns a copy of the values. Immutable; moving
// it keeps the addresses of the entries.
class NamedValueArray {
 public:
  NamedValueArray() = default;
  explicit NamedValueArray(NamedValueMap values);
  NamedValueArray(NamedValueArray&&) = default;
  NamedValueArray& operator=(NamedValueArray&&) = default;

  const PJRT_NamedValue* data() const { return array_.data(); }
  size_t size() const { return array_.size(); }

 private:
  NamedValueMap values_;  // nodes of a map keep their addresses when it is moved
  std::vector<PJRT_NamedValue> array_;
};

// Copies the caller's values. A value of unknown type is INVALID_ARGUMENT.
StatusOr<NamedValueMap> ReadNamedValues(const PJRT_NamedValue* values, size_t count);

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_C_API_NAMED_VALUES_H_
