#include "tenon/transport/links.h"

#include <dlfcn.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tenon/transport/transport.h"

namespace tenon::transport {
namespace {

using Clock = std::chrono::steady_clock;

// What every message begins with. Processes of a job have the same version of Tenon and
// the same byte order.
struct FrameHeader {
  uint64_t magic;
  uint64_t number;     // of the message on this link
  uint64_t head_size;  // bytes
  uint64_t data_size;  // bytes
};
constexpr uint64_t kMagic = 0x314d4e5445544e47;
// Data up to this size is sent in the frame.
constexpr size_t kInlineBytes = size_t{16} << 10;
constexpr size_t kFrameBytes =
    sizeof(FrameHeader) + Channel::kMaxHeadBytes + kInlineBytes;
// Receives that are posted at a time. A sender that is ahead of all of them waits.
constexpr uint64_t kFrames = 4;
constexpr uint64_t kDataSlot = uint64_t{1} << 32;  // and above: data of long messages
constexpr uint64_t kMaxDataBytes = uint64_t{1} << 40;
constexpr size_t kMaxAddressBytes = 4096;
// Waits for keys are divided, so that the channel can be destroyed meanwhile.
constexpr std::chrono::milliseconds kPoll{250};
// How long the destructor waits until messages are sent.
constexpr std::chrono::seconds kFlush{5};

// The text of an error of the transport.
struct ErrorText {
  char text[512] = "";
  std::string str() const { return text[0] ? text : "unknown error"; }
};

// The library and its state. Shared by all links.
class Library {
 public:
  static StatusOr<std::shared_ptr<Library>> Load(const LinkOptions& options) {
    void* handle = dlopen(options.library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char* reason = dlerror();
      return Status(StatusCode::kUnavailable,
                    "cannot load the library for collectives of several processes: " +
                        std::string(reason ? reason : options.library) +
                        "; create option 'collectives_library' is its path");
    }
    // Never unloaded: its threads may still return from a call.
    auto get = reinterpret_cast<TenonGetTransportFunction>(
        dlsym(handle, TENON_TRANSPORT_SYMBOL));
    const TenonTransport* table = get ? get() : nullptr;
    if (!table || table->version != TENON_TRANSPORT_VERSION) {
      return FailedPrecondition(options.library +
                                " is no transport of this version of Tenon");
    }
    ErrorText error;
    void* transport = table->create(options.hostname.c_str(), options.interface.c_str(),
                                    error.text, sizeof error.text);
    if (!transport) {
      return Status(StatusCode::kUnavailable,
                    "cannot open a network address for collectives (hostname '" +
                        options.hostname + "', interface '" + options.interface +
                        "'): " + error.str());
    }
    return std::shared_ptr<Library>(new Library(*table, transport));
  }
  ~Library() { table.destroy(transport); }

  const TenonTransport& table;
  void* const transport;

