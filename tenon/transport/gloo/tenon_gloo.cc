// The transport over Gloo's TCP sockets.
//
// Each link is a Gloo context of two ranks. A context of all processes would have to be
// connected by all of them at the same time, and Gloo closes all connections of a context
// when one fails.
#include <gloo/transport/tcp/attr.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tenon/transport/gloo/guarded_pair.h"
#include "tenon/transport/transport.h"

namespace {

using gloo::transport::UnboundBuffer;

// Gloo waits five times this long for a connection, once both addresses are known.
constexpr std::chrono::seconds kConnectTimeout{6};
// How long a link that is closed waits for the other end.
constexpr std::chrono::seconds kFinishTimeout{2};
// Gloo breaks a link when a wait times out. The plugin has time-outs of its own.
constexpr std::chrono::hours kForever{24 * 365};

using tenon::transport::GuardedContext;
using tenon::transport::GuardedPair;

struct Transport {
  std::shared_ptr<gloo::transport::tcp::Device> device;
};

struct Operation;

struct Link {
  std::shared_ptr<GuardedContext> context;
  GuardedPair* pair = nullptr;  // the context's
  int side = 0;
  std::mutex mutex;
  bool aborted = false;
  std::set<Operation*> operations;  // not released

  int other() const { return 1 - side; }
};

struct Operation {
  Operation(Link* owner, void* data, size_t size, bool is_send)
      : link(owner),
        sends(is_send),
        buffer(owner->context->createUnboundBuffer(data, size)) {
    std::lock_guard lock(link->mutex);
    if (link->aborted) throw std::runtime_error("the connection has been closed");
    link->operations.insert(this);
  }
  ~Operation() {
    std::lock_guard lock(link->mutex);
    link->operations.erase(this);
  }
  void Abort() { sends ? buffer->abortWaitSend() : buffer->abortWaitRecv(); }

  Link* const link;
  const bool sends;
  const std::unique_ptr<UnboundBuffer> buffer;
};

void Write(const char* text, char* error, size_t size) {
  std::snprintf(error, size, "%s", text);
}

// Calls `body`, and turns an exception into an error and `failed`.
template <typename T, typename Body>
T Try(char* error, size_t size, T failed, Body body) {
  try {
    return body();
  } catch (const std::exception& caught) {
    Write(caught.what(), error, size);
  } catch (...) {
    Write("unknown error of Gloo", error, size);
  }
  return failed;
}

// Gloo's thread inherits the mask. A write to a closed connection is then an error and
// not the end of the process.
class BlockPipeSignal {
 public:
  BlockPipeSignal() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~BlockPipeSignal() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// Gloo reads an indeterminate address if a name cannot be resolved.
void CheckHostname(const std::string& hostname) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (int code = getaddrinfo(hostname.c_str(), nullptr, &hints, &found)) {
    throw std::runtime_error("cannot resolve host name '" + hostname +
                             "': " + gai_strerror(code));
  }
  freeaddrinfo(found);
}

std::string OwnHostname() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

void* Create(const char* hostname, const char* interface, char* error, size_t size) {
  return Try<void*>(error, size, nullptr, [&]() -> void* {
    const BlockPipeSignal block;
    if (!*interface) CheckHostname(*hostname ? hostname : OwnHostname());
    gloo::transport::tcp::attr attr;
    attr.hostname = hostname;
    attr.iface = interface;
    auto transport = std::make_unique<Transport>();
    transport->device = std::dynamic_pointer_cast<gloo::transport::tcp::Device>(
        gloo::transport::tcp::CreateDevice(attr));
    if (!transport->device) throw std::runtime_error("not a device of TCP");
    return transport.release();
  });
}

void Destroy(void* transport) {
  char error[1];
  Try(error, sizeof error, 0, [&] {
    delete static_cast<Transport*>(transport);
    return 0;
  });
}

void* Open(void* transport, int side, char* error, size_t size) {
  return Try<void*>(error, size, nullptr, [&]() -> void* {
    auto link = std::make_unique<Link>();
    link->side = side;
    link->context = std::make_shared<GuardedContext>(
        static_cast<Transport*>(transport)->device, side, 2);
    link->context->setTimeout(kConnectTimeout);
    link->pair =
        static_cast<GuardedPair*>(link->context->createPair(link->other()).get());
    return link.release();
  });
}

size_t AddressOf(void* handle, void* bytes, size_t capacity) {
  char error[1];
  return Try<size_t>(error, sizeof error, 0, [&]() -> size_t {
    const std::vector<char> address = static_cast<Link*>(handle)->pair->guarded_address();
    if (address.size() > capacity) return 0;
    std::memcpy(bytes, address.data(), address.size());
    return address.size();
  });
}

int Connect(void* handle, const void* bytes, size_t count, char* error, size_t size) {
  return Try(error, size, 1, [&] {
    const BlockPipeSignal block;
    const char* begin = static_cast<const char*>(bytes);
    static_cast<Link*>(handle)->pair->connect(std::vector<char>(begin, begin + count));
    return 0;
  });
}

void Abort(void* handle) {
  auto* link = static_cast<Link*>(handle);
  std::lock_guard lock(link->mutex);
  link->aborted = true;
  for (Operation* operation : link->operations) operation->Abort();
}

void Close(void* handle) {
  char error[1];
  Try(error, sizeof error, 0, [&] {
    auto* link = static_cast<Link*>(handle);
    link->pair->FinishSending(kFinishTimeout);
    delete link;
    return 0;
  });
}

void* Send(void* handle, uint64_t slot, const void* data, size_t count, char* error,
           size_t size) {
  return Try<void*>(error, size, nullptr, [&]() -> void* {
    const BlockPipeSignal block;
    auto* link = static_cast<Link*>(handle);
    auto operation =
        std::make_unique<Operation>(link, const_cast<void*>(data), count, true);
    operation->buffer->send(link->other(), slot, 0, count);
    return operation.release();
  });
}

void* Receive(void* handle, uint64_t slot, void* data, size_t count, char* error,
              size_t size) {
  return Try<void*>(error, size, nullptr, [&]() -> void* {
    const BlockPipeSignal block;
    auto* link = static_cast<Link*>(handle);
    auto operation = std::make_unique<Operation>(link, data, count, false);
    operation->buffer->recv(link->other(), slot, 0, count);
    return operation.release();
  });
}

int Wait(void* handle, char* error, size_t size) {
  return Try(error, size, 1, [&] {
    auto* operation = static_cast<Operation*>(handle);
    {
      std::lock_guard lock(operation->link->mutex);
      if (operation->link->aborted) throw std::runtime_error("closed");
    }
    const bool done = operation->sends ? operation->buffer->waitSend(nullptr, kForever)
                                       : operation->buffer->waitRecv(nullptr, kForever);
    if (!done) throw std::runtime_error("the connection has been closed");
    return 0;
  });
}

void Release(void* handle) {
  char error[1];
  Try(error, sizeof error, 0, [&] {
    delete static_cast<Operation*>(handle);
    return 0;
  });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const TenonTransport*
TenonGetTransport() {
  static const TenonTransport table = {
      .version = TENON_TRANSPORT_VERSION,
      .create = Create,
      .destroy = Destroy,
      .open = Open,
      .address = AddressOf,
      .connect = Connect,
      .abort = Abort,
      .close = Close,
      .send = Send,
      .receive = Receive,
      .wait = Wait,
      .release = Release,
  };
  return &table;
}
