// The executable image: what the compiler makes, the loader runs and a file holds.
//
// An image holds what a program is (ExecutableInfo), its constants, and code for one or
// several targets. It owns its bytes and refers to nothing outside it, so it can be
// compiled, stored and sent by machines that cannot run it. It is a value: made by one
// thread, then shared read-only.
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

// A parameter or result of the program. Sub-byte types take one byte an element.
struct ImageTensor {
  ElementType type = ElementType::kInvalid;
  std::vector<int64_t> dims;
  std::vector<int64_t> minor_to_major;  // a permutation of the dimensions
  std::string memory_kind = "device";
  std::string sharding;  // serialized xla.OpSharding; empty = none known

  int64_t ByteSize() const;
};

// Result `result` lives in the storage of parameter `parameter`.
struct ImageAlias {
  int64_t result = 0;
  int64_t parameter = 0;
  bool must = true;  // false: the compiler chose it for a mere buffer donor
};

// A custom call through the XLA FFI. Operands and results are described as parameters
// are; `attributes` is the call's dictionary, in the encoding of tenon/ffi.
struct ImageFfiCall {
  std::string target;
  std::vector<ImageTensor> operands;
  std::vector<ImageTensor> results;
  std::string attributes;
  bool has_side_effect = false;
};

// A kernel, for traces: its symbol, and the framework's name and place of what it
// computes; both may be empty.
struct ImageKernel {
  std::string name;
  std::string op_name;  // "jit(f)/dot_general"
  std::string source;   // "train.py:12:3"
};

struct ImageSymbol {  // for profilers
  std::string name;
  uint64_t offset = 0;
  uint64_t size = 0;
};

// What is true of the program on every target.
struct ExecutableInfo {
  std::string name;
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  std::vector<ImageTensor> parameters;
  std::vector<ImageTensor> results;
  std::vector<ImageAlias> aliases;
  std::vector<ImageFfiCall> ffi_calls;
  bool ieee_denormals = false;          // else flushed to zero
  std::map<std::string, double> costs;  // "flops", "bytes accessed", ...
  std::string compile_options;          // CompileOptionsProto bytes as received
  std::string optimized_program;        // StableHLO: see program_text.h
  std::string fingerprint;              // equal for equal programs and options
};

// Kinds of code objects. Host code is a whole program, from EntryPoint on; what else an
// image holds is code that host code gives to a device.
inline constexpr char kHostCode[] = "host";

// Of constants in the constant section.
inline constexpr uint64_t kConstantAlignment = 64;

// The code for one target: what a machine must offer to run it, and how it is laid out.
struct CodeObject {
  std::string kind = kHostCode;
  std::string target;                 // as the compiler was asked for it, for messages
  std::string architecture;           // as in LLVM's triples
  std::vector<std::string> features;  // ISA features as LLVM names them
  std::vector<uint8_t> bytes;         // text and read-only data, page-aligned when loaded

  // Of host code only.
  uint64_t entry_offset = 0;  // of the EntryPoint
  // Offset of three pointers the loader fills: memcpy, memmove, memset.
  uint64_t imports_offset = 0;
  uint64_t eh_frame_offset = 0;  // unwind information; size 0 = none
  uint64_t eh_frame_size = 0;
  std::vector<ImageSymbol> symbols;
  std::vector<ImageKernel> kernels;
  // RunContext::constants: a part of Image::constants, 64-byte aligned.
  uint64_t constants_offset = 0;
  uint64_t constants_size = 0;
  uint64_t arena_bytes = 0;
  // Estimated single-thread time; decides whether a run may happen on the caller's
  // thread.
  double estimated_nanoseconds = 0;
};

struct Image {
  ExecutableInfo info;
  std::vector<CodeObject> code_objects;
  ConstantData constants;

  // A versioned, checksummed byte string. Deserialize refuses what is truncated, corrupt,
  // of another format version or build, with a DATA_LOSS or FAILED_PRECONDITION error; it
  // never reads out of bounds.
  std::string Serialize() const;
  static StatusOr<Image> Deserialize(std::string_view bytes);
};

}  // namespace tenon

#endif  // TENON_EXECUTABLE_IMAGE_H_
