// The layout of a .tenon file, format 2: what Image::Serialize writes, and what the
// plugin and the C library (tenon/embed) read.
//
// A file is a header, a table of sections, and the sections, all little-endian. Tables
// are read in place after bounds checks. Records may grow at their end: a table has the
// size of its records, and what an older file lacks reads as zero. docs/design/0025 has
// the rules. Plain structs; no code.
#ifndef TENON_FORMAT_LAYOUT_H_
#define TENON_FORMAT_LAYOUT_H_

#include <cstddef>
#include <cstdint>

namespace tenon::format {

inline constexpr char kMagic[8] = {'\x89', 'T', 'e', 'n', 'o', 'n', '\r', '\n'};
// A reader accepts files of its major number. A minor number counts additions that older
// readers can ignore.
inline constexpr uint16_t kMajor = 2;
inline constexpr uint16_t kMinor = 0;
// The number of the interface between compiled code and the runtime: run_context.h, the
// numbers of element types, the encoding of FFI attributes. Raise it with every addition;
// abi_test.cc fails until this is done. A runtime runs code of ABI kOldestAbi to kAbi.
inline constexpr uint32_t kAbi = 4;
inline constexpr uint32_t kOldestAbi = 1;

// The alignment of sections in a file, so that they can be mapped: the largest page of
// any supported machine.
inline constexpr uint64_t kPageAlignment = 65536;
// The alignment of sections in memory, where they are copied.
inline constexpr uint64_t kMinAlignment = 64;

// The page of import slots (pointers to memcpy, memmove, memset, which the loader fills
// in) follows the code at the next multiple of kPageAlignment, so that the pages of code
// are never written. At least four zero bytes follow the code: the end mark of unwind
// tables.
inline constexpr uint64_t kNumImports = 3;
constexpr uint64_t ImportsOffset(uint64_t code_bytes) {
  return (code_bytes + 4 + kPageAlignment - 1) / kPageAlignment * kPageAlignment;
}

struct Header {
  char magic[8];
  uint16_t major, minor;
  uint16_t header_bytes;   // of this struct
  uint16_t section_bytes;  // of a Section
  uint32_t abi;
  uint32_t num_sections;
  uint64_t file_bytes;
  uint64_t reserved[3];
  uint64_t hash;  // XXH64 of the header, with 0 here, and the section table after it
};
static_assert(sizeof(Header) == 64);

enum SectionKind : uint32_t {
  kMetadata = 1,   // a Program and its tables
  kCode = 2,       // one per code object; Section::index is its number
  kConstants = 3,  // at most one
  kDebug = 4,      // at most one: a Debug and its tables. May be removed
  kWeights = 5,    // at most one: a WeightList and its table; with kRequired
  // The values of weights that are in this file, each at a multiple of kMinAlignment; at
  // most one.
  kWeightData = 6,
};
inline constexpr uint32_t kLastKind = kWeightData;
// A reader that does not know the section's kind must refuse the file.
inline constexpr uint32_t kRequired = 1;

struct Section {
  uint32_t kind, index;
  uint32_t flags;
  uint32_t alignment;  // of `offset`, in bytes
  uint64_t offset, size;
  uint64_t hash;  // XXH64 of the section's bytes
  uint64_t reserved;
};
static_assert(sizeof(Section) == 48);

// Bytes of the section that the record is in. A NUL follows them, unless they are empty.
struct Text {
  uint64_t offset, size;
};

// `count` records, the first of them at `offset` of the same section and each
// `record_bytes` after the one before. Offsets are multiples of 8.
struct Table {
  uint64_t offset;
  uint32_t count;
  uint32_t record_bytes;
};

struct Tensor {
  Table dims;            // int64
  Table minor_to_major;  // int64
  Text name, memory_kind, sharding;
  int32_t type;        // an ElementType
  uint32_t shared_by;  // the number of a collective + 1; 0: none
};
static_assert(sizeof(Tensor) == 88);

struct Alias {
  int64_t result, parameter;
  uint32_t must, reserved;
};
static_assert(sizeof(Alias) == 24);

struct FfiCall {
  Text target, attributes;
  Table operands, results;  // Tensor
  uint32_t has_side_effect, reserved;
};
static_assert(sizeof(FfiCall) == 72);

struct Group {
  Table devices;  // int64
};
static_assert(sizeof(Group) == 16);

struct Collective {
  Table groups;             // Group
  Table operands, results;  // Tensor
  int64_t dimension, concat_dimension, tile_elements;
  Text source;
  uint32_t kind, reserved;
};
static_assert(sizeof(Collective) == 96);

struct Cost {
  Text name;
  double value;
};
static_assert(sizeof(Cost) == 24);

struct SharedSegment {
  int64_t site;
  uint64_t bytes;
};
static_assert(sizeof(SharedSegment) == 16);

struct PackedOperand {
  int64_t parameter;
  uint64_t bytes;
  Text layout;
};
static_assert(sizeof(PackedOperand) == 32);

struct Code {
  Text kind, target, architecture;
  Table features;  // Text
  uint64_t entry_offset, imports_offset;
  uint64_t eh_frame_offset, eh_frame_bytes;
  uint64_t constants_offset, constants_bytes;
  uint64_t arena_bytes;
  double estimated_nanoseconds;
  Table shared_segments;  // SharedSegment
  Table packed_operands;  // PackedOperand
};
static_assert(sizeof(Code) == 160);

inline constexpr uint32_t kIeeeDenormals = 1;  // of Program::flags

// At offset 0 of the metadata.
struct Program {
  uint64_t struct_bytes;
  Text name, producer, compile_options, fingerprint;
  int64_t num_replicas, num_partitions;
  Table parameters, results;  // Tensor
  Table aliases, ffi_calls, collectives, costs, code;
  uint32_t flags, reserved;
  Text note;  // for whoever reads the file; UTF-8
};
static_assert(sizeof(Program) == 224);

struct Symbol {
  Text name;
  uint64_t offset, size;
};
static_assert(sizeof(Symbol) == 32);

struct Kernel {
  Text name, op_name, source;
};
static_assert(sizeof(Kernel) == 48);

struct DebugCode {
  Table symbols, kernels;
};
static_assert(sizeof(DebugCode) == 32);

// At offset 0 of the debug section.
struct Debug {
  uint64_t struct_bytes;
  Text optimized_program;
  Table code;  // DebugCode, one per code object
};
static_assert(sizeof(Debug) == 40);

// A parameter whose value comes with the program, as weights of a network do, instead of
// from its caller.
struct Weight {
  Text tensor;            // its name in the safetensors file
  uint64_t offset, size;  // of the value; the offset is 0 if the list has a file
  uint64_t hash;          // XXH64 of the value when the program was compiled
  uint32_t parameter, reserved;
};
static_assert(sizeof(Weight) == 48);

// At offset 0 of the section kWeights.
struct WeightList {
  uint64_t struct_bytes;
  // The safetensors file, from the folder of this file. Empty: the values are in
  // kWeightData.
  Text file;
  Table weights;  // Weight, in the order of their tensors' names
};
static_assert(sizeof(WeightList) == 40);

}  // namespace tenon::format

#endif  // TENON_FORMAT_LAYOUT_H_
