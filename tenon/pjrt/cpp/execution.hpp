// The arguments and options of an execution.
#ifndef TENON_PJRT_CPP_EXECUTION_HPP_
#define TENON_PJRT_CPP_EXECUTION_HPP_

#include <optional>

#include "tenon/pjrt/cpp/buffer.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

// A buffer that an execution may overwrite, because the caller needs it no longer.
struct Donated {
  Buffer* buffer;
};

// The execution consumes `buffer`. A later use of it fails. If the execution fails before
// the plugin has consumed the array, the buffer stays usable.
inline Donated donate(Buffer& buffer) { return {&buffer}; }
inline Donated donate(Buffer&& buffer) { return {&buffer}; }

// Refers to a buffer, which must live until the call returns.
class Argument {
 public:
  Argument(const Buffer& buffer) : buffer_(&buffer) {}
  Argument(Donated donated) : buffer_(donated.buffer), donated_(donated.buffer) {}

 private:
  friend class Executable;

  void finish_donation(bool executed) const;

  const Buffer* buffer_;
  Buffer* donated_ = nullptr;  // the same buffer if it is donated
};

struct ExecuteOptions {
  // The same number for all parts of one execution, when several processes launch it.
  int launch_id = 0;
  // The device for a portable program; its arguments are there.
  std::optional<Device> device = std::nullopt;
  // The place in the caller's program, for profilers; may be null.
  const char* call_location = nullptr;
  // User data of custom calls; may be null.
  PJRT_ExecuteContext* context = nullptr;
};

inline void Argument::finish_donation(bool executed) const {
  if (!executed) {
    raw::Args<raw::PJRT_Buffer_IsDeleted> args;
    args.buffer = donated_->handle_;
    if (!donated_->client_->plugin.call(args) && !args.is_deleted) return;
  }
  donated_->set_donated();
}

}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_EXECUTION_HPP_
