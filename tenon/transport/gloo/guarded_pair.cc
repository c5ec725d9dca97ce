#include "tenon/transport/gloo/guarded_pair.h"

#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace tenon::transport {
namespace {

namespace tcp = gloo::transport::tcp;

// Connections that a pair listens to at a time. The oldest makes room for a new one.
constexpr int kMaxVisitors = 64;

}  // namespace

GuardedPair::GuardedPair(tcp::Context* context, tcp::Device* device, int rank,
                         std::chrono::milliseconds timeout)
    : Pair(context, device, rank, timeout) {
  if (getrandom(number_.data(), number_.size(), 0) !=
      static_cast<ssize_t>(number_.size())) {
    throw std::runtime_error(std::string("getrandom: ") + std::strerror(errno));
  }
  // Gloo listens already.
  const std::lock_guard lock(m_);
  if (state_ != LISTENING) throw std::runtime_error("a stranger has connected");
  // Gloo's queue has room for one connection; others would wait for seconds.
  if (::listen(fd_, kMaxVisitors)) {
    throw std::runtime_error(std::string("listen: ") + std::strerror(errno));
  }
}

GuardedPair::~GuardedPair() {
  const std::lock_guard lock(m_);
  // Here, because Gloo's destructor would leave its thread a moment without the guard.
  if (state_ != CLOSED) Pair::changeState(CLOSED);
  for (Visitor& visitor : visitors_) Dismiss(visitor);
}

std::vector<char> GuardedPair::guarded_address() const {
  std::vector<char> bytes = address().bytes();
  bytes.insert(bytes.end(), number_.begin(), number_.end());
  return bytes;
}

void GuardedPair::connect(const std::vector<char>& bytes) {
  if (bytes.size() < number_of_peer_.size()) {
    throw std::runtime_error("an address of " + std::to_string(bytes.size()) + " bytes");
  }
  const auto end = bytes.end() - static_cast<std::ptrdiff_t>(number_of_peer_.size());
  {
    const std::lock_guard lock(m_);
    std::copy(end, bytes.end(), number_of_peer_.begin());
  }
  Pair::connect(std::vector<char>(bytes.begin(), end));
}

void GuardedPair::FinishSending(std::chrono::milliseconds timeout) {
  std::unique_lock lock(m_);
  if (state_ != CONNECTED) return;
  shutdown(fd_, SHUT_WR);
  cv_.wait_for(lock, timeout, [&] { return state_ == CLOSED; });
}

void GuardedPair::handleEvents(int events) {
  CloseIfItThrows([&] {
    // As Gloo does: whoever has the lock may wait for this thread.
    std::unique_lock lock(m_, std::try_to_lock);
    if (!lock) return;
    if (state_ == LISTENING) return Accept();
    if (state_ == CONNECTING) return FinishConnecting();
    lock.unlock();
    Pair::handleEvents(events);
  });
}

template <typename Body>
void GuardedPair::CloseIfItThrows(Body body) {
  try {
    body();
  } catch (const std::exception& error) {
    signalExceptionExternal(error.what());
  } catch (...) {
    signalExceptionExternal("unknown error");
  }
}

void GuardedPair::Accept() {
  const int fd = accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) {
    if (errno == EINTR || errno == EAGAIN || errno == ECONNABORTED) return;
    return signalException(std::string("accept: ") + std::strerror(errno));
  }
  if (visitors_.size() < size_t{kMaxVisitors}) visitors_.emplace_back(*this);
  Visitor& visitor = visitors_[next_visitor_++ % size_t{kMaxVisitors}];
  Dismiss(visitor);
  visitor.fd = fd;
  visitor.received = 0;
  device_->registerDescriptor(fd, EPOLLIN, &visitor);
}

void GuardedPair::Hear(Visitor& visitor) {
  CloseIfItThrows([&] {
    const std::unique_lock lock(m_, std::try_to_lock);
    if (!lock || visitor.fd < 0) return;
    const ssize_t count = ::recv(visitor.fd, visitor.number.data() + visitor.received,
                                 visitor.number.size() - visitor.received, 0);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count <= 0) return Dismiss(visitor);
    visitor.received += static_cast<size_t>(count);
    if (visitor.received < visitor.number.size()) return;
    if (state_ != LISTENING || visitor.number != number_) return Dismiss(visitor);
    Admit(visitor);
  });
}

void GuardedPair::Dismiss(Visitor& visitor) {
  if (visitor.fd < 0) return;
  device_->unregisterDescriptor(visitor.fd, &visitor);
  ::close(std::exchange(visitor.fd, -1));
}

void GuardedPair::Admit(Visitor& visitor) {
  device_->unregisterDescriptor(visitor.fd, &visitor);
  device_->unregisterDescriptor(fd_, this);
  ::close(fd_);
  fd_ = std::exchange(visitor.fd, -1);
  handleConnected();
  for (Visitor& other : visitors_) Dismiss(other);
}

// The number goes before anything that Gloo sends.
void GuardedPair::FinishConnecting() {
  const ssize_t count =
      ::send(fd_, number_of_peer_.data(), number_of_peer_.size(), MSG_NOSIGNAL);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count != static_cast<ssize_t>(number_of_peer_.size())) {
    return signalException("connect " + peer_.str() + ": " + std::strerror(errno));
  }
  handleConnecting();
}

std::unique_ptr<gloo::transport::Pair>& GuardedContext::createPair(int rank) {
  auto& pair = pairs_[static_cast<size_t>(rank)];
  pair = std::make_unique<GuardedPair>(this, device_.get(), rank, getTimeout());
  return pair;
}

}  // namespace tenon::transport
