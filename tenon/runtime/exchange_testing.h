// For tests of several processes within one: exchanges without a network.
#ifndef TENON_RUNTIME_EXCHANGE_TESTING_H_
#define TENON_RUNTIME_EXCHANGE_TESTING_H_

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "tenon/runtime/exchanges.h"

namespace tenon::runtime::testing {

// Processes within this one, whose messages arrive within Send.
class Network {
 public:
  class Port final : public transport::Channel {
   public:
    Port(Network& network, int process) : network_(network), process_(process) {}
    void Open(int) override {}
    void Send(int to, std::string head, AlignedBytes data) override {
      transport::Receiver* receiver = network_.receivers[to];
      if (receiver) receiver->OnMessage(process_, std::move(head), std::move(data));
    }
    void Close(int process, const Status& status) override {
      network_.receivers[process_]->OnFailure(process, status);
    }

   private:
    Network& network_;
    const int process_;
  };

  std::unique_ptr<Exchanges> Process(
      int number, std::chrono::milliseconds timeout = std::chrono::minutes(1)) {
    return std::make_unique<Exchanges>(number, timeout,
                                       [&](transport::Receiver& receiver) {
                                         receivers[number] = &receiver;
                                         return std::make_unique<Port>(*this, number);
                                       });
  }
  std::map<int, transport::Receiver*> receivers;
};

}  // namespace tenon::runtime::testing

#endif  // TENON_RUNTIME_EXCHANGE_TESTING_H_
