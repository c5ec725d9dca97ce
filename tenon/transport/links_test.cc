// Links between channels of one process, over Gloo.
#include "tenon/transport/links.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

#include "tenon/transport/testing.h"
#include "tenon/transport/transport.h"

#ifdef TENON_GLOO

namespace tenon::transport {
namespace {

class Inbox final : public Receiver {
 public:
  struct Message {
    int process;
    std::string head;
    std::string data;
  };
  void OnMessage(int process, std::string head, AlignedBytes data) override {
    std::lock_guard lock(mutex_);
    messages_.push_back({process, std::move(head), {data.data(), data.size()}});
    changed_.notify_all();
  }
  void OnFailure(int process, const Status& status) override {
    std::lock_guard lock(mutex_);
    failures_[process] = status;
    changed_.notify_all();
  }
  std::vector<Message> Await(size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20),
                                  [&] { return messages_.size() >= count; }));
    return messages_;
  }
  Status AwaitFailure(int process) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(40),
                                  [&] { return failures_.contains(process); }));
    return failures_[process];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Message> messages_;
  std::map<int, Status> failures_;
};

LinkOptions Options(testing::Store& store, int process, int count = 2) {
  LinkOptions options = store.Options(process, count);
  options.library = TENON_GLOO;
  return options;
}

AlignedBytes Bytes(size_t size, char fill) {
  AlignedBytes bytes(size);
  std::memset(bytes.data(), fill, size);
  return bytes;
}

TEST(LinksTest, MessagesOfAllSizesArriveInOrder) {
  testing::Store store;
  Inbox inboxes[2];
  std::unique_ptr<Channel> channels[2];
  for (int p = 0; p < 2; ++p) channels[p] = MakeLinks(Options(store, p), inboxes[p]);
  const size_t sizes[] = {0, 1, 64, 16384, 16385, 1000000, 3, 8 << 20};
  constexpr size_t kCount = 40;
  for (size_t i = 0; i < kCount; ++i) {
    for (int p = 0; p < 2; ++p) {
      channels[p]->Send(1 - p, "head " + std::to_string(i),
                        Bytes(sizes[i % std::size(sizes)], static_cast<char>(i)));
    }
  }
  for (Inbox& inbox : inboxes) {
    const auto messages = inbox.Await(kCount);
    ASSERT_EQ(messages.size(), kCount);
    for (size_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(messages[i].head, "head " + std::to_string(i));
      EXPECT_EQ(messages[i].data,
                std::string(sizes[i % std::size(sizes)], static_cast<char>(i)));
    }
  }
}

TEST(LinksTest, WhatWasSentArrivesAlthoughTheSenderEnds) {
  testing::Store store;
  Inbox first, second;
  auto receiving = MakeLinks(Options(store, 1), second);
  receiving->Open(0);
  {
    auto sending = MakeLinks(Options(store, 0), first);
    for (int i = 0; i < 20; ++i) sending->Send(1, "", Bytes(size_t{1} << 20, 'x'));
  }
  EXPECT_EQ(second.Await(20).size(), 20u);
  const Status status = second.AwaitFailure(0);
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("process 0"), std::string::npos);
}

TEST(LinksTest, ManyProcesses) {
  constexpr int kProcesses = 6;
  testing::Store store;
  Inbox inboxes[kProcesses];
  std::unique_ptr<Channel> channels[kProcesses];
  for (int p = 0; p < kProcesses; ++p) {
    channels[p] = MakeLinks(Options(store, p, kProcesses), inboxes[p]);
  }
  for (int p = 0; p < kProcesses; ++p) {
    for (int q = 0; q < kProcesses; ++q) {
      if (p != q) channels[p]->Send(q, std::to_string(p), Bytes(100, 'x'));
    }
  }
  for (Inbox& inbox : inboxes) EXPECT_EQ(inbox.Await(kProcesses - 1).size(), 5u);
}

TEST(LinksTest, AProcessThatDoesNotConnect) {
  testing::Store store;
  Inbox inbox;
  LinkOptions options = Options(store, 0);
  options.timeout = std::chrono::milliseconds(300);
  auto channel = MakeLinks(options, inbox);
  channel->Open(1);
  const Status status = inbox.AwaitFailure(1);
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(status.message().find("process 1 has not connected"), std::string::npos);
}

