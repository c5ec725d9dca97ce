// The executable image: the compiler's output, the loader's input, and the content of a
// serialized executable.
//
// An image holds the program's metadata (ExecutableInfo), its constants, and code for one
// or several targets. It owns its bytes and refers to nothing outside, so machines that
// cannot run it can compile, store and send it. A value type: one thread builds it; then
// it is shared read-only.
#ifndef TENON_EXECUTABLE_IMAGE_H_
#define TENON_EXECUTABLE_IMAGE_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/executable/constant_data.h"
#include "tenon/types/element_type.h"

namespace tenon {

// A parameter or result of the program. Sub-byte types take one byte per element.
struct ImageTensor {
  ElementType type = ElementType::kInvalid;
  std::vector<int64_t> dims;
  std::vector<int64_t> minor_to_major;  // a permutation of the dimensions
  std::string name;                     // as the framework calls it; may be empty
  std::string memory_kind = "device";
  // Serialized xla.OpSharding. Empty for a replicated tensor, and in programs for one
  // device.
  std::string sharding;
  // Of a result: a collective, or -1. Nothing writes the result but collectives of the
  // same groups, and the same elements for all members. So the members may be given one
  // memory for it; if it is in the storage of a parameter, whose elements are equal, too.
  int64_t shared_by = -1;

  int64_t ByteSize() const;
};

// Result `result` uses the storage of parameter `parameter`.
struct ImageAlias {
  int64_t result = 0;
  int64_t parameter = 0;
  // Whether the program demanded the alias. Otherwise the compiler chose it for a
  // parameter that is only marked as a buffer donor.
  bool must = true;
};

// A custom call through the XLA FFI. `attributes` is the call's dictionary, in the
// encoding of tenon/ffi/attributes.h.
struct ImageFfiCall {
  std::string target;
  std::vector<ImageTensor> operands;
  std::vector<ImageTensor> results;
  std::string attributes;
  bool has_side_effect = false;
};

enum class CollectiveKind : uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kPermute,
  kBroadcast,
  kRaggedAllToAll,
};
inline constexpr int kNumCollectiveKinds = 7;
// The name of the operation without its dialect, such as "all_reduce".
std::string_view CollectiveName(CollectiveKind kind);

// A place in the program where it waits for its copies on other devices and exchanges
// data with them. Devices are numbered replica * num_partitions + partition.
struct ImageCollective {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  // Which devices communicate, in the order of the group. Of a permutation, each group is
  // a pair: source and target. A device is in at most one group, or, of a permutation, at
  // most once a source and once a target.
  std::vector<std::vector<int64_t>> groups;
  // Row-major, one per result. A broadcast may have one more: for each result, the
  // position in the group of the member that sends (s32); the first member otherwise. Of
  // a ragged_all_to_all: the rows to send, the result before it, and four arrays of
  // offsets and sizes (runtime/ragged_all_to_all.h).
  std::vector<ImageTensor> operands;
  std::vector<ImageTensor> results;
  int64_t dimension = 0;         // that is gathered, scattered or split
  int64_t concat_dimension = 0;  // of all_to_all: where the parts are joined
  // Of reductions: how many elements one call of the combiner takes. 0 if no operand has
  // elements.
  int64_t tile_elements = 0;
  std::string source;  // "train.py:12:3"; may be empty
};

// Whether the last operand says which members send.
inline bool HasRoots(const ImageCollective& collective) {
  return collective.kind == CollectiveKind::kBroadcast &&
         collective.operands.size() == collective.results.size() + 1;
}

// A kernel, for traces: its symbol, and the operation that it computes as the framework
// names it. Operation and source may be empty.
struct ImageKernel {
  std::string name;
  std::string op_name;  // "jit(f)/dot_general"
  std::string source;   // "train.py:12:3"
};

// Memory for temporaries that the members of a group have in common. Only collectives
// with these groups write there, and the same elements for all members.
struct SharedSegment {
  int64_t site = 0;    // a collective whose groups have one segment each
  uint64_t bytes = 0;  // of each
};

// A packed form of a parameter, which products of the program read instead of it. Whoever
// runs the program may keep it from one run to the next: RunContext::packed_operands.
struct ImagePackedOperand {
  int64_t parameter = 0;
  uint64_t bytes = 0;
  // Equal layouts, in programs for one target, are the same function of the parameter.
  std::string layout;

  bool operator==(const ImagePackedOperand&) const = default;
};

