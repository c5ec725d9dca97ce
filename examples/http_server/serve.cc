// serve --model digits [--port 8080] FILE...: serves a network over HTTP, by the open
// inference protocol (KServe's version 2, in JSON). See README.md.
#include <httplib.h>
#include <pthread.h>
#include <signal.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "batcher.h"
#include "connections.h"
#include "model.h"

namespace {

// With f32 for numbers, which are then printed with as many digits as f32 needs.
using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, int64_t,
                                  uint64_t, float>;

constexpr std::chrono::milliseconds kDrain(500);

struct Options {
  std::string model = "model";
  int port = 8080, threads = 1, connections = 64, max_waiting = 256;
  std::vector<std::string> files;
};

void Reply(httplib::Response& response, int status, const Json& body) {
  response.status = status;
  response.set_content(body.dump(), "application/json");
}

void Refuse(httplib::Response& response, int status, const std::string& why) {
  Reply(response, status, {{"error", why}});
}

// The rows of a request: "" or what is wrong with it.
std::string ReadRows(const std::string& text, const Model& model, std::vector<float>* x) {
  const Json body = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (body.is_discarded()) return "the body is not JSON";
  if (!body.is_object() || !body.contains("inputs") || !body["inputs"].is_array() ||
      body["inputs"].size() != 1 || !body["inputs"][0].is_object())
    return "'inputs' must be a list of one tensor";
  const Json& input = body["inputs"][0];
  if (input.value("datatype", Json()) != "FP32") return "'datatype' must be \"FP32\"";
  const Json shape = input.value("shape", Json());
  if (!shape.is_array() || shape.size() != 2 || !shape[0].is_number_unsigned() ||
      shape[0] < 1 || shape[0] > model.max_rows() || shape[1] != model.in_width())
    return "'shape' must be [N," + std::to_string(model.in_width()) +
           "] with N from 1 to " + std::to_string(model.max_rows());
  const size_t count = shape[0].get<size_t>() * model.in_width();
  if (!input.contains("data") || !input["data"].is_array() ||
      input["data"].size() != count)
    return "'data' must be a list of " + std::to_string(count) + " numbers";
  x->reserve(count);
  for (const Json& value : input["data"]) {
    if (!value.is_number()) return "'data' has an element that is not a number";
    x->push_back(value.get<float>());
    if (!std::isfinite(x->back())) return "'data' has a number outside the range of f32";
  }
  return "";
}

class Service {
 public:
  Service(const Options& options, Model& model)
      : options_(options), model_(model), batcher_(model, options.max_waiting) {
    server_.set_tcp_nodelay(true);
    server_.set_payload_max_length(1 << 20);
    server_.set_read_timeout(5);
    server_.set_write_timeout(5);
    server_.set_keep_alive_timeout(2);
    server_.set_keep_alive_max_count(1'000'000);
    server_.new_task_queue = [this] { return new Connections(options_.connections); };
    AddRoutes();
  }

  bool Bind() {
    int listener = -1;
    server_.set_socket_options([&](int socket) {
      const int on = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      listener = socket;
    });
    // httplib lets only 5 clients wait for a connection.
    return server_.bind_to_port("127.0.0.1", options_.port) &&
           listen(listener, SOMAXCONN) == 0;
  }
  // Returns after Stop, when all requests have been answered.
  void Serve() { server_.listen_after_bind(); }
  void Stop() {
    // From now on, answers tell clients to close their connection. To close a connection
    // at once could lose a request that is on its way.
    stopping_ = true;
    std::this_thread::sleep_for(kDrain);
    server_.stop();
  }

 private:
  void AddRoutes() {
    const std::string path = "/v2/models/" + options_.model;
    server_.Post(path + "/infer", [this](const auto& request, auto& response) {
      Infer(request.body, response);
    });
    server_.Get(path, [this](const auto&, auto& response) { Describe(response); });
    server_.Get("/v2/health/live", [](const auto&, auto& response) {
      Reply(response, 200, {{"live", true}});
    });
    server_.Get("/v2/health/ready", [this](const auto&, auto& response) {
      Reply(response, stopping_ ? 503 : 200, {{"ready", !stopping_}});
    });
    server_.Get("/metrics", [this](const auto&, auto& response) { Metrics(response); });
    server_.set_error_handler([](const auto& request, auto& response) {
      if (!response.body.empty()) return;
      Refuse(response, response.status,
             response.status == 404 ? "there is no " + request.method + " " + request.path
             : response.status == 413 ? "the body is longer than 1 MiB"
                                      : "the request is not valid HTTP");
    });
    server_.set_exception_handler([](const auto&, auto& response, std::exception_ptr) {
      Refuse(response, 500, "internal error");
    });
    // Clients with an open connection are told to open another: to another server.
    server_.set_post_routing_handler([this](const auto&, auto& response) {
      if (stopping_) response.set_header("Connection", "close");
    });
  }

