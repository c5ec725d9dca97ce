// What new hardware implements: a Platform that says which devices there are, and a
// System that runs them. docs/adding/device.md walks through it.
//
// The client (tenon/pjrt/client) is written against these classes alone.
#ifndef TENON_DEVICE_DEVICE_H_
#define TENON_DEVICE_DEVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/memory_space.h"
#include "tenon/device/options.h"
#include "tenon/device/program.h"
#include "tenon/device/queue.h"
#include "tenon/executable/image.h"
#include "tenon/executable/machine.h"

namespace tenon::device {

// A device without the hardware: what a topology says of it.
struct DeviceFacts {
  int id = 0;
  // Empty, or one number a dimension of the topology.
  std::vector<int64_t> coordinates;
  int64_t core_on_chip = 0;  // only with coordinates
};

// One device. Thread-safe; lives as long as its system.
class Device {
 public:
  virtual ~Device() = default;

  virtual MemorySpace& memory(MemoryKind kind) = 0;
  // Queues may be one and the same.
  virtual Queue& compute() = 0;
  virtual Queue& to_device() = 0;
  virtual Queue& to_host() = 0;
};

// The devices of one client, running. Thread-safe. Its destructor waits for what was
// given to queues.
class System {
 public:
  virtual ~System() = default;

  virtual std::span<Device* const> devices() const = 0;
  // Makes an image a program of all devices. FAILED_PRECONDITION, saying what it is for,
  // if it has no code that runs here.
  virtual StatusOr<std::shared_ptr<const Program>> Load(
      std::shared_ptr<const Image> image, const LoadOptions& options) = 0;
  // Runs `work`, which computes and does not wait, on a thread of the host.
  virtual void RunOnHost(std::function<void()> work) = 0;
};

// A kind of hardware. Immutable and thread-safe; lives as long as the process.
class Platform {
 public:
  virtual ~Platform() = default;

  virtual std::string_view name() const = 0;         // of the platform, if no option says
  virtual std::string_view device_kind() const = 0;  // "cpu", a model's name
  // The machine that runs the host code of images.
  virtual const Machine& host() const = 0;
  // Options beyond those that all platforms have.
  virtual std::span<const Option> options() const { return {}; }

  // The devices there would be. INVALID_ARGUMENT for options that contradict each other.
  virtual StatusOr<std::vector<DeviceFacts>> Describe(
      const SystemOptions& options) const = 0;
  virtual StatusOr<std::unique_ptr<System>> Start(const SystemOptions& options) const = 0;
};

}  // namespace tenon::device

#endif  // TENON_DEVICE_DEVICE_H_
