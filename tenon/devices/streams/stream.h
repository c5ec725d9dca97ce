// What a kind of device implements whose commands run in streams: streams, marks in them,
// and the kernels of a program. The rest of such a device is in this folder.
#ifndef TENON_DEVICES_STREAMS_STREAM_H_
#define TENON_DEVICES_STREAMS_STREAM_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/program.h"
#include "tenon/executable/device_code.h"

namespace tenon::streams {

// A place in a stream, reached when all commands before it have run. Thread-safe.
class Mark {
 public:
  virtual ~Mark() = default;
  // Whether it is reached, or never will be because of an error. Does not wait.
  virtual bool IsReached() = 0;
  // Waits until it is reached. The error of a command before it, if one failed.
  virtual Status Wait() = 0;
  // How much later than `earlier` it was reached. Both are timed, and reached.
  virtual int64_t NanosecondsSince(const Mark& earlier) const = 0;
  // How long the command took that it is the end of, if the device knows.
  virtual std::optional<int64_t> Nanoseconds() const { return std::nullopt; }

  // Waits for a while in the way that is fastest for a thread that has nothing else to
  // do: asks for a millisecond, unless the device has a better one. Returns whether it is
  // reached.
  virtual bool Ask() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    while (!IsReached()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  }
};

// The commands of a device that run one after another, in the order of the calls.
// Thread-safe. An error may also be that of an earlier command.
class Stream {
 public:
  virtual ~Stream() = default;
  // Starts to copy between memory of devices and of the host. If the host's memory is not
  // that which the device allocated, the call may wait until the copy is done; otherwise
  // the memory must stay as it is until then.
  virtual Status Copy(void* to, const void* from, size_t size) = 0;
  // A mark behind all commands so far. The device runs them without further calls.
  virtual StatusOr<std::shared_ptr<Mark>> Record(bool timed = false) = 0;
  // Later commands start when `mark`, of another stream, is reached.
  virtual Status WaitFor(const Mark& mark) = 0;

  // Streams of other libraries, on the same device. A handle is the driver's own object:
  // a CUstream, a cl_command_queue.

  // That of this stream.
  virtual intptr_t handle() = 0;
  // A mark behind what is in the other stream so far.
  virtual StatusOr<std::shared_ptr<Mark>> RecordIn(intptr_t other) = 0;
  // What is put into the other stream from now on starts when `mark` is reached.
  virtual Status HoldBack(intptr_t other, const Mark& mark) = 0;
};

// Kernels that are started one after the other.
struct Sequence {
  struct Item {
    size_t kernel;
    uint64_t num_groups;
    bool operator==(const Item&) const = default;
  };
  std::vector<Item> items;
  std::vector<uint64_t> words;  // the arguments of all items, in their order
};

// The kernels of one program on the devices of a client. Thread-safe.
class Kernels {
 public:
  virtual ~Kernels() = default;
  // Starts groups of kernel number `kernel` on a stream of device number `device`. See
  // KernelStream::Launch; the numbers are in range. The error names the kernel.
  //
  // Returns the kernel's end if a mark behind it does not give the kernel's error, null
  // otherwise. It is timed if a timed mark was recorded on the stream before.
  virtual StatusOr<std::shared_ptr<Mark>> Launch(size_t device, Stream& stream,
                                                 size_t kernel, const uint64_t* arguments,
                                                 uint64_t num_groups) const = 0;
  // Whether LaunchAll is faster than the launches one by one.
  virtual bool takes_sequences() const { return false; }
  // The same as Launch of each item, without ends. After an error, those before the item
  // that failed have been started.
  virtual Status LaunchAll(size_t device, Stream& stream,
                           const Sequence& sequence) const {
    (void)device, (void)stream, (void)sequence;
    return Internal("a device that takes no sequences was given one");
  }
};

// What the kernels of a program are loaded from.
struct KernelSource {
  const DeviceCode& code;  // lives as long as the kernels
  std::string program;     // its name, for errors
  bool ieee_denormals = false;
  const device::CodeStore* store = nullptr;  // of what the driver generates; may be null
  // "kernel 'k' of program 'jit_f'".
  std::string NameOf(size_t kernel) const {
    return "kernel '" + code.kernels[kernel].name + "' of program '" + program + "'";
  }
};

// Loads kernels for all devices of a client.
class KernelLoader {
 public:
  virtual ~KernelLoader() = default;
  // DeviceCode::format of what it loads, and what to say if an image has none: the code,
  // and the target that it is compiled for.
  virtual std::string format() const = 0;
  virtual std::string missing() const = 0;
  // FAILED_PRECONDITION if the devices cannot run the kernels, DATA_LOSS if the module is
  // damaged or contradicts the list of kernels.
  virtual StatusOr<std::unique_ptr<Kernels>> Load(const KernelSource& source) const = 0;
};

}  // namespace tenon::streams

#endif  // TENON_DEVICES_STREAMS_STREAM_H_
