// The answer to "what does my sharding cost?", and its renderings. Values; any thread may
// use them.
#ifndef TENON_COMPILER_PARTITION_SHARDING_REPORT_H_
#define TENON_COMPILER_PARTITION_SHARDING_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/compiler/partition/mesh.h"
#include "tenon/compiler/partition/sharding.h"

namespace tenon::compiler::partition {

// An argument or result of the program.
struct TensorReport {
  std::string name;  // "argument 0", and what the program calls it
  std::string type;  // of the whole tensor, "f32[16,32]"
  std::vector<int64_t> shape;
  int64_t element_bits = 0;
  Sharding sharding;  // divides the shape
};

struct CollectiveReport {
  std::string kind;                  // "all_reduce"
  std::vector<std::string> tensors;  // the device's operands, "f32[4,64]"
  std::string axes;                  // of the mesh, `"x", "y"`; or "2 groups of 4"
  double received = 0;   // bytes that a device receives, on average, each time
  int64_t times = 1;     // product of the trip counts of the loops around
  bool in_loop = false;  // with an unknown trip count, which counts as 1
  std::string source;    // "train.py:12:3"; may be empty
  // Why it is there; empty: the program has it.
  std::vector<std::string> reasons;

  double total() const { return received * static_cast<double>(times); }
};

struct ShardingReport {
  Mesh mesh;
  int64_t devices = 1;
  std::vector<TensorReport> arguments, results;
  std::vector<CollectiveReport> collectives;  // in the order of the program

  // Bytes that a device receives in one execution, on average.
  double received() const;
};

// A table for terminals.
std::string ToText(const ShardingReport& report);
// A page without references to other files. Draws at most kMaxDrawnDevices devices.
inline constexpr int64_t kMaxDrawnDevices = 64;
std::string ToHtml(const ShardingReport& report);
// For programs: {"devices": ..., "mesh": {...}, "arguments": [...], "results": [...],
// "collectives": [{"kind": ..., "axes": ..., "bytes": ..., "times": ..., "source": ...,
// "tensors": [...], "reasons": [...]}], "bytes": ...}.
std::string ToJson(const ShardingReport& report);

// One of the above: `format` is text, html or json; any other: by the name of `file`
// (.html, .json, else text).
std::string Render(const ShardingReport& report, const std::string& format,
                   const std::string& file);

// "1.5 MiB".
std::string BytesText(double bytes);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_SHARDING_REPORT_H_
