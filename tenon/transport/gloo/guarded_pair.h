// A connection of Gloo that only the process for which it is meant can make.
//
// Gloo listens on a port of its own for each connection and takes the first one that
// comes. An exception in its thread, such as for a message that nobody expects, ends
// the process. Here the listening side first reads a random number that only the job's
// key-value store has, and closes connections that do not send it. An exception ends the
// connection.
#ifndef TENON_TRANSPORT_GLOO_GUARDED_PAIR_H_
#define TENON_TRANSPORT_GLOO_GUARDED_PAIR_H_

#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/pair.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace tenon::transport {

class GuardedPair final : public gloo::transport::tcp::Pair {
 public:
  GuardedPair(gloo::transport::tcp::Context* context,
              gloo::transport::tcp::Device* device, int rank,
              std::chrono::milliseconds timeout);
  ~GuardedPair() override;

  // The address of this end and its number.
  std::vector<char> guarded_address() const;
  // Connects with the end that has this guarded_address.
  void connect(const std::vector<char>& bytes) override;

  // Waits until the other end has read everything and closed, at most for this time.
  // Without this, what it has sent last makes the system drop what it has not read yet.
  void FinishSending(std::chrono::milliseconds timeout);

  void handleEvents(int events) override;

 private:
  using Number = std::array<char, 16>;

  // A connection that has not sent the whole number yet. Lives as long as the pair,
  // because Gloo may still hold an event for it.
  struct Visitor final : gloo::transport::tcp::Handler {
    explicit Visitor(GuardedPair& owner) : pair(owner) {}
    void handleEvents(int) override { pair.Hear(*this); }

    GuardedPair& pair;
    int fd = -1;  // -1: closed, or the pair's
    Number number{};
    size_t received = 0;
  };

  // Called with the lock `m_`.
  void Accept();
  void Dismiss(Visitor& visitor);
  void Admit(Visitor& visitor);
  void FinishConnecting();

  void Hear(Visitor& visitor);
  template <typename Body>
  void CloseIfItThrows(Body body);

  Number number_;
  Number number_of_peer_{};
  std::deque<Visitor> visitors_;
  size_t next_visitor_ = 0;
};

class GuardedContext final : public gloo::transport::tcp::Context {
 public:
  using gloo::transport::tcp::Context::Context;
  std::unique_ptr<gloo::transport::Pair>& createPair(int rank) override;
};

}  // namespace tenon::transport

#endif  // TENON_TRANSPORT_GLOO_GUARDED_PAIR_H_
