// Messages between the processes of a job.
#ifndef TENON_TRANSPORT_CHANNEL_H_
#define TENON_TRANSPORT_CHANNEL_H_

#include <string>

#include "tenon/base/aligned_bytes.h"
#include "tenon/base/status.h"

namespace tenon::transport {

// What a channel tells its owner. Called by the channel's threads, one call at a time for
// each other process.
class Receiver {
 public:
  virtual ~Receiver() = default;
  virtual void OnMessage(int process, std::string head, AlignedBytes data) = 0;
  // No message will come from this process any more. Called once per process.
  virtual void OnFailure(int process, const Status& status) = 0;
};

// Thread-safe. The destructor first sends what has been passed to Send, and returns when
// no call of the receiver is running any more.
class Channel {
 public:
  virtual ~Channel() = default;
  // Connects with a process, which must call Open or Send for this process too. Does not
  // block. May be called again.
  virtual void Open(int process) = 0;
  // Sends a message of a head of at most kMaxHeadBytes, and data. Does not block.
  // Messages to one process arrive in order, or not at all after OnFailure.
  virtual void Send(int process, std::string head, AlignedBytes data) = 0;
  // Ends the connection, if there is one: OnFailure is called with `status`, unless it
  // has been called.
  virtual void Close(int process, const Status& status) = 0;

  static constexpr size_t kMaxHeadBytes = 1024;
};

}  // namespace tenon::transport

#endif  // TENON_TRANSPORT_CHANNEL_H_