  void Infer(const std::string& body, httplib::Response& response) {
    std::vector<float> x;
    std::string error = ReadRows(body, model_, &x);
    if (!error.empty()) return Refuse(response, 400, error);
    const int rows = static_cast<int>(x.size()) / model_.in_width();
    std::vector<float> y(rows * model_.out_width());
    switch (batcher_.Run(rows, x.data(), y.data(), &error)) {
      case Batcher::Outcome::kFull:
        response.set_header("Retry-After", "1");
        return Refuse(response, 503, "too many requests are waiting");
      case Batcher::Outcome::kFailed:
        return Refuse(response, 500, error);
      case Batcher::Outcome::kDone:
        break;
    }
    Reply(response, 200,
          {{"model_name", options_.model},
           {"outputs",
            {{{"name", "scores"},
              {"datatype", "FP32"},
              {"shape", {rows, model_.out_width()}},
              {"data", y}}}}});
  }

  void Describe(httplib::Response& response) {
    const auto tensor = [](const char* name, int width) {
      return Json{{"name", name}, {"datatype", "FP32"}, {"shape", {-1, width}}};
    };
    Reply(response, 200,
          {{"name", options_.model},
           {"platform", "tenon"},
           {"inputs", {tensor("x", model_.in_width())}},
           {"outputs", {tensor("scores", model_.out_width())}}});
  }

  void Metrics(httplib::Response& response) {
    const Batcher::Counts counts = batcher_.counts();
    std::string text;
    for (const auto& [name, value] :
         {std::pair{"requests", counts.requests}, std::pair{"rows", counts.rows},
          std::pair{"batches", counts.batches}, std::pair{"refused", counts.refused}})
      text += std::string("serve_") + name + "_total " + std::to_string(value) + "\n";
    response.set_content(text, "text/plain; version=0.0.4");
  }

  const Options& options_;
  Model& model_;
  std::atomic<bool> stopping_ = false;
  Batcher batcher_;
  httplib::Server server_;
};

bool ReadOptions(int argc, char** argv, Options* options) {
  const auto number = [](const char* text, int* value) {
    const auto [end, error] = std::from_chars(text, text + strlen(text), *value);
    return error == std::errc() && !*end && *value >= 0;
  };
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (!name.starts_with("--")) {
      options->files.push_back(name);
      continue;
    }
    if (++i == argc) return false;
    if (name == "--model")
      options->model = argv[i];
    else if (int* const value = name == "--port"          ? &options->port
                                : name == "--threads"     ? &options->threads
                                : name == "--connections" ? &options->connections
                                : name == "--max-waiting" ? &options->max_waiting
                                                          : nullptr;
             !value || !number(argv[i], value))
      return false;
  }
  return !options->files.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!ReadOptions(argc, argv, &options)) {
    std::fprintf(stderr,
                 "serve [--model NAME] [--port N] [--threads N] [--connections N]\n"
                 "      [--max-waiting ROWS] FILE...\n");
    return 2;
  }
  // The other threads inherit the mask, so that only this one gets these signals.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);

  std::string error;
  const std::unique_ptr<Model> model = OpenModel(options.files, options.threads, &error);
  if (!model) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  Service service(options, *model);
  if (!service.Bind()) {
    std::fprintf(stderr, "cannot listen on port %d of 127.0.0.1: %s\n", options.port,
                 strerror(errno));
    return 1;
  }
  std::thread server([&] { service.Serve(); });
  std::printf("http://127.0.0.1:%d/v2/models/%s\n", options.port, options.model.c_str());
  std::fflush(stdout);
  int received;
  sigwait(&signals, &received);
  service.Stop();
  server.join();
  std::puts("stopped");
}
