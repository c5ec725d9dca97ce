// load --port N --images digits.txt: sends images to a server on this machine and prints
// how long the answers took, as one line of JSON.
//
// Without --rate, each connection sends its next request when it has the last answer: the
// peak. With --rate N, requests are due at random times, N per second on average (a
// Poisson process), and times count from when a request was due, not from when a free
// connection could send it. With --malformed N, as many broken requests per second are
// sent beside them.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int kMaxSeconds = 600;
constexpr int64_t kMaxRequests = 10'000'000;

struct Options {
  int port = 8080, connections = 32;
  double seconds = 10, rate = 0, malformed = 0;
  std::string images = "digits.txt", path = "/v2/models/digits/infer";
};

// What happened to the requests of one connection.
struct Results {
  std::vector<float> ms;  // of answers with status 200
  int64_t refused = 0;    // 503
  int64_t wrong = 0;      // any other status
  int64_t lost = 0;       // no answer
};

// A connection to a server on this machine. It does little, because the load generator
// takes its processor time from the server.
class Connection {
 public:
  explicit Connection(int port, int seconds = 10)
      : file_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{.tv_sec = seconds, .tv_usec = 0};
    setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const int on = 1;
    setsockopt(file_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    open_ = connect(file_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  Connection(const Connection&) = delete;
  ~Connection() { close(file_); }

  bool open() const { return open_; }

  // The status of the complete answer, or 0.
  int Ask(const std::string& request) {
    answer_.clear();
    open_ = open_ && send(file_, request.data(), request.size(), MSG_NOSIGNAL) ==
                         static_cast<ssize_t>(request.size());
    size_t size = std::string::npos;
    while (open_ && answer_.size() < size) {
      char part[8192];
      const ssize_t count = recv(file_, part, sizeof part, 0);
      open_ = count > 0;
      if (open_) answer_.append(part, count);
      if (size == std::string::npos) size = Size();
    }
    if (answer_.size() < size || size == std::string::npos) return 0;
    if (answer_.find("Connection: close") < size) open_ = false;
    return std::atoi(answer_.c_str() + sizeof "HTTP/1.1");
  }

 private:
  // The size of the answer, once its header is complete.
  size_t Size() const {
    constexpr std::string_view kLength = "Content-Length: ";
    const size_t header = answer_.find("\r\n\r\n"), length = answer_.find(kLength);
    if (header == std::string::npos || length > header) return std::string::npos;
    return header + 4 + std::strtoull(&answer_[length + kLength.size()], nullptr, 10);
  }

  const int file_;
  bool open_;
  std::string answer_;
};

// An HTTP request with a body, for each image of a file.
std::vector<std::string> Requests(const std::string& file, const std::string& path) {
  std::vector<std::string> requests;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream numbers(line);
    std::string data;
    int count = 0;
    for (std::string number; numbers >> number; ++count)
      data += (count ? "," : "") + number;
    const std::string body = R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1,)" +
                             std::to_string(count) + R"(],"data":[)" + data + "]}]}";
    requests.push_back("POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" +
                       "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                       body);
  }
  return requests;
}

// Times at which requests are due, in seconds; a free connection takes the next.
std::vector<double> Schedule(const Options& options) {
  std::vector<double> due;
  std::mt19937_64 random(1);
  std::exponential_distribution<double> gap(options.rate);
  for (double t = gap(random); t < options.seconds; t += gap(random)) due.push_back(t);
  return due;
}

class Load {
 public:
  Load(const Options& options, std::vector<std::string> requests)
      : options_(options), requests_(std::move(requests)) {
    if (options.rate > 0) due_ = Schedule(options);
  }

  Results Run() {
    std::vector<Results> results(options_.connections);
    std::vector<std::thread> threads;
    start_ = Clock::now() + std::chrono::milliseconds(200);
    for (Results& mine : results) threads.emplace_back([this, &mine] { Send(&mine); });
    std::thread broken([this] { SendMalformed(); });
    for (std::thread& thread : threads) thread.join();
    broken.join();
    seconds_ = Seconds(Clock::now() - start_).count();
    Results all;
    for (const Results& each : results) {
      all.ms.insert(all.ms.end(), each.ms.begin(), each.ms.end());
      all.refused += each.refused, all.wrong += each.wrong, all.lost += each.lost;
    }
    std::ranges::sort(all.ms);
    return all;
  }

  double seconds() const { return seconds_; }
  int64_t malformed() const { return malformed_; }
  int64_t accepted_malformed() const { return accepted_malformed_; }

 private:
  // False when there is no request left. Waits until the request is due.
  bool Next(int64_t* request, Clock::time_point* due) {
    *request = next_++;
    if (options_.rate > 0) {
      if (*request >= static_cast<int64_t>(due_.size())) return false;
      *due =
          start_ + std::chrono::duration_cast<Clock::duration>(Seconds(due_[*request]));
      std::this_thread::sleep_until(*due);
      return true;
    }
    *due = Clock::now();
    return *request < kMaxRequests && Seconds(*due - start_).count() < options_.seconds;
  }

