// The interface that new hardware implements: a Platform describes the devices, a System
// runs them, and a Device has memory spaces and queues. docs/adding/device.md is the
// guide.
//
// The client (tenon/pjrt/client) uses devices only through these classes. Unless a
// comment says otherwise, the client may call every method from any thread, from several
// threads at a time, and from within the callbacks that a device runs. A method reports
// an error by a Status; it must not throw and must not end the process.
//
// Lifetimes, from the longest to the shortest: Platform, System, Device with its
// MemorySpaces and Queues, Program, Launch. Sizes and offsets are in bytes.
#ifndef TENON_DEVICE_DEVICE_H_
#define TENON_DEVICE_DEVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/memory_space.h"
#include "tenon/device/options.h"
#include "tenon/device/processes.h"
#include "tenon/device/program.h"
#include "tenon/device/queue.h"
#include "tenon/executable/image.h"
#include "tenon/executable/machine.h"

namespace tenon::device {

// The description of one device in a topology. It exists without the hardware.
struct DeviceFacts {
  // The device's position in the list that Platform::Describe returns: 0, 1, 2, ...
  int id = 0;
  // The device's place in the topology, one number per dimension. JAX reads it as
  // `device.coords`. Empty if the topology has no dimensions.
  std::vector<int64_t> coordinates;
  // The core's number on its chip. Ignored if there are no coordinates.
  int64_t core_on_chip = 0;
};

// One device of a running System, which owns it.
//
// All methods are accessors: each call with the same argument returns the same object,
// which lives as long as the device. They are on the path of every execution, so they
// must not block.
class Device {
 public:
  virtual ~Device() = default;

  // The memory space for `kind`. Every device answers for each kind; several kinds, and
  // several devices, may share a space.
  //
  // MemoryKind::kDevice is where arguments and results are by default. The statistics
  // that a framework reads are those of that space. If it is not host-addressable, then
  // kPinnedHost must be: the client stages transfers through it. Programs may also take
  // arguments from, and write results to, either host kind.
  virtual MemorySpace& memory(MemoryKind kind) = 0;

  // The three queues may be the same object. Copies overlap executions only if they
  // differ.

  // The queue for executions.
  virtual Queue& compute() = 0;
  // The queue for copies into this device's memory, from the host or from another device
  // of the same System.
  virtual Queue& to_device() = 0;
  // The queue for copies from this device's memory to the host.
  virtual Queue& to_host() = 0;

  // What measurements of its speed depend on: model and driver. Empty if nothing is
  // measured.
  virtual std::string hardware() const { return ""; }

  // Exchange with other libraries that use the same driver. A stream is the driver's own
  // object, such as a CUstream. These may block for a while. UNIMPLEMENTED if the device
  // has none.

  // One in which others may put what must run before they give memory to the client.
  virtual StatusOr<intptr_t> ExternalStream() { return NoStreams(); }
  // Makes what others put into `stream` from now on wait for `event`, of this client.
  // Waits itself if the device cannot. The error of the event, if it has failed.
  virtual Status WaitOnStream(intptr_t stream, const Event& event) {
    (void)stream;
    (void)event;
    return NoStreams();
  }
  // Completes when what is in `stream` so far has run.
  virtual StatusOr<Event> EventOfStream(intptr_t stream) {
    (void)stream;
    return NoStreams();
  }

 private:
  static Status NoStreams() { return Unimplemented("this platform has no streams"); }
};

// The running devices of one client.
//
// The client destroys its buffers, programs and launches before the System. The
// destructor waits for whatever is still in the queues, and stops the threads of the
// System.
class System {
 public:
  virtual ~System() = default;

  // One device per element of Platform::Describe, for the same options and in the same
  // order. The list and the devices live as long as the System.
  virtual std::span<Device* const> devices() const = 0;

