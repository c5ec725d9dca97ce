#include "tenon/pjrt/client/local_topology.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "tenon/executable/build_fingerprint.h"
#include "tenon/format/layout.h"
#include "tenon/pjrt/client/local_call_partitioner.h"
#include "tenon/pjrt/client/local_device.h"
#include "tenon/runtime/machine_limits.h"
#include "tenon/runtime/trace.h"

namespace tenon::pjrt {
namespace {

// The serialized form is a PjRtTopologyDescriptionProto with a payload of Tenon's own.
enum TopologyField { kPlatformId = 1, kPlatformName = 2, kPlatformVersion = 3, kAny = 9 };
enum AnyField { kTypeUrl = 1, kValue = 2 };
enum PayloadField {
  kDeviceCount = 1,
  kThreads = 2,
  kCpu = 3,
  kFeatures = 4,
  kIeee = 5,
  kOptimizationLevel = 6,
  kOwnOption = 7,
  kNodeId = 8,
  kNode = 9  // of a job of several processes
};
enum OwnOptionField { kOptionName = 1, kOptionValue = 2 };
constexpr char kPayloadType[] = "tenon/LocalTopology";

uint64_t Hash(std::string_view text, uint64_t hash = 14695981039346656037u) {
  for (unsigned char byte : text) hash = (hash ^ byte) * 1099511628211u;
  return hash;
}

// The platform's name in CamelCase, for the names of devices: "tenon_sim" is "TenonSim".
std::string Capitalized(std::string_view name) {
  std::string text;
  bool start = true;
  for (char c : name) {
    if (c == '_') {
      start = true;
      continue;
    }
    text += start && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    start = false;
  }
  return text;
}

// Records one compilation and its phases, if the process is traced. The phases may run on
// another thread, one at a time, but they are recorded for this one.
class CompileTrace {
 public:
  bool active() const { return start_ns_ != 0; }
  std::function<void(std::string_view, double)> OnPhase() {
    return [this](std::string_view phase, double milliseconds) {
      const int64_t now = runtime::TraceClock();
      Add(runtime::TraceEvent::Kind::kCompilePhase, std::string(phase),
          now - static_cast<int64_t>(milliseconds * 1e6), now);
    };
  }
  void Finish(const std::string& program) {
    if (!active()) return;
    Add(runtime::TraceEvent::Kind::kCompile, "compile " + program, start_ns_,
        runtime::TraceClock());
    for (runtime::TraceEvent& event : events_) tracer_.Record(std::move(event));
  }

 private:
  void Add(runtime::TraceEvent::Kind kind, std::string name, int64_t start_ns,
           int64_t end_ns) {
    runtime::TraceEvent& event = events_.emplace_back();
    event.kind = kind;
    event.name = std::move(name);
    event.start_ns = start_ns;
    event.end_ns = end_ns;
  }

  runtime::Tracer& tracer_ = runtime::Tracer::Global();
  const int64_t start_ns_ = tracer_.active() ? runtime::TraceClock() : 0;
  std::vector<runtime::TraceEvent> events_;
};

// The folder of the cache of generated code: `asked` if it is not empty, otherwise the
// user's cache folder by XDG's base directory specification. Empty if there is none; then
// the cache is only in memory.
std::string CacheFolder(const std::string& asked) {
  auto variable = [](const char* name) {
    const char* value = secure_getenv(name);
    return std::string(value && value[0] == '/' ? value : "");
  };
  if (!asked.empty()) {
    std::error_code error;
    return std::filesystem::absolute(asked, error).string();
  }
  if (std::string caches = variable("XDG_CACHE_HOME"); !caches.empty())
    return caches + "/tenon";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache/tenon";
}

bool KeepsCode(const CreateOptions& options) {
  return options.kernel_cache != "off" && options.kernel_cache != "0";
}

// The compiler's configuration for this machine and these options.
compiler::CompilerConfig ConfigOf(const LocalPlatform& platform,
                                  const CreateOptions& options,
                                  const std::string& target) {
  compiler::CompilerConfig config;
  config.extensions = platform.extensions;
  config.call_partitioner = &LocalCallPartitioner::Global();
  config.offered = platform.device.host().features;
  config.target = target;
  config.features = options.features;
  config.optimization_level = static_cast<int>(options.optimization_level);
  config.num_threads = options.compile_threads > 0
                           ? static_cast<int>(options.compile_threads)
                           : runtime::AvailableCpus();
  config.fold_constants = options.fold_constants;
  config.ieee_denormals = options.ieee_denormals;
  // An option of platforms whose devices have such instructions.
  if (auto tf32 = options.numbers.find("tf32"); tf32 != options.numbers.end())
    config.tf32 = tf32->second != 0;
  config.dump_dir = options.dump_to;
  config.cache_code = KeepsCode(options);
  if (config.cache_code) config.cache_folder = CacheFolder(options.kernel_cache);
  return config;
}

// Creates the folder if it does not exist, and checks that it is writable.
Status CheckDumpFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && access(folder.c_str(), W_OK | X_OK) != 0) {
    error = {errno, std::system_category()};
  }
  if (!error) return OkStatus();
  return InvalidArgument("create option 'dump_to' is '" + folder +
                         "', where nothing can be written: " + error.message());
}

