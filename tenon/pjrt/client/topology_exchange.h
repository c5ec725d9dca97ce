// The devices of all processes of a distributed job, exchanged through the key-value
// store of the framework. Called once, when a client is created.
#ifndef TENON_PJRT_CLIENT_TOPOLOGY_EXCHANGE_H_
#define TENON_PJRT_CLIENT_TOPOLOGY_EXCHANGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/device.h"
#include "tenon/pjrt/interface/client.h"

namespace tenon::pjrt {

// What one process (node) tells the others.
struct NodeDescription {
  std::string version;  // of Tenon; all nodes must have the same
  // Equal for processes of one machine: its name, and an id of its last start.
  std::string host;
  int64_t partition_index = -1;              // of the node; -1 if it has none
  std::vector<device::DeviceFacts> devices;  // numbered within the node
};

// The nodes of a job, in the order of their ids.
struct JobDescription {
  int64_t node_id = 0;
  std::vector<NodeDescription> nodes;

  const NodeDescription& own() const { return nodes[static_cast<size_t>(node_id)]; }
  // The id of the first device of a node: devices are numbered node by node.
  int FirstDevice(size_t node) const;
  // Whether all nodes are processes of one machine.
  bool OnOneHost() const;
};

// The name of this machine for NodeDescription::host.
std::string HostId();

// Puts `own` into the store, and returns the descriptions of all nodes once they have
// done the same; blocks until then. Node 0 collects and distributes them.
//
// DEADLINE_EXCEEDED, naming the node, if one does not come within two minutes.
// FAILED_PRECONDITION, naming the node, if one has another version of Tenon or another
// number of nodes, or if the store has another description of this node.
StatusOr<JobDescription> ExchangeTopologies(KeyValueStore& store, NodeDescription own,
                                            int64_t node_id, int64_t num_nodes);

// The bytes that the nodes exchange, with a version number. Decode returns
// FAILED_PRECONDITION for another version and DATA_LOSS for malformed bytes.
std::string EncodeNode(const NodeDescription& node, int64_t num_nodes);
StatusOr<NodeDescription> DecodeNode(const std::string& bytes, int64_t* num_nodes);

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_TOPOLOGY_EXCHANGE_H_
