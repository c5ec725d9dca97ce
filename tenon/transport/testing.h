// For tests of several processes within one: a key-value store.
#ifndef TENON_TRANSPORT_TESTING_H_
#define TENON_TRANSPORT_TESTING_H_

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

#include "tenon/transport/links.h"

namespace tenon::transport::testing {

class Store {
 public:
  StatusOr<std::string> Get(const std::string& key, std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, timeout, [&] { return values_.contains(key); }))
      return Status(StatusCode::kDeadlineExceeded, "no key " + key);
    return values_[key];
  }
  Status Put(const std::string& key, const std::string& value) {
    std::lock_guard lock(mutex_);
    if (!values_.try_emplace(key, value).second) return AlreadyExists(key);
    changed_.notify_all();
    return OkStatus();
  }
  LinkOptions Options(int process, int count) {
    LinkOptions options;
    options.process = process;
    options.num_processes = count;
    options.hostname = "127.0.0.1";
    options.prefix = "links/";
    options.get = [this](const std::string& key, std::chrono::milliseconds timeout) {
      return Get(key, timeout);
    };
    options.put = [this](const std::string& key, const std::string& value) {
      return Put(key, value);
    };
    return options;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> values_;
};

}  // namespace tenon::transport::testing

#endif  // TENON_TRANSPORT_TESTING_H_
