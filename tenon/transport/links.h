// The channel over a transport library: one link per process that is talked to.
//
// A link is made when it is first used. Two threads per link then block on its sockets:
// one sends, one receives. Messages up to some KiB are sent at once; for longer ones the
// receiver first provides memory, so that a process that is ahead does not fill the
// memory of others.
#ifndef TENON_TRANSPORT_LINKS_H_
#define TENON_TRANSPORT_LINKS_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "tenon/transport/channel.h"

namespace tenon::transport {

struct LinkOptions {
  int process = 0;  // this one
  int num_processes = 1;
  std::string library;    // the path of the transport's shared library
  std::string hostname;   // under which others reach this process
  std::string interface;  // a network interface, instead of a name
  std::string prefix;     // of keys; the same for all processes, other than of other jobs
  // How long to wait for another process to connect.
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
  // The key-value store of the job. `get` waits for a key for at most the given time, and
  // returns DEADLINE_EXCEEDED or NOT_FOUND if it does not exist then.
  std::function<StatusOr<std::string>(const std::string& key, std::chrono::milliseconds)>
      get;
  std::function<Status(const std::string& key, const std::string& value)> put;
};

// `receiver` must outlive the channel. Loads no library yet.
std::unique_ptr<Channel> MakeLinks(LinkOptions options, Receiver& receiver);

// The path of a library in the folder of the shared object that contains this function.
std::string LibraryBesidePlugin(const std::string& name);

// The address of this machine by which others most likely reach it: that of the route to
// the internet, or else that of the first interface. The loopback address if
// `on_one_host`.
std::string HostAddress(bool on_one_host);

}  // namespace tenon::transport

#endif  // TENON_TRANSPORT_LINKS_H_
