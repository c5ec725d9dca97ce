// Where the transport's library is, and under which address other machines reach this
// one.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "tenon/transport/links.h"

namespace tenon::transport {
namespace {

std::string Text(const in_addr& address) {
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address, text, sizeof text);
  return text;
}

// The source address of packets to the internet. Sends none.
std::string RouteAddress() {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return "";
  sockaddr_in target{};
  target.sin_family = AF_INET;
  target.sin_port = htons(9);
  target.sin_addr.s_addr = htonl(0xC0000201);  // 192.0.2.1, of a network for examples
  std::string address;
  sockaddr_in own{};
  socklen_t size = sizeof own;
  if (connect(fd, reinterpret_cast<sockaddr*>(&target), sizeof target) == 0 &&
      getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) == 0) {
    address = Text(own.sin_addr);
  }
  close(fd);
  return address;
}

std::string FirstInterface() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return "";
  std::string address;
  for (const ifaddrs* each = list; each && address.empty(); each = each->ifa_next) {
    if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET) continue;
    if (!(each->ifa_flags & IFF_UP) || (each->ifa_flags & IFF_LOOPBACK)) continue;
    address = Text(reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr);
  }
  freeifaddrs(list);
  return address;
}

}  // namespace

std::string LibraryBesidePlugin(const std::string& name) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&LibraryBesidePlugin), &info) || !info.dli_fname) {
    return name;
  }
  std::error_code error;
  const auto path = std::filesystem::absolute(info.dli_fname, error).parent_path() / name;
  return std::filesystem::exists(path, error) ? path.string() : name;
}

std::string HostAddress(bool on_one_host) {
  constexpr char kLoopback[] = "127.0.0.1";
  if (on_one_host) return kLoopback;
  std::string address = RouteAddress();
  if (address.empty()) address = FirstInterface();
  return address.empty() ? kLoopback : address;
}

}  // namespace tenon::transport