std::string Text(protozero::data_view view) { return {view.data(), view.size()}; }

}  // namespace

StatusOr<CreateOptions> ReadCreateOptions(const LocalPlatform& platform,
                                          const NamedValueMap& values) {
  TENON_ASSIGN_OR_RETURN(CreateOptions options,
                         ParseCreateOptions(values, platform.device.options()));
  TENON_RETURN_IF_ERROR(platform.device.Describe(options).status());
  if (!options.dump_to.empty()) TENON_RETURN_IF_ERROR(CheckDumpFolder(options.dump_to));
  if (platform.check_config) {
    // Without features there is nothing to check of the target that the hardware has.
    const bool checks_host = options.cpu == "host" && !options.features.empty();
    const std::string target =
        checks_host ? platform.device.Target(options) : options.cpu;
    const Status checked = platform.check_config(ConfigOf(platform, options, target));
    if (!checked.ok()) {
      return Status(checked.code(), "create options 'cpu' and 'features': " +
                                        std::string(checked.message()));
    }
  }
  return options;
}

std::string TenonVersion() {
  // Compilation caches assume that equal versions compile a program to equal code.
  return "tenon " + std::string(BuildVersion()) + " build " +
         std::string(BuildId().substr(0, 16));
}

StatusOr<NodeDescription> DescribeNode(const LocalPlatform& platform,
                                       const CreateOptions& options) {
  NodeDescription node;
  node.version = TenonVersion();
  node.host = HostId();
  node.partition_index = options.partition_index;
  TENON_ASSIGN_OR_RETURN(node.devices, platform.device.Describe(options));
  return node;
}

LocalTopology::LocalTopology(const LocalPlatform& platform, CreateOptions options,
                             JobDescription job)
    : platform_(platform),
      options_(std::move(options)),
      job_(std::move(job)),
      name_(options_.platform_name.empty() ? std::string(platform.device.name())
                                           : options_.platform_name),
      version_(TenonVersion()) {
  if (platform.open_store && KeepsCode(options_)) {
    const std::string folder = CacheFolder(options_.kernel_cache);
    if (!folder.empty()) store_ = platform.open_store(folder);
  }
  if (job_.nodes.empty()) {
    auto node = DescribeNode(platform, options_);
    if (!node.ok()) return;  // ReadCreateOptions has not checked the options
    job_.node_id = options_.node_id;
    job_.nodes.assign(static_cast<size_t>(options_.num_nodes), *node);
  }
  for (size_t n = 0; n < job_.nodes.size(); ++n) {
    AddDevices(job_.nodes[n], static_cast<int>(n));
  }
}

void LocalTopology::AddDevices(const NodeDescription& node, int process_index) {
  const int first = static_cast<int>(devices_.size());
  for (const device::DeviceFacts& facts : node.devices) {
    DeviceDescription device;
    device.id = first + facts.id;
    const std::string id = std::to_string(device.id);
    device.process_index = process_index;
    device.kind = platform_.device.device_kind();
    device.to_string = Capitalized(name_) + "Device(id=" + id + ")";
    device.debug_string = name_ + ":" + id;
    if (!facts.coordinates.empty()) {
      device.attributes["coords"] = facts.coordinates;
      device.attributes["core_on_chip"] = facts.core_on_chip;
    }
    if (node.partition_index >= 0) {
      device.attributes["partition_index"] = node.partition_index;
      device.attributes["slice_index"] = node.partition_index;
    }
    for (int kind = 0; kind < device::kNumMemoryKinds; ++kind) {
      device.memories.push_back({std::string(device::kMemoryKindNames[kind]), kind});
    }
    device.default_memory_index = 0;
    devices_.push_back(std::move(device));
  }
}