  void Send(Results* results) {
    auto connection = std::make_unique<Connection>(options_.port);
    std::this_thread::sleep_until(start_);
    int64_t request;
    Clock::time_point due;
    while (Next(&request, &due)) {
      if (!connection->open()) connection = std::make_unique<Connection>(options_.port);
      const int status = connection->Ask(requests_[request % requests_.size()]);
      if (status == 200)
        results->ms.push_back(Seconds(Clock::now() - due).count() * 1e3);
      else
        ++(status == 0     ? results->lost
           : status == 503 ? results->refused
                           : results->wrong);
    }
  }

  // Every answer must be an error, or a closed connection.
  void SendMalformed() {
    if (options_.malformed <= 0) return;
    const std::string good = requests_[0].substr(requests_[0].find("\r\n\r\n") + 4);
    const auto post = [&](const std::string& body) {
      return "POST " + options_.path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" +
             "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    };
    std::string nan = good;
    nan.replace(nan.find("\"data\":[") + 8, 1, "1e999");
    const std::vector<std::string> requests = {
        "\r\n\r\n",
        "GARBAGE\r\n\r\n",
        std::string("\0\xff\x80 /\r\n\r\n", 9),
        "GET /nowhere HTTP/1.1\r\nConnection: close\r\n\r\n",
        "POST " + options_.path + " HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST " + options_.path + " HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n",
        post(""),
        post("{"),
        post("[[[[1]]]]"),
        post(R"({"inputs":[{}]})"),
        post(good.substr(0, good.size() / 2)),
        post(std::string(100'000, '[')),
        post(nan),
        post(R"({"inputs":[{"datatype":"FP32","shape":[-1,64],"data":[]}]})"),
        post(R"({"inputs":[{"datatype":"FP32","shape":[4294967297,64],"data":[]}]})"),
        post(R"({"inputs":[{"datatype":"INT8","shape":[1,64],"data":[]}]})"),
        "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\n\r\n",
    };
    for (; Seconds(Clock::now() - start_).count() < options_.seconds; ++malformed_) {
      const int status =
          Connection(options_.port, 1).Ask(requests[malformed_ % requests.size()]);
      accepted_malformed_ += status >= 200 && status < 300;
      std::this_thread::sleep_for(Seconds(1 / options_.malformed));
    }
  }

  const Options& options_;
  const std::vector<std::string> requests_;
  std::vector<double> due_;
  std::atomic<int64_t> next_ = 0;
  Clock::time_point start_;
  double seconds_ = 0;
  int64_t malformed_ = 0, accepted_malformed_ = 0;
};

bool ReadOptions(int argc, char** argv, Options* options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--images")
      options->images = value;
    else if (name == "--path")
      options->path = value;
    else if (name == "--port")
      options->port = std::atoi(value.c_str());
    else if (name == "--connections")
      options->connections = std::atoi(value.c_str());
    else if (name == "--seconds")
      options->seconds = std::atof(value.c_str());
    else if (name == "--rate")
      options->rate = std::atof(value.c_str());
    else if (name == "--malformed")
      options->malformed = std::atof(value.c_str());
    else
      return false;
  }
  return argc % 2 == 1 && options->connections > 0 && options->connections <= 1000 &&
         options->seconds > 0 && options->seconds <= kMaxSeconds && options->rate >= 0 &&
         options->rate * options->seconds <= kMaxRequests;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!ReadOptions(argc, argv, &options)) {
    std::fprintf(stderr,
                 "load [--port N] [--images FILE] [--path PATH] [--connections N]\n"
                 "     [--seconds S, at most %d] [--rate PER_SECOND] "
                 "[--malformed PER_SECOND]\n",
                 kMaxSeconds);
    return 2;
  }
  std::vector<std::string> requests = Requests(options.images, options.path);
  if (requests.empty()) {
    std::fprintf(stderr, "%s: no images\n", options.images.c_str());
    return 1;
  }
  Load load(options, std::move(requests));
  const Results results = load.Run();
  const auto percentile = [&](double part) {
    const size_t count = results.ms.size();
    return count ? results.ms[std::min(count - 1, static_cast<size_t>(part * count))] : 0;
  };
  std::printf(
      "{\"answers\": %zu, \"refused\": %lld, \"wrong\": %lld, \"lost\": %lld, "
      "\"malformed\": %lld, \"malformed_accepted\": %lld, \"per_second\": %.1f, "
      "\"p50_ms\": %.3f, \"p90_ms\": %.3f, \"p99_ms\": %.3f, \"p999_ms\": %.3f, "
      "\"max_ms\": %.3f}\n",
      results.ms.size(), static_cast<long long>(results.refused),
      static_cast<long long>(results.wrong), static_cast<long long>(results.lost),
      static_cast<long long>(load.malformed()),
      static_cast<long long>(load.accepted_malformed()),
      static_cast<double>(results.ms.size()) / load.seconds(), percentile(0.5),
      percentile(0.9), percentile(0.99), percentile(0.999), percentile(1));
  return results.lost || results.wrong || load.accepted_malformed() ? 1 : 0;
}