struct ImageSymbol {  // for profilers
  std::string name;
  uint64_t offset = 0;
  uint64_t size = 0;
};

// The metadata of the program, which does not depend on the target.
struct ExecutableInfo {
  std::string name;
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  std::vector<ImageTensor> parameters;
  std::vector<ImageTensor> results;
  std::vector<ImageAlias> aliases;
  std::vector<ImageFfiCall> ffi_calls;
  // The sites of RuntimeTable::arrive. A program without any never suspends.
  std::vector<ImageCollective> collectives;
  bool ieee_denormals = false;          // otherwise denormals are flushed to zero
  std::map<std::string, double> costs;  // "flops", "bytes accessed", ...
  std::string compile_options;          // CompileOptionsProto bytes as received
  std::string optimized_program;        // StableHLO; see program_text.h
  std::string fingerprint;              // equal for equal programs and options
  std::string note;                     // of a front end, for whoever reads the image
};

// The kind of code objects that hold a whole program with an EntryPoint for the host.
// Code objects of any other kind are for a device, which loads them itself.
inline constexpr char kHostCode[] = "host";

// The kind of code objects that hold a whole program for the host, like kHostCode, but
// whose kernels are in a code object of kind kDeviceCode of the same image. Its entry
// point gets addresses of the device and calls the functions of RuntimeTable that launch
// kernels and copy.
inline constexpr char kLauncherCode[] = "launcher";
// The kind of code objects that hold a DeviceCode (device_code.h).
inline constexpr char kDeviceCode[] = "device";
inline bool IsHostCode(std::string_view kind) {
  return kind == kHostCode || kind == kLauncherCode;
}

// The alignment of each constant in the constant section, in bytes.
inline constexpr uint64_t kConstantAlignment = 64;

// The code for one target: the features that it needs, and its layout.
struct CodeObject {
  std::string kind = kHostCode;
  std::string target;                 // as the compiler was given it; for messages
  std::string architecture;           // as in LLVM's triples
  std::vector<std::string> features;  // ISA features as LLVM names them
  std::vector<uint8_t> bytes;         // text and read-only data, page-aligned when loaded

  // The rest is only for host code.
  uint64_t entry_offset = 0;  // of the EntryPoint
  // The offset of three pointers that the loader fills in: memcpy, memmove, memset. They
  // lie on a page behind the code (format::ImportsOffset), so that code is never written.
  uint64_t imports_offset = 0;
  uint64_t eh_frame_offset = 0;  // unwind information; none if its size is 0
  uint64_t eh_frame_size = 0;
  std::vector<ImageSymbol> symbols;
  std::vector<ImageKernel> kernels;
  // The part of Image::constants that RunContext::constants points to; 64-byte aligned.
  uint64_t constants_offset = 0;
  uint64_t constants_size = 0;
  // The arena of a program with collectives begins with the state of a suspended run.
  uint64_t arena_bytes = 0;
  std::vector<SharedSegment> shared_segments;
  std::vector<ImagePackedOperand> packed_operands;
  // The estimated single-thread time. It decides whether a run may happen on the caller's
  // thread.
  double estimated_nanoseconds = 0;
};

// A parameter whose value comes with a file, and the tensor of a safetensors file that
// has it.
struct ImageWeight {
  uint32_t parameter = 0;
  std::string tensor;
  std::string_view value;  // dense and row-major
};

struct ImageWeights {
  std::string file;  // the path of the safetensors file; empty: the values are written
  std::vector<ImageWeight> weights;
};

struct Image {
  ExecutableInfo info;
  std::vector<CodeObject> code_objects;
  ConstantData constants;

  struct SerializeOptions {
    // Whether each section begins at a multiple of 64 KiB, as in a file from which
    // sections are mapped. Otherwise, 64 bytes.
    bool page_aligned = false;
    // Whether to write symbols, kernels and the optimized program.
    bool debug = true;
    // Values of parameters for the C library. Deserialize ignores them: for PJRT all
    // parameters are arguments.
    const ImageWeights* weights = nullptr;
  };
  // The content of a .tenon file (tenon/format/layout.h). Deserialize returns DATA_LOSS
  // for truncated or damaged bytes, and FAILED_PRECONDITION for another format or ABI. It
  // never reads out of bounds.
  std::string Serialize(const SerializeOptions& options) const;
  std::string Serialize() const { return Serialize({}); }
  static StatusOr<Image> Deserialize(std::string_view bytes);
};

}  // namespace tenon

#endif  // TENON_EXECUTABLE_IMAGE_H_
