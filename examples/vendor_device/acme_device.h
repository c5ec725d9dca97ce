// The Acme A1, an accelerator that a hardware maker adds to JAX with Tenon's SDK.
//
// This one uses the host's own memory and processors behind an ordered queue. A real
// device would call its driver in the same places.
#ifndef ACME_DEVICE_H_
#define ACME_DEVICE_H_

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "tenon/compiler/extension/extension.h"
#include "tenon/device/device.h"

namespace acme {

class Platform final : public tenon::device::Platform {
 public:
  std::string_view name() const override { return "acme"; }
  std::string_view device_kind() const override { return "Acme A1"; }
  const tenon::Machine& host() const override;
  tenon::StatusOr<std::vector<tenon::device::DeviceFacts>> Describe(
      const tenon::device::SystemOptions& options) const override;
  tenon::StatusOr<std::unique_ptr<tenon::device::System>> Start(
      const tenon::device::SystemOptions& options) const override;
};

// The compiler extension that gives dense layers to the A1's library.
const tenon::compiler::Extension& Compiler();

// Registers the library's functions as FFI handlers for `platform`.
tenon::Status RegisterLibrary(std::string_view platform);

}  // namespace acme

#endif  // ACME_DEVICE_H_