const std::string& LocalTopology::Target() const {
  std::call_once(target_found_, [&] {
    target_ = options_.cpu == "host" ? platform_.device.Target(options_) : options_.cpu;
  });
  return target_;
}

StatusOr<uint64_t> LocalTopology::Fingerprint() const {
  uint64_t hash = Hash(version_);
  hash = Hash(platform_.device.host().architecture, hash);
  for (const std::string& feature : platform_.device.host().features) {
    hash = Hash(feature, Hash(",", hash));
  }
  hash = Hash(Target() + ";" + options_.features + ";" +
                  std::to_string(options_.optimization_level),
              hash);
  return Hash(options_.ieee_denormals ? "ieee" : "flush", hash);
}

StatusOr<std::string> LocalTopology::Serialize() const {
  std::string payload;
  protozero::pbf_writer payload_writer(payload);
  payload_writer.add_int64(kDeviceCount, options_.device_count);
  payload_writer.add_int64(kThreads, options_.threads);
  payload_writer.add_string(kCpu, options_.cpu);
  payload_writer.add_string(kFeatures, options_.features);
  payload_writer.add_bool(kIeee, options_.ieee_denormals);
  payload_writer.add_int64(kOptimizationLevel, options_.optimization_level);
  const auto add_own = [&](const std::string& option, const std::string& value) {
    protozero::pbf_writer own_writer(payload_writer, kOwnOption);
    own_writer.add_string(kOptionName, option);
    own_writer.add_string(kOptionValue, value);
  };
  for (const auto& [option, number] : options_.numbers) {
    add_own(option, std::to_string(number));
  }
  for (const auto& [option, text] : options_.texts) add_own(option, text);
  if (job_.nodes.size() > 1) {
    payload_writer.add_int64(kNodeId, job_.node_id);
    for (const NodeDescription& node : job_.nodes) {
      payload_writer.add_bytes(kNode, EncodeNode(node, std::ssize(job_.nodes)));
    }
  }
  std::string any;
  protozero::pbf_writer any_writer(any);
  any_writer.add_string(kTypeUrl, kPayloadType);
  any_writer.add_bytes(kValue, payload);
  std::string out;
  protozero::pbf_writer writer(out);
  writer.add_uint64(kPlatformId, Hash(name_));
  writer.add_string(kPlatformName, name_);
  writer.add_string(kPlatformVersion, version_);
  writer.add_message(kAny, any);
  return out;
}

StatusOr<std::shared_ptr<LocalExecutable>> LocalTopology::CompileImage(
    const Program& program, std::string_view options, compiler::TileChoices* tiles) {
  if (program.format == "hlo") {
    return Unimplemented(
        "cannot compile a program in format 'hlo'; send StableHLO in format 'mlir'");
  }
  if (program.format != "mlir") {
    return InvalidArgument("cannot compile a program in the unknown format '" +
                           std::string(program.format) +
                           "'; send StableHLO in format 'mlir'");
  }
  // Some clients have no function to load an executable. They send it as a program.
  if (program.code.starts_with(std::string_view(format::kMagic, sizeof format::kMagic))) {
    TENON_ASSIGN_OR_RETURN(Image image, Image::Deserialize(program.code));
    return std::make_shared<LocalExecutable>(
        std::make_shared<const Image>(std::move(image)));
  }
  if (!platform_.compile)
    return Unimplemented(
        "cannot compile a program: this plugin has no compiler; load a compiled "
        "executable");
  compiler::CompilerConfig config = ConfigOf(platform_, options_, Target());
  config.tiles = tiles;
  CompileTrace trace;
  if (trace.active()) config.on_time = trace.OnPhase();
  TENON_ASSIGN_OR_RETURN(Image image, platform_.compile({program.code, options}, config));
  trace.Finish(image.info.name);
  return std::make_shared<LocalExecutable>(
      std::make_shared<const Image>(std::move(image)));
}

