// Guards format::kAbi, the number that tells whether a runtime can run the code of a
// file. What compiled code and the runtime agree on is listed here as it was when the
// number was last raised. After an addition, raise kAbi and extend the list. Never change
// or remove an entry: that needs a new format, because older files could not run.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/executable/image.h"
#include "tenon/executable/run_context.h"
#include "tenon/ffi/attributes.h"
#include "tenon/format/layout.h"
#include "tenon/types/element_type.h"

namespace tenon {
namespace {

constexpr uint32_t kListedAbi = 4;
constexpr char kAdvice[] =
    "the interface between compiled code and the runtime has changed: if something was "
    "appended, raise format::kAbi and kListedAbi and extend the list in this test";

TEST(ImageAbiTest, TheListIsOfThisAbi) { EXPECT_EQ(format::kAbi, kListedAbi) << kAdvice; }

TEST(ImageAbiTest, LayoutsAreAsListed) {
  const std::vector<size_t> layouts = {sizeof(RunBuffer),
                                       offsetof(RunBuffer, data),
                                       offsetof(RunBuffer, dims),
                                       sizeof(RuntimeTable),
                                       offsetof(RuntimeTable, struct_size),
                                       offsetof(RuntimeTable, parallel_for),
                                       offsetof(RuntimeTable, call_ffi),
                                       offsetof(RuntimeTable, set_error),
                                       offsetof(RuntimeTable, arrive),
                                       offsetof(RuntimeTable, launch),
                                       offsetof(RuntimeTable, copy),
                                       offsetof(RuntimeTable, read),
                                       offsetof(RuntimeTable, write),
                                       sizeof(RunContext),
                                       offsetof(RunContext, struct_size),
                                       offsetof(RunContext, table),
                                       offsetof(RunContext, constants),
                                       offsetof(RunContext, execution),
                                       offsetof(RunContext, run_id),
                                       offsetof(RunContext, device_id),
                                       offsetof(RunContext, replica_id),
                                       offsetof(RunContext, partition_id),
                                       offsetof(RunContext, num_threads),
                                       offsetof(RunContext, trace_kernel),
                                       offsetof(RunContext, frame),
                                       offsetof(RunContext, packed_operands),
                                       sizeof(PackedOperand),
                                       offsetof(PackedOperand, data),
                                       offsetof(PackedOperand, is_packed)};
  EXPECT_EQ(layouts, (std::vector<size_t>{16, 0,  8,  72, 0,  8,  16, 24, 32, 40,
                                          48, 56, 64, 80, 0,  8,  16, 24, 32, 40,
                                          44, 48, 52, 56, 64, 72, 16, 0,  8}))
      << kAdvice;
  EXPECT_EQ(kSuspended, -1) << kAdvice;
  EXPECT_EQ(kConstantAlignment, 64u) << kAdvice;
}

TEST(ImageAbiTest, NumbersOfTypesAndCollectivesAreAsListed) {
  std::string types;
  for (int number = 0; number < 64; ++number) {
    const auto type = ElementTypeFromNumber(number);
    if (!type) continue;
    types += std::to_string(number) + " " + std::string(ElementTypeName(*type)) + " " +
             std::to_string(ElementBytes(*type)) + "\n";
  }
  EXPECT_EQ(types,
            "1 i1 1\n2 i8 1\n3 i16 2\n4 i32 4\n5 i64 8\n6 ui8 1\n7 ui16 2\n8 ui32 4\n"
            "9 ui64 8\n10 f16 2\n11 f32 4\n12 f64 8\n13 bf16 2\n14 complex<f32> 8\n"
            "15 complex<f64> 16\n16 f8E5M2 1\n17 f8E4M3FN 1\n18 f8E4M3B11FNUZ 1\n"
            "19 f8E5M2FNUZ 1\n20 f8E4M3FNUZ 1\n21 i4 1\n22 ui4 1\n23 token 0\n24 i2 1\n"
            "25 ui2 1\n26 f8E4M3 1\n27 f8E3M4 1\n28 f8E8M0FNU 1\n29 f4E2M1FN 1\n"
            "32 f6E2M3FN 1\n33 f6E3M2FN 1\n")
      << kAdvice;
  std::string collectives;
  for (int i = 0; i < kNumCollectiveKinds; ++i)
    collectives += std::string(CollectiveName(static_cast<CollectiveKind>(i))) + " ";
  EXPECT_EQ(collectives,
            "all_reduce all_gather reduce_scatter all_to_all collective_permute "
            "collective_broadcast ragged_all_to_all ")
      << kAdvice;
}

TEST(ImageAbiTest, AttributesAreEncodedAsListed) {
  using ffi::Attribute;
  const std::string bytes = ffi::EncodeAttributes(
      {Attribute::Scalar("a", ElementType::kS32, std::string(4, '\1')),
       Attribute::Array("b", ElementType::kU8, "xyz"), Attribute::String("c", "text"),
       Attribute::Dictionary("d", {Attribute::String("e", "")})});
  std::string hex;
  for (unsigned char byte : bytes) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  EXPECT_EQ(
      hex,
      "04000000030100000000000000610400000004000000000000000101010101010000000000000062"
      "06000000030000000000000078797a04010000000000000063040000000000000074657874020100"
      "0000000000006401000000040100000000000000650000000000000000")
      << kAdvice;
}

}  // namespace
}  // namespace tenon
