// A thread for each connection, up to a limit. Further clients wait in the kernel's
// queue.
#ifndef EXAMPLES_HTTP_SERVER_CONNECTIONS_H_
#define EXAMPLES_HTTP_SERVER_CONNECTIONS_H_

#include <httplib.h>

#include <functional>
#include <semaphore>

// httplib's own ThreadPool accepts connections without limit.
class Connections : public httplib::TaskQueue {
 public:
  explicit Connections(int limit) : pool_(limit), free_(limit) {}

  void enqueue(std::function<void()> serve) override {
    free_.acquire();
    pool_.enqueue([this, serve = std::move(serve)] {
      serve();
      free_.release();
    });
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  httplib::ThreadPool pool_;
  std::counting_semaphore<> free_;
};

#endif  // EXAMPLES_HTTP_SERVER_CONNECTIONS_H_