TEST(LinksTest, ALibraryThatDoesNotExist) {
  testing::Store store;
  Inbox inbox;
  LinkOptions options = Options(store, 0);
  options.library = "/nowhere/tenon_gloo.so";
  auto channel = MakeLinks(options, inbox);
  channel->Send(1, "head", Bytes(1, 'x'));
  EXPECT_NE(inbox.AwaitFailure(1).message().find("collectives_library"),
            std::string::npos);
  LinkOptions unreachable = Options(store, 0);
  unreachable.hostname = "no.such.host.invalid";
  Inbox of_other;
  auto other = MakeLinks(unreachable, of_other);
  other->Open(1);
  EXPECT_NE(of_other.AwaitFailure(1).message().find("no.such.host.invalid"),
            std::string::npos);
}

// A process that speaks the transport's protocol, but not Tenon's.
TEST(LinksTest, Garbage) {
  testing::Store store;
  Inbox inbox;
  auto channel = MakeLinks(Options(store, 0), inbox);
  channel->Open(1);
  void* library = dlopen(TENON_GLOO, RTLD_NOW);
  const TenonTransport& table = *reinterpret_cast<TenonGetTransportFunction>(
      dlsym(library, TENON_TRANSPORT_SYMBOL))();
  char error[200];
  void* transport = table.create("127.0.0.1", "", error, sizeof error);
  void* link = table.open(transport, 1, error, sizeof error);
  std::string address(1000, '\0');
  address.resize(table.address(link, address.data(), address.size()));
  ASSERT_TRUE(store.Put("links/1-0", address).ok());
  const std::string other = *store.Get("links/0-1", std::chrono::seconds(10));
  ASSERT_EQ(table.connect(link, other.data(), other.size(), error, sizeof error), 0);
  const std::string garbage(777, '\x5a');
  void* sent = table.send(link, 0, garbage.data(), garbage.size(), error, sizeof error);
  ASSERT_NE(sent, nullptr);
  const Status status = inbox.AwaitFailure(1);
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_NE(status.message().find("process 1 has sent bytes"), std::string::npos);
  EXPECT_EQ(table.wait(sent, error, sizeof error), 0) << error;
  table.release(sent);
  table.abort(link);
  table.close(link);
  table.destroy(transport);
}

// Connects to the socket that a link listens on, and sends `bytes`.
int ConnectStranger(const std::string& link_address, const std::string& bytes) {
  sockaddr_in address;
  std::memcpy(&address, link_address.data(), sizeof address);
  EXPECT_EQ(address.sin_family, AF_INET);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0)
      << strerror(errno);
  EXPECT_EQ(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
  return fd;
}

// Strangers come before the process for which the socket is: they are turned away.
TEST(LinksTest, Strangers) {
  testing::Store store;
  Inbox inboxes[2];
  std::unique_ptr<Channel> channels[2];
  channels[0] = MakeLinks(Options(store, 0), inboxes[0]);
  channels[0]->Open(1);
  const std::string address = *store.Get("links/0-1", std::chrono::seconds(10));
  std::vector<int> strangers;
  strangers.push_back(ConnectStranger(address, "GET / HTTP/1.1\r\n\r\n"));
  strangers.push_back(ConnectStranger(address, std::string(1000, '\x5a')));
  strangers.push_back(ConnectStranger(address, std::string(1000, '\0')));
  // A message of Gloo that nobody expects: size, opcode (send), slot, offset, length.
  const uint64_t header[] = {48, 1, 5, 0, 10, 0};
  std::string message(sizeof header + 10, 'z');
  std::memcpy(message.data(), header, sizeof header);
  strangers.push_back(ConnectStranger(address, message));
  strangers.push_back(ConnectStranger(address, "short"));
  strangers.push_back(ConnectStranger(address, ""));
  for (int i = 0; i < 10; ++i) close(ConnectStranger(address, "gone"));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  channels[1] = MakeLinks(Options(store, 1), inboxes[1]);
  for (int p = 0; p < 2; ++p) channels[p]->Send(1 - p, "head", Bytes(1 << 20, 'x'));
  for (Inbox& inbox : inboxes) {
    const auto messages = inbox.Await(1);
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0].data, std::string(1 << 20, 'x'));
  }
  for (int fd : strangers) close(fd);
}

TEST(LinksTest, AddressesOfTheMachine) {
  EXPECT_EQ(HostAddress(true), "127.0.0.1");
  EXPECT_FALSE(HostAddress(false).empty());
}

}  // namespace
}  // namespace tenon::transport

#endif  // TENON_GLOO