 private:
  Library(const TenonTransport& functions, void* state)
      : table(functions), transport(state) {}
};

// An operation that has begun. Memory that it uses must outlive it.
class Operation {
 public:
  Operation() = default;
  Operation(const TenonTransport& table, void* handle)
      : table_(&table), handle_(handle) {}
  Operation(Operation&& other) noexcept { *this = std::move(other); }
  Operation& operator=(Operation&& other) noexcept {
    std::swap(table_, other.table_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Operation() {
    if (handle_) table_->release(handle_);
  }
  bool Wait(ErrorText& error) {
    return handle_ && table_->wait(handle_, error.text, sizeof error.text) == 0;
  }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  const TenonTransport* table_ = nullptr;
  void* handle_ = nullptr;
};

// The link with one process.
class Peer {
 public:
  Peer(const LinkOptions& options, int process, Receiver& receiver,
       std::function<StatusOr<std::shared_ptr<Library>>()> library)
      : options_(options),
        process_(process),
        receiver_(receiver),
        get_library_(std::move(library)),
        thread_([this] { Run(); }) {}

  // Stops sending at the deadline.
  void Finish(Clock::time_point deadline) {
    {
      std::unique_lock lock(mutex_);
      finishing_ = true;
      changed_.notify_all();
      changed_.wait_until(lock, deadline, [&] { return ended_sending_; });
    }
    Stop(Status(StatusCode::kCancelled, "the client has been destroyed"));
    thread_.join();
  }

  void Send(std::string head, AlignedBytes data) {
    std::lock_guard lock(mutex_);
    if (stopped_) return;
    queue_.push_back({std::move(head), std::move(data)});
    changed_.notify_all();
  }

  void Stop(const Status& status) {
    std::lock_guard lock(mutex_);
    if (!stopped_) {
      stopped_ = true;
      status_ = status;
    }
    changed_.notify_all();
    if (link_) library_->table.abort(link_);
  }

 private:
  struct Message {
    std::string head;
    AlignedBytes data;
  };

  std::string Name() const { return "process " + std::to_string(process_); }

  // The sending thread. The receiving thread runs while the link is connected.
  void Run() {
    Status status = Connect();
    if (status.ok()) {
      std::thread receiving([this] {
        const Status failed = ReceiveAll();
        Stop(failed);
      });
      status = SendAll();
      if (!status.ok()) Stop(status);
      {
        std::lock_guard lock(mutex_);
        ended_sending_ = true;
        changed_.notify_all();
      }
      receiving.join();
    } else {
      Stop(status);
    }
    {
      std::lock_guard lock(mutex_);
      ended_sending_ = true;
      changed_.notify_all();
      status = status_;
      if (link_) library_->table.close(std::exchange(link_, nullptr));
    }
    receiver_.OnFailure(process_, status);
  }

  bool stopped() {
    std::lock_guard lock(mutex_);
    return stopped_ || (finishing_ && queue_.empty());
  }

  StatusOr<std::string> AwaitKey(const std::string& key) {
    const auto deadline = Clock::now() + options_.timeout;
    while (true) {
      StatusOr<std::string> value = options_.get(key, kPoll);
      if (value.ok() || stopped()) return value;
      const StatusCode code = value.status().code();
      if (code != StatusCode::kDeadlineExceeded && code != StatusCode::kNotFound) {
        return value;
      }
      if (Clock::now() >= deadline) {
        return Status(StatusCode::kDeadlineExceeded,
                      Name() + " has not connected within " +
                          std::to_string(options_.timeout.count() / 1000) + " s");
      }
    }
  }

  Status Connect() {
    TENON_ASSIGN_OR_RETURN(library_, get_library_());
    const TenonTransport& table = library_->table;
    ErrorText error;
    const int side = options_.process < process_ ? 0 : 1;
    void* link = table.open(library_->transport, side, error.text, sizeof error.text);
    if (!link) return Failed("cannot open a link", error);
    {
      std::lock_guard lock(mutex_);
      link_ = link;
    }
    std::string address(kMaxAddressBytes, '\0');
    address.resize(table.address(link, address.data(), address.size()));
    const auto key = [&](int from, int to) {
      return options_.prefix + std::to_string(from) + "-" + std::to_string(to);
    };
    TENON_RETURN_IF_ERROR(options_.put(key(options_.process, process_), address));
    TENON_ASSIGN_OR_RETURN(const std::string other,
                           AwaitKey(key(process_, options_.process)));
    if (table.connect(link, other.data(), other.size(), error.text, sizeof error.text)) {
      return Failed("cannot connect", error);
    }
    return OkStatus();
  }

  Status Failed(const std::string& what, const ErrorText& error) const {
    return Status(StatusCode::kUnavailable,
                  what + " with " + Name() + ": " + error.str());
  }
  Status Lost(const ErrorText& error) const {
    return Status(StatusCode::kUnavailable,
                  "the connection with " + Name() +
                      " has ended; most likely the process has: " + error.str());
  }

  Status SendAll() {
    const TenonTransport& table = library_->table;
    AlignedBytes frame(kFrameBytes);
    for (uint64_t number = 0;; ++number) {
      Message message;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stopped_ || finishing_ || !queue_.empty(); });
        if (stopped_) return status_;
        if (queue_.empty()) return OkStatus();
        message = std::move(queue_.front());
        queue_.pop_front();
      }
      const FrameHeader header{kMagic, number, message.head.size(), message.data.size()};
      size_t size = sizeof header;
      std::memcpy(frame.data(), &header, sizeof header);
      std::memcpy(frame.data() + size, message.head.data(), message.head.size());
      size += message.head.size();
      const bool is_inline = message.data.size() <= kInlineBytes;
      if (is_inline && message.data.size()) {
        std::memcpy(frame.data() + size, message.data.data(), message.data.size());
        size += message.data.size();
      }
      ErrorText error;
      // Begun before the wait for the frame, so that both are on the way.
      Operation data, head;
      head = Operation(table, table.send(link_, number % kFrames, frame.data(), size,
                                         error.text, sizeof error.text));
      if (!head) return Lost(error);
      if (!is_inline) {
        data = Operation(table,
                         table.send(link_, kDataSlot + number, message.data.data(),
                                    message.data.size(), error.text, sizeof error.text));
        if (!data) return Lost(error);
      }
      if (!head.Wait(error) || (!is_inline && !data.Wait(error))) return Lost(error);
    }
  }

