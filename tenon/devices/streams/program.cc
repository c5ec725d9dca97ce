#include "tenon/devices/streams/program.h"

#include <utility>

#include "tenon/devices/cpu/host_machine.h"

namespace tenon::streams {
namespace {

StatusOr<DeviceCode> FindKernels(const Image& image, const KernelLoader& loader) {
  for (const CodeObject& object : image.code_objects) {
    if (object.kind != kDeviceCode) continue;
    TENON_ASSIGN_OR_RETURN(DeviceCode code, DeviceCode::Deserialize(object.bytes));
    if (code.format == loader.format()) return code;
  }
  return FailedPrecondition("executable '" + image.info.name + "' has no " +
                            loader.missing());
}

}  // namespace

const Machine& LauncherMachine() {
  static const Machine& machine = *[] {
    auto* launcher = new Machine(cpu::HostMachine());
    launcher->code_kind = kLauncherCode;
    return launcher;
  }();
  return machine;
}

StatusOr<std::shared_ptr<const Program>> Program::Load(
    std::shared_ptr<const Image> image, const KernelLoader& loader, size_t num_devices,
    const device::LoadOptions& options) {
  std::shared_ptr<Program> program(new Program);
  TENON_ASSIGN_OR_RETURN(program->launcher_,
                         runtime::Program::Load(image, LauncherMachine(), options));
  TENON_ASSIGN_OR_RETURN(program->code_, FindKernels(*image, loader));
  for (size_t d = 0; d < num_devices; ++d) {
    program->on_.push_back(std::make_unique<OnDevice>());
  }
  // A program that only copies has no module.
  if (!program->code_.kernels.empty()) {
    KernelSource source = program->Source();
    source.store = options.store;
    TENON_ASSIGN_OR_RETURN(program->loaded_, loader.Load(source));
  }
  return std::shared_ptr<const Program>(std::move(program));
}

Program::~Program() {
  for (const auto& on : on_) {
    if (on->memory) {
      on->memory->Free(on->constants, launcher_->image()->code().constants_size);
    }
  }
}

StatusOr<const void*> Program::ConstantsOn(size_t device, Stream& stream,
                                           Memory& memory) const {
  const size_t size = launcher_->image()->code().constants_size;
  if (size == 0) return static_cast<const void*>(nullptr);
  OnDevice& on = *on_[device];
  std::lock_guard lock(on.mutex);
  if (on.memory) return static_cast<const void*>(on.constants);
  TENON_ASSIGN_OR_RETURN(void* block, memory.Allocate(size));
  Status status = stream.Copy(block, launcher_->image()->constants(), size);
  if (status.ok()) {
    StatusOr<std::shared_ptr<Mark>> end = stream.Record();
    status = end.ok() ? (*end)->Wait() : end.status();
  }
  if (!status.ok()) {
    memory.Free(block, size);
    return status.WithPrefix("copying the constants of program '" + name() +
                             "' to the device");
  }
  on.memory = &memory;
  on.constants = block;
  return static_cast<const void*>(block);
}

}  // namespace tenon::streams