StatusOr<std::shared_ptr<Executable>> LocalTopology::Compile(const Program& program,
                                                             std::string_view options) {
  TENON_ASSIGN_OR_RETURN(auto executable, CompileImage(program, options));
  return std::shared_ptr<Executable>(std::move(executable));
}

StatusOr<std::unique_ptr<Topology>> CreateLocalTopology(const LocalPlatform& platform,
                                                        std::string_view,
                                                        const NamedValueMap& options) {
  TENON_ASSIGN_OR_RETURN(CreateOptions parsed, ReadCreateOptions(platform, options));
  return std::make_unique<LocalTopology>(platform, std::move(parsed));
}

namespace {

// The options in the payload of a serialized topology, and the encoded nodes.
NamedValueMap ReadPayload(protozero::pbf_reader payload,
                          std::vector<std::string>& nodes) {
  NamedValueMap values;
  while (payload.next()) {
    switch (payload.tag()) {
      case kDeviceCount:
        values["device_count"] = payload.get_int64();
        break;
      case kThreads:
        values["threads"] = payload.get_int64();
        break;
      case kCpu:
        values["cpu"] = Text(payload.get_view());
        break;
      case kFeatures:
        values["features"] = Text(payload.get_view());
        break;
      case kIeee:
        values["ieee_denormals"] = payload.get_bool();
        break;
      case kOptimizationLevel:
        values["optimization_level"] = payload.get_int64();
        break;
      case kNodeId:
        values["node_id"] = payload.get_int64();
        break;
      case kNode:
        nodes.push_back(Text(payload.get_view()));
        values["num_nodes"] = std::ssize(nodes);
        break;
      case kOwnOption: {
        protozero::pbf_reader own = payload.get_message();
        std::string name, value;
        while (own.next()) {
          if (own.tag() == kOptionName) {
            name = Text(own.get_view());
          } else if (own.tag() == kOptionValue) {
            value = Text(own.get_view());
          } else {
            own.skip();
          }
        }
        values[name] = value;
        break;
      }
      default:
        payload.skip();
    }
  }
  return values;
}

// The options in the message around the payload. Nullopt if the payload is not Tenon's.
std::optional<NamedValueMap> ReadAny(protozero::pbf_reader any,
                                     std::vector<std::string>& nodes) {
  bool ours = false;
  std::optional<NamedValueMap> values;
  while (any.next()) {
    if (any.tag() == kTypeUrl) {
      ours = Text(any.get_view()) == kPayloadType;
    } else if (any.tag() == kValue && ours) {
      values = ReadPayload(any.get_message(), nodes);
    } else {
      any.skip();
    }
  }
  return values;
}

}  // namespace

StatusOr<std::unique_ptr<Topology>> DeserializeLocalTopology(
    const LocalPlatform& platform, std::string_view bytes) {
  std::optional<NamedValueMap> values;
  std::vector<std::string> nodes;
  std::string name;
  try {
    protozero::pbf_reader message(bytes.data(), bytes.size());
    while (message.next()) {
      if (message.tag() == kPlatformName) {
        name = Text(message.get_view());
      } else if (message.tag() == kAny) {
        values = ReadAny(message.get_message(), nodes);
      } else {
        message.skip();
      }
    }
  } catch (const std::exception& error) {
    return InvalidArgument(
        std::string("cannot read a serialized topology: it is malformed: ") +
        error.what());
  }
  if (!values)
    return InvalidArgument(
        "cannot read a serialized topology: it was not written by Tenon");
  (*values)["platform_name"] = name;
  // Checks the options again.
  TENON_ASSIGN_OR_RETURN(CreateOptions options, ReadCreateOptions(platform, *values));
  JobDescription job;
  job.node_id = options.node_id;
  for (const std::string& bytes : nodes) {
    int64_t count = 0;
    StatusOr<NodeDescription> node = DecodeNode(bytes, &count);
    if (!node.ok())
      return node.status().WithPrefix("cannot read a process of a serialized topology");
    job.nodes.push_back(*std::move(node));
  }
  return std::make_unique<LocalTopology>(platform, std::move(options), std::move(job));
}

}  // namespace tenon::pjrt