  // Turns an image into a program that every device of this System can run.
  //
  // Chooses the code object that suits the hardware, loads it, and binds custom calls to
  // the handlers of `options.platform`. The program keeps `image` for as long as it reads
  // from it. This call may take long, and blocks until the program is ready.
  //
  // FAILED_PRECONDITION, naming the targets in the image, if none of them can run here.
  // DATA_LOSS if the code object is malformed. RESOURCE_EXHAUSTED if memory is short.
  // UNIMPLEMENTED if nobody has registered the target of a custom call.
  virtual StatusOr<std::shared_ptr<const Program>> Load(
      std::shared_ptr<const Image> image, const LoadOptions& options) = 0;

  // Executions of a program whose copies on several devices exchange data: its image has
  // ExecutableInfo::collectives. The client calls these two methods for it, and never
  // Queue::Submit or Queue::Run.

  // Takes ownership of one launch per device of the program, in the order of the devices'
  // numbers (replica * num_partitions + partition), and runs them together once the
  // arguments of all of them are ready. Each is finished, as by Queue::Submit; all with
  // the same error if one device fails. Must not block. If other processes have devices
  // of the program, `run` reaches them, and the launches are those of this process; the
  // platform ends the run by EndSharedRun before it finishes the launches.
  virtual void SubmitGang(std::vector<Launch*> launches, SharedRun run) {
    const Status status =
        Unimplemented("this platform cannot run programs whose devices exchange data");
    EndSharedRun(run, status);
    for (Launch* launch : launches) launch->Finish(status);
  }
  // The same on the calling thread, for programs whose RunsGangInline is true. The
  // arguments are ready and the results have memory.
  virtual Status RunGang(const std::shared_ptr<const Program>& program,
                         std::span<const LaunchBuffers> buffers,
                         std::span<const RunIds> ids) {
    (void)program;
    (void)buffers;
    (void)ids;
    return Unimplemented("this platform runs no gang within a call");
  }

  // Calls `work` once, on a thread of the host, either later or within this call.
  //
  // The client uses it for copies and layout changes between blocks of host memory.
  // `work` never waits for an event, so a bounded pool of threads is enough.
  virtual void RunOnHost(std::function<void()> work) = 0;
};

// One kind of hardware: its name, its options, and how to start it.
//
// Immutable. Usually a static object of the plugin, because it must live as long as the
// process: clients and topologies refer to it.
class Platform {
 public:
  virtual ~Platform() = default;

  // The platform's name in lower case, e.g. "tenon_sim". The create option
  // `platform_name` overrides it. Frameworks select devices by it; custom-call handlers
  // are registered for it.
  virtual std::string_view name() const = 0;
  // The hardware's model, e.g. "cpu". JAX shows it as `device.device_kind`.
  virtual std::string_view device_kind() const = 0;
  // The machine that runs the host code of images, which is the default compile target.
  // The same object at each call.
  virtual const Machine& host() const = 0;
  // What the create option cpu=host compiles for, as compiler/targets/target_name.h names
  // targets. May look for the hardware that `options` choose, so the client asks only
  // when it compiles, once.
  virtual std::string Target(const SystemOptions& options) const {
    (void)options;
    return "host";
  }
  // The create options that only this platform has. Their names differ from those in
  // SystemOptions and CreateOptions. The list lives as long as the platform.
  virtual std::span<const Option> options() const { return {}; }

  // The devices that Start would give, found without starting them. A topology is made
  // from this list, also on hosts that only compile, so it must not need the hardware.
  // `options` holds a value for each option of this platform.
  //
  // INVALID_ARGUMENT, naming the create option, for options that contradict each other or
  // cannot be met.
  virtual StatusOr<std::vector<DeviceFacts>> Describe(
      const SystemOptions& options) const = 0;

  // Starts the devices for one client. A process may have several clients at a time.
  // `options` have been accepted by Describe.
  //
  // UNAVAILABLE if there is no hardware. RESOURCE_EXHAUSTED if it is taken or memory is
  // short. The error reaches the user as the error of creating the client.
  virtual StatusOr<std::unique_ptr<System>> Start(const SystemOptions& options) const = 0;
};

}  // namespace tenon::device

#endif  // TENON_DEVICE_DEVICE_H_
