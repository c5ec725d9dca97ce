// The functions of NVIDIA's driver that tenon/devices/cuda calls, for machines without a
// GPU: kernels run on the emulator of tests/gpu, from the LLVM IR of their PTX.
//
// It refuses what the driver refuses, and what the driver leaves undefined: a copy or a
// kernel that is given an address of freed memory, a handle of another context, a stream
// that is ordered with the legacy stream. Copies from and to ordinary memory of the host
// happen as late as other commands. Environment variables:
//   TENON_FAKE_CUDA_DEVICES     number of devices; 1
//   TENON_FAKE_CUDA_CAPABILITY  compute capability; 9.0
//   TENON_FAKE_CUDA_MEMORY      bytes of each device; 2 GiB
//   TENON_FAKE_CUDA_DELAY       microseconds by which commands of streams start late; 0
//   TENON_FAKE_CUDA_LOG         file that gets a line for each call: function, result
//   TENON_DUMP_TO               the compiler's folder, which has PTX and its IR
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/fake_cuda/context.h"

namespace tenon::fake_cuda {
namespace {

using namespace cuda;  // NOLINT: the types of the interface
using ResourcesRef = std::shared_ptr<Resources>;

// Results that the device's own header does not name.
constexpr CUresult kInvalidValue = CUDA_ERROR_INVALID_VALUE, kNotInitialized{3},
                   kInvalidDevice{101}, kInvalidContext{201}, kInvalidHandle{400},
                   kNotFound{500}, kNotSupported{801};

constexpr struct {
  CUresult code;
  const char *name, *text;
} kResults[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {kContextIsDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {kNotSupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};

constexpr int kMaxItems = 1024;
constexpr int kMaxLocalBytes = 227 << 10;

std::string Variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

// What the process has; never destroyed, because threads of streams may run at its end.
struct Process {
  const pid_t pid = getpid();
  const int num_devices = std::stoi(Variable("TENON_FAKE_CUDA_DEVICES", "1"));
  const int capability = static_cast<int>(
      std::stod(Variable("TENON_FAKE_CUDA_CAPABILITY", "9.0")) * 10 + 0.5);
  const size_t memory = std::stoull(Variable("TENON_FAKE_CUDA_MEMORY", "2147483648"));
  Memory pinned{size_t{8} << 30};
  std::vector<Context> contexts{static_cast<size_t>(num_devices)};
};
std::atomic<Process*> process{nullptr};

thread_local Context* current = nullptr;

CUresult Log(const char* symbol, CUresult result) {
  static FILE* const file = [] {
    const std::string path = Variable("TENON_FAKE_CUDA_LOG", "");
    return path.empty() ? nullptr : std::fopen(path.c_str(), "a");
  }();
  if (file) {
    std::fprintf(file, "%s %d\n", symbol, result);
    std::fflush(file);
  }
  return result;
}

// Calls `body` with the process unless the driver is not to be used in it.
template <typename Body>
CUresult Call(const char* symbol, Body body) {
  Process* const p = process.load();
  return Log(symbol, p && p->pid == getpid() ? body(*p) : kNotInitialized);
}

// Calls `body` with what the current context has, and fails if a kernel has failed there.
template <typename Body>
CUresult CallIn(const char* symbol, Body body) {
  return Call(symbol, [&](Process&) {
    if (!current) return kInvalidContext;
    const ResourcesRef resources = current->resources();
    if (!resources) return kContextIsDestroyed;
    const auto failed = [&] { return CUresult{resources->error.load()}; };
    if (failed()) return failed();
    const CUresult result = body(resources);
    // Calls that wait return the error of what they have waited for.
    return failed() ? failed() : result;
  });
}

template <typename Body>
CUresult CallForDevice(const char* symbol, CUdevice device, Body body) {
  return Call(symbol, [&](Process& p) {
    return device >= 0 && device < p.num_devices ? body(p) : kInvalidDevice;
  });
}

CUresult SuccessIf(bool condition, CUresult otherwise) {
  return condition ? CUDA_SUCCESS : otherwise;
}

void* Pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

// Whether a copy may access the bytes: those that belong to a memory must be in a block,
// and others are ordinary memory of the host.
bool MayCopy(const Process& p, CUdeviceptr address, size_t size) {
  const auto inside = [&](const Memory& memory) {
    return !memory.Owns(Pointer(address)) || memory.Contains(Pointer(address), size);
  };
  if (address == 0 || !inside(p.pinned)) return false;
  return std::ranges::all_of(p.contexts, [&](const Context& context) {
    const ResourcesRef resources = context.resources();
    return !resources || inside(resources->memory);
  });
}

// Whether kernels of a context may be given the address.
bool MayAccess(const Process& p, const Resources& resources, uint64_t address) {
  return address == 0 || p.pinned.Contains(Pointer(address), 0) ||
         resources.memory.Contains(Pointer(address), 0);
}

// Enqueues `command`, which is left out if a kernel has failed before.
void Enqueue(const ResourcesRef& resources, Stream& stream,
             std::function<void()> command) {
  stream.Enqueue([resources, command = std::move(command)] {
    if (resources->error == 0) command();
  });
}

// Copies the text to the buffer that the options of cuModuleLoadDataEx name.
void WriteLog(std::string_view text, unsigned num_options, const int* options,
              void** values) {
  char* buffer = nullptr;
  size_t size = 0;
  for (unsigned i = 0; i < num_options; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) buffer = static_cast<char*>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      size = static_cast<unsigned>(reinterpret_cast<uintptr_t>(values[i]));
  }
  if (!buffer || size == 0) return;
  buffer[text.copy(buffer, size - 1)] = '\0';
}

// What the driver checks of a launch. The emulator has one dimension.
CUresult CheckLaunch(const Function& function, unsigned groups, unsigned items,
                     unsigned other_sizes, size_t local_bytes) {
  const Kernel& kernel = *function.kernel;
  if (other_sizes != 1) return kNotSupported;
  if (groups == 0 || groups > 0x7fffffff || items == 0 || items > kMaxItems ||
      static_cast<int>(items) > kernel.max_items)
    return kInvalidValue;
  const auto allowed = static_cast<size_t>(function.allowed_local_bytes);
  const size_t all_bytes = kernel.static_bytes + local_bytes;
  return SuccessIf(all_bytes <= kUsualLocalBytes || local_bytes <= allowed,
                   kInvalidValue);
}

// Reads what a launch is given, once.
CUresult MakeLaunch(const Resources& resources,
                    const CUDA_KERNEL_NODE_PARAMS_v2& parameters, Launch* launch) {
  launch->function = resources.functions.Find(parameters.func);
  if (!launch->function) return kInvalidHandle;
  if (parameters.extra || parameters.kern || parameters.ctx) return kNotSupported;
  launch->groups = parameters.gridDimX;
  launch->items = parameters.blockDimX;
  launch->local_bytes = parameters.sharedMemBytes;
  const CUresult refused = CheckLaunch(*launch->function, launch->groups, launch->items,
                                       parameters.gridDimY * parameters.gridDimZ *
                                           parameters.blockDimY * parameters.blockDimZ,
                                       launch->local_bytes);
  if (refused) return refused;
  const Kernel& kernel = *launch->function->kernel;
  launch->words.resize(kernel.arguments.size());
  for (size_t i = 0; i < launch->words.size(); ++i)
    std::memcpy(&launch->words[i], parameters.kernelParams[i], kernel.arguments[i].size);
  return CUDA_SUCCESS;
}

// Why a kernel fails before it starts; empty if it does not.
std::string ProblemOf(const Kernel& kernel, const std::vector<uint64_t>& arguments,
                      const Resources& resources) {
  if (kernel.name.starts_with("fault")) return "its name says so";
  for (size_t i = 0; i < arguments.size(); ++i)
    if (kernel.arguments[i].is_address &&
        !MayAccess(*process.load(), resources, arguments[i]))
      return "argument " + std::to_string(i) + " is not in memory of the device";
  return "";
}

// Tells the reason, which the interface cannot.
void Fail(Resources& resources, CUresult error, const Kernel& kernel,
          const std::string& reason) {
  std::fprintf(stderr, "fake CUDA driver: kernel '%s' fails: %s\n", kernel.name.c_str(),
               reason.c_str());
  resources.error = error;
}

void Start(const ResourcesRef& resources, Stream& stream, const Launch& launch) {
  const std::string problem =
      ProblemOf(*launch.function->kernel, launch.words, *resources);
  Enqueue(resources, stream, [=] {
    const Function& function = *launch.function;
    if (!problem.empty()) {
      Fail(*resources, CUDA_ERROR_ILLEGAL_ADDRESS, *function.kernel, problem);
      return;
    }
    const Status status = function.module->Run(*function.kernel, launch.groups,
                                               static_cast<int>(launch.items),
                                               launch.local_bytes, launch.words);
    if (!status.ok())
      Fail(*resources, CUDA_ERROR_LAUNCH_FAILED, *function.kernel, status.ToString());
  });
}

}  // namespace

#define TENON_CUDA_FUNCTION(member, symbol, parameters) \
  extern "C" __attribute__((visibility("default"))) CUresult symbol parameters;
#include "tenon/devices/cuda/functions.inc"
#undef TENON_CUDA_FUNCTION

CUresult cuInit(unsigned) {
  static Process* const started = new Process;
  if (started->pid != getpid()) return Log(__func__, kNotInitialized);
  if (started->num_devices == 0) return Log(__func__, CUDA_ERROR_NO_DEVICE);
  process = started;
  return Log(__func__, CUDA_SUCCESS);
}

CUresult cuDriverGetVersion(int* version) {
  *version = 12080;
  return Log(__func__, CUDA_SUCCESS);
}

CUresult cuGetErrorName(CUresult code, const char** name) {
  *name = nullptr;
  for (const auto& result : kResults)
    if (result.code == code) *name = result.name;
  return SuccessIf(*name, kInvalidValue);
}

CUresult cuGetErrorString(CUresult code, const char** text) {
  *text = nullptr;
  for (const auto& result : kResults)
    if (result.code == code) *text = result.text;
  return SuccessIf(*text, kInvalidValue);
}

CUresult cuDeviceGetCount(int* count) {
  return Call(__func__, [&](Process& p) {
    *count = p.num_devices;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGet(CUdevice* device, int number) {
  return CallForDevice(__func__, number, [&](Process&) {
    *device = number;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  return CallForDevice(__func__, device, [&](Process&) {
    std::snprintf(name, static_cast<size_t>(size), "Emulated GPU");
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  return CallForDevice(__func__, device, [&](Process& p) {
    const std::pair<int, int> attributes[] = {
        {1, kMaxItems},         // MAX_THREADS_PER_BLOCK
        {8, kUsualLocalBytes},  // MAX_SHARED_MEMORY_PER_BLOCK
        {10, 32},               // WARP_SIZE
        {16, 4},                // MULTIPROCESSOR_COUNT
        {97, kMaxLocalBytes},   // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, p.capability / 10},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, p.capability % 10}};
    for (const auto& [number, known] : attributes) {
      if (number != attribute) continue;
      *value = known;
      return CUDA_SUCCESS;
    }
    return kInvalidValue;
  });
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  return CallForDevice(__func__, device, [&](Process& p) {
    *bytes = p.memory;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return CallForDevice(__func__, device, [&](Process& p) {
    Context& retained = p.contexts[static_cast<size_t>(device)];
    retained.Retain(p.memory);
    *context = reinterpret_cast<CUcontext>(&retained);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return CallForDevice(__func__, device, [&](Process& p) {
    return SuccessIf(p.contexts[static_cast<size_t>(device)].Release(), kInvalidContext);
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return Call(__func__, [&](Process& p) {
    auto* const chosen = reinterpret_cast<Context*>(context);
    if (chosen &&
        (chosen < p.contexts.data() || chosen >= p.contexts.data() + p.contexts.size()))
      return kInvalidContext;
    current = chosen;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return Call(__func__, [&](Process&) {
    *context = reinterpret_cast<CUcontext>(current);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSynchronize() {
  return CallIn(__func__, [](const ResourcesRef& resources) {
    resources->Wait();
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t size) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    if (size == 0) return kInvalidValue;
    *address = reinterpret_cast<CUdeviceptr>(resources->memory.Allocate(size));
    return SuccessIf(*address, CUDA_ERROR_OUT_OF_MEMORY);
  });
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    resources->Wait();
    return SuccessIf(address == 0 || resources->memory.Free(Pointer(address)),
                     kInvalidValue);
  });
}

CUresult cuMemHostAlloc(void** address, size_t size, unsigned) {
  return CallIn(__func__, [&](const ResourcesRef&) {
    if (size == 0) return kInvalidValue;
    *address = process.load()->pinned.Allocate(size);
    return SuccessIf(*address, CUDA_ERROR_OUT_OF_MEMORY);
  });
}

CUresult cuMemFreeHost(void* address) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    resources->Wait();
    return SuccessIf(process.load()->pinned.Free(address), kInvalidValue);
  });
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto found = resources->streams.Find(stream);
    if (!found) return kInvalidHandle;
    if (size == 0) return CUDA_SUCCESS;
    const Process& p = *process.load();
    if (!MayCopy(p, to, size) || !MayCopy(p, from, size)) return kInvalidValue;
    Enqueue(resources, *found, [=] { std::memmove(Pointer(to), Pointer(from), size); });
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    if (flags != CU_STREAM_NON_BLOCKING) return kNotSupported;
    resources->streams.Add(std::make_shared<Stream>(), stream);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return CallIn(__func__, [&](const ResourcesRef&) {
    *least = 0;
    *greatest = -5;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    return SuccessIf(resources->streams.Remove(stream), kInvalidHandle);
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto found = resources->streams.Find(stream);
    if (!found) return kInvalidHandle;
    found->Wait();
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto waiting = resources->streams.Find(stream);
    // The event may be of another device.
    std::shared_ptr<Event> awaited;
    for (const Context& context : process.load()->contexts) {
      const ResourcesRef others = context.resources();
      if (others && !awaited) awaited = others->events.Find(event);
    }
    if (!waiting || !awaited) return kInvalidHandle;
    if (auto mark = awaited->mark()) waiting->Enqueue([mark] { mark->Wait(); });
    return CUDA_SUCCESS;
  });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const bool timed = !(flags & CU_EVENT_DISABLE_TIMING);
    resources->events.Add(std::make_shared<Event>(timed), event);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy_v2(CUevent event) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    return SuccessIf(resources->events.Remove(event), kInvalidHandle);
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto recorded = resources->events.Find(event);
    const auto recording = resources->streams.Find(stream);
    if (!recorded || !recording) return kInvalidHandle;
    const auto mark = std::make_shared<Mark>();
    recorded->set_mark(mark);
    recording->Record(mark);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventQuery(CUevent event) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto found = resources->events.Find(event);
    if (!found) return kInvalidHandle;
    const auto mark = found->mark();
    return SuccessIf(!mark || mark->reached(), CUDA_ERROR_NOT_READY);
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto found = resources->events.Find(event);
    if (!found) return kInvalidHandle;
    if (const auto mark = found->mark()) mark->Wait();
    return CUDA_SUCCESS;
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    std::chrono::steady_clock::time_point times[2];
    for (size_t i = 0; i < 2; ++i) {
      const auto event = resources->events.Find(i == 0 ? from : to);
      if (!event || !event->timed()) return kInvalidHandle;
      const auto mark = event->mark();
      if (!mark) return kInvalidHandle;
      if (!mark->reached()) return CUDA_ERROR_NOT_READY;
      times[i] = mark->time();
    }
    *milliseconds = std::chrono::duration<float, std::milli>(times[1] - times[0]).count();
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned num_options,
                            const int* options, void** values) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto loaded =
        Module::Load(static_cast<const char*>(image), process.load()->capability);
    if (!loaded.ok()) {
      WriteLog(loaded.status().message(), num_options, options, values);
      return CUDA_ERROR_INVALID_PTX;
    }
    resources->modules.Add(*loaded, module);
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto unloaded = resources->modules.Find(module);
    if (!unloaded) return kInvalidHandle;
    for (const auto& function : resources->functions.All())
      if (function->module == unloaded) resources->functions.Remove(function.get());
    resources->modules.Remove(module);
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto found = resources->modules.Find(module);
    if (!found) return kInvalidHandle;
    const auto kernel = found->kernels().find(name);
    if (kernel == found->kernels().end()) return kNotFound;
    resources->functions.Add(std::make_shared<Function>(found, &kernel->second),
                             function);
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetAttribute(int* value, int attribute, CUfunction function) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto found = resources->functions.Find(function);
    if (!found) return kInvalidHandle;
    const std::pair<int, int> attributes[] = {
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, found->kernel->max_items},
        {1, static_cast<int>(found->kernel->static_bytes)},  // SHARED_SIZE_BYTES
        {3, 0},                                              // LOCAL_SIZE_BYTES
        {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, found->allowed_local_bytes}};
    for (const auto& [number, known] : attributes) {
      if (number != attribute) continue;
      *value = known;
      return CUDA_SUCCESS;
    }
    return kInvalidValue;
  });
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto found = resources->functions.Find(function);
    if (!found) return kInvalidHandle;
    const int most = kMaxLocalBytes - static_cast<int>(found->kernel->static_bytes);
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
        value > most)
      return kInvalidValue;
    found->allowed_local_bytes = value;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset,
                            size_t* size) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto found = resources->functions.Find(function);
    if (!found) return kInvalidHandle;
    const std::vector<Kernel::Argument>& arguments = found->kernel->arguments;
    if (index >= arguments.size()) return kInvalidValue;
    *offset = 0;
    for (size_t i = 0; i <= index; ++i) {  // each is aligned to its size
      *size = arguments[i].size;
      *offset = (*offset + *size - 1) / *size * *size;
      if (i < index) *offset += *size;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                        unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned local_bytes, CUstream stream,
                        void** arguments, void** extra) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto found = resources->streams.Find(stream);
    if (!found) return kInvalidHandle;
    Launch launch;
    const CUresult refused =
        MakeLaunch(*resources,
                   {function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                    local_bytes, arguments, extra, nullptr, nullptr},
                   &launch);
    if (refused) return refused;
    Start(resources, *found, launch);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    if (flags != 0) return kInvalidValue;
    resources->graphs.Add(std::make_shared<Graph>(), graph);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    return SuccessIf(resources->graphs.Remove(graph), kInvalidHandle);
  });
}

// Nodes must be a chain, as those of the device are. A node is its position.
CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph,
                                 const CUgraphNode* after, size_t num_after,
                                 const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto found = resources->graphs.Find(graph);
    if (!found) return kInvalidHandle;
    const size_t position = found->launches.size();
    const bool follows = num_after == 1 ? reinterpret_cast<size_t>(*after) == position
                                        : num_after == 0 && position == 0;
    if (!follows) return kNotSupported;
    const CUresult refused =
        MakeLaunch(*resources, *parameters, &found->launches.emplace_back());
    if (refused) found->launches.pop_back();
    *node = reinterpret_cast<CUgraphNode>(position + 1);
    return refused;
  });
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* instance, CUgraph graph,
                                     unsigned long long flags) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto found = resources->graphs.Find(graph);
    if (!found) return kInvalidHandle;
    if (flags != 0) return kNotSupported;
    resources->instances.Add(std::make_shared<GraphInstance>(*found), instance);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec instance) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    return SuccessIf(resources->instances.Remove(instance), kInvalidHandle);
  });
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec instance, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto found = resources->instances.Find(instance);
    const size_t position = reinterpret_cast<size_t>(node) - 1;
    if (!found || position >= found->launches.size()) return kInvalidHandle;
    Launch launch;
    const CUresult refused = MakeLaunch(*resources, *parameters, &launch);
    if (refused) return refused;
    if (launch.function != found->launches[position].function) return kNotSupported;
    found->launches[position] = launch;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphLaunch(CUgraphExec instance, CUstream stream) {
  return CallIn(__func__, [&](const ResourcesRef& resources) {
    const auto started = resources->instances.Find(instance);
    const auto found = resources->streams.Find(stream);
    if (!started || !found) return kInvalidHandle;
    for (const Launch& launch : started->launches) Start(resources, *found, launch);
    return CUDA_SUCCESS;
  });
}

}  // namespace tenon::fake_cuda