  // Returns the error that ends the connection.
  Status ReceiveAll() {
    const TenonTransport& table = library_->table;
    std::vector<AlignedBytes> frames;
    std::vector<Operation> posted(kFrames);
    ErrorText error;
    const auto post = [&](uint64_t slot) {
      posted[slot] =
          Operation(table, table.receive(link_, slot, frames[slot].data(), kFrameBytes,
                                         error.text, sizeof error.text));
      return static_cast<bool>(posted[slot]);
    };
    for (uint64_t slot = 0; slot < kFrames; ++slot) {
      frames.emplace_back(kFrameBytes);
      std::memset(frames.back().data(), 0, sizeof(FrameHeader));
    }
    for (uint64_t slot = 0; slot < kFrames; ++slot) {
      if (!post(slot)) return Lost(error);
    }
    for (uint64_t number = 0;; ++number) {
      const uint64_t slot = number % kFrames;
      if (!posted[slot].Wait(error)) return Lost(error);
      const char* frame = frames[slot].data();
      FrameHeader header;
      std::memcpy(&header, frame, sizeof header);
      if (header.magic != kMagic || header.number != number ||
          header.head_size > Channel::kMaxHeadBytes || header.data_size > kMaxDataBytes) {
        return Status(StatusCode::kDataLoss,
                      Name() + " has sent bytes that are no message of Tenon");
      }
      std::string head(frame + sizeof header, header.head_size);
      AlignedBytes data;
      try {
        data = AlignedBytes(header.data_size);
      } catch (const std::bad_alloc&) {
        return ResourceExhausted("no memory for " + std::to_string(header.data_size) +
                                 " bytes from " + Name());
      }
      if (header.data_size > kInlineBytes) {
        Operation rest(table, table.receive(link_, kDataSlot + number, data.data(),
                                            data.size(), error.text, sizeof error.text));
        if (!rest.Wait(error)) return Lost(error);
      } else if (header.data_size) {
        std::memcpy(data.data(), frame + sizeof header + head.size(), data.size());
      }
      // Fails if the other end has closed. The messages that have arrived come first.
      (void)post(slot);
      receiver_.OnMessage(process_, std::move(head), std::move(data));
    }
  }

  const LinkOptions& options_;
  const int process_;
  Receiver& receiver_;
  const std::function<StatusOr<std::shared_ptr<Library>>()> get_library_;
  std::shared_ptr<Library> library_;

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<Message> queue_;
  void* link_ = nullptr;
  bool finishing_ = false, ended_sending_ = false, stopped_ = false;
  Status status_;  // why it stopped

  std::thread thread_;  // last: uses the others
};

class Links final : public Channel {
 public:
  Links(LinkOptions options, Receiver& receiver)
      : options_(std::move(options)), receiver_(receiver) {}
  ~Links() override {
    const auto deadline = Clock::now() + kFlush;
    for (auto& [process, peer] : peers_) peer->Finish(deadline);
  }

  void Open(int process) override { (void)PeerOf(process); }
  void Send(int process, std::string head, AlignedBytes data) override {
    PeerOf(process).Send(std::move(head), std::move(data));
  }
  void Close(int process, const Status& status) override {
    std::lock_guard lock(mutex_);
    const auto peer = peers_.find(process);
    if (peer != peers_.end()) peer->second->Stop(status);
  }

 private:
  Peer& PeerOf(int process) {
    std::lock_guard lock(mutex_);
    std::unique_ptr<Peer>& peer = peers_[process];
    if (!peer) {
      peer = std::make_unique<Peer>(options_, process, receiver_,
                                    [this] { return GetLibrary(); });
    }
    return *peer;
  }

  StatusOr<std::shared_ptr<Library>> GetLibrary() {
    std::lock_guard lock(library_mutex_);
    if (!library_) {
      TENON_ASSIGN_OR_RETURN(library_, Library::Load(options_));
    }
    return library_;
  }

  const LinkOptions options_;
  Receiver& receiver_;
  std::mutex mutex_;
  std::mutex library_mutex_;
  std::shared_ptr<Library> library_;
  std::map<int, std::unique_ptr<Peer>> peers_;
};

}  // namespace

std::unique_ptr<Channel> MakeLinks(LinkOptions options, Receiver& receiver) {
  return std::make_unique<Links>(std::move(options), receiver);
}

}  // namespace tenon::transport
