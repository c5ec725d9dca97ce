#include "tenon/pjrt/client/topology_exchange.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace tenon::pjrt {
namespace {

constexpr int64_t kFormat = 1;
constexpr std::chrono::minutes kLocalTimeout{2};   // for one node to start
constexpr std::chrono::minutes kGlobalTimeout{5};  // for all nodes to start

enum NodeField {
  kFormatField = 1,
  kNumNodes = 2,
  kVersion = 3,
  kHost = 4,
  kPartitionIndex = 5,
  kDevice = 6
};
enum DeviceField { kCoordinates = 1, kCoreOnChip = 2 };
enum JobField { kNode = 1 };

std::string Text(protozero::data_view view) { return {view.data(), view.size()}; }

std::string LocalKey(int64_t node) { return "topology/local/" + std::to_string(node); }
constexpr char kGlobalKey[] = "topology/global";

std::string NodeName(int64_t node) { return "process " + std::to_string(node); }

device::DeviceFacts DecodeDevice(protozero::pbf_reader message) {
  device::DeviceFacts facts;
  while (message.next()) {
    if (message.tag() == kCoordinates) {
      for (int64_t value : message.get_packed_int64()) facts.coordinates.push_back(value);
    } else if (message.tag() == kCoreOnChip) {
      facts.core_on_chip = message.get_int64();
    } else {
      message.skip();
    }
  }
  return facts;
}

// A second client of the same process finds the value that the first has put.
Status PutOnce(KeyValueStore& store, const std::string& key, const std::string& value) {
  StatusOr<std::string> present = store.TryGet(key);
  if (!present.ok()) return store.Put(key, value);
  if (*present == value) return OkStatus();
  return FailedPrecondition("the key-value store of the job has another value of '" +
                            key +
                            "': an earlier client of this process had other devices or "
                            "another version of Tenon");
}

Status CheckNode(const NodeDescription& node, int64_t id, int64_t num_nodes,
                 const NodeDescription& own, int64_t own_num_nodes) {
  if (num_nodes != own_num_nodes) {
    return FailedPrecondition(NodeName(id) + " belongs to a job of " +
                              std::to_string(num_nodes) + " processes, not of " +
                              std::to_string(own_num_nodes));
  }
  if (node.version != own.version) {
    return FailedPrecondition(NodeName(id) + " runs '" + node.version +
                              "', this process '" + own.version +
                              "': install the same version in all processes");
  }
  return OkStatus();
}

// Node 0 only: waits for all nodes and puts their descriptions together.
StatusOr<std::string> Collect(KeyValueStore& store, int64_t num_nodes) {
  std::string all;
  protozero::pbf_writer writer(all);
  for (int64_t node = 0; node < num_nodes; ++node) {
    StatusOr<std::string> bytes = store.Get(LocalKey(node), kLocalTimeout);
    if (!bytes.ok()) {
      return bytes.status().WithPrefix(NodeName(node) + " of " +
                                       std::to_string(num_nodes) +
                                       " has not announced its devices");
    }
    writer.add_bytes(kNode, *bytes);
  }
  return all;
}

StatusOr<std::vector<std::string>> Split(const std::string& all) {
  std::vector<std::string> nodes;
  try {
    protozero::pbf_reader message(all);
    while (message.next()) {
      if (message.tag() == kNode) {
        nodes.push_back(Text(message.get_view()));
      } else {
        message.skip();
      }
    }
  } catch (const std::exception& error) {
    return DataLoss(std::string("the description of the job's devices is malformed: ") +
                    error.what());
  }
  return nodes;
}

}  // namespace

int JobDescription::FirstDevice(size_t node) const {
  size_t first = 0;
  for (size_t n = 0; n < node; ++n) first += nodes[n].devices.size();
  return static_cast<int>(first);
}

bool JobDescription::OnOneHost() const {
  return std::ranges::all_of(
      nodes, [&](const NodeDescription& node) { return node.host == nodes[0].host; });
}

std::string HostId() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return std::string(name) + " " + boot;
}

std::string EncodeNode(const NodeDescription& node, int64_t num_nodes) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_int64(kFormatField, kFormat);
  writer.add_int64(kNumNodes, num_nodes);
  writer.add_string(kVersion, node.version);
  writer.add_string(kHost, node.host);
  writer.add_int64(kPartitionIndex, node.partition_index);
  for (const device::DeviceFacts& facts : node.devices) {
    protozero::pbf_writer device(writer, kDevice);
    device.add_packed_int64(kCoordinates, facts.coordinates.begin(),
                            facts.coordinates.end());
    device.add_int64(kCoreOnChip, facts.core_on_chip);
  }
  return bytes;
}

StatusOr<NodeDescription> DecodeNode(const std::string& bytes, int64_t* num_nodes) {
  NodeDescription node;
  int64_t format = 0;
  try {
    protozero::pbf_reader message(bytes);
    while (message.next()) {
      switch (message.tag()) {
        case kFormatField:
          format = message.get_int64();
          break;
        case kNumNodes:
          *num_nodes = message.get_int64();
          break;
        case kVersion:
          node.version = Text(message.get_view());
          break;
        case kHost:
          node.host = Text(message.get_view());
          break;
        case kPartitionIndex:
          node.partition_index = message.get_int64();
          break;
        case kDevice:
          node.devices.push_back(DecodeDevice(message.get_message()));
          node.devices.back().id = static_cast<int>(node.devices.size()) - 1;
          break;
        default:
          message.skip();
      }
    }
  } catch (const std::exception& error) {
    return DataLoss(std::string("its description is malformed: ") + error.what());
  }
  if (format != kFormat) {
    return FailedPrecondition("its description has format " + std::to_string(format) +
                              ", not " + std::to_string(kFormat) +
                              ": install the same version of Tenon in all processes");
  }
  return node;
}

StatusOr<JobDescription> ExchangeTopologies(KeyValueStore& store, NodeDescription own,
                                            int64_t node_id, int64_t num_nodes) {
  const std::string own_bytes = EncodeNode(own, num_nodes);
  TENON_RETURN_IF_ERROR(PutOnce(store, LocalKey(node_id), own_bytes));
  if (node_id == 0) {
    TENON_ASSIGN_OR_RETURN(const std::string collected, Collect(store, num_nodes));
    TENON_RETURN_IF_ERROR(PutOnce(store, kGlobalKey, collected));
  }
  StatusOr<std::string> all = store.Get(kGlobalKey, kGlobalTimeout);
  if (!all.ok()) {
    return all.status().WithPrefix("process 0 has not put together the job's devices");
  }
  TENON_ASSIGN_OR_RETURN(const std::vector<std::string> nodes, Split(*all));
  if (std::ssize(nodes) != num_nodes) {
    return FailedPrecondition("process 0 belongs to a job of " +
                              std::to_string(nodes.size()) + " processes, not of " +
                              std::to_string(num_nodes));
  }
  JobDescription job;
  job.node_id = node_id;
  for (int64_t id = 0; id < num_nodes; ++id) {
    int64_t counted = 0;
    StatusOr<NodeDescription> node = DecodeNode(nodes[static_cast<size_t>(id)], &counted);
    if (!node.ok()) return node.status().WithPrefix(NodeName(id));
    TENON_RETURN_IF_ERROR(CheckNode(*node, id, counted, own, num_nodes));
    job.nodes.push_back(*std::move(node));
  }
  if (nodes[static_cast<size_t>(node_id)] != own_bytes) {
    return FailedPrecondition("process 0 has another description of process " +
                              std::to_string(node_id) +
                              " than this process has put into the key-value store");
  }
  return job;
}

}  // namespace tenon::pjrt
