#include "tenon/compiler/targets/processor_check.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "llvm/IR/InlineAsm.h"

namespace tenon::compiler {
namespace {

enum Register { kEax, kEbx, kEcx, kEdx };
// The register sets that the operating system must save for a feature.
enum State { kNone, kAvx, kAvx512, kAmx };
// The bits of extended control register 0 that stand for them.
constexpr uint32_t kSavedBits[] = {0, 0x6, 0xe6, 0x60006};

struct Feature {
  std::string_view name;
  uint32_t leaf, subleaf;
  Register in;
  int bit;
  State state;
};

constexpr Feature kX86Features[] = {
#define X(name, leaf, subleaf, in, bit, state) {name, leaf, subleaf, in, bit, state},
#include "tenon/executable/x86_features.inc"
#undef X
};

llvm::Value* Cpuid(llvm::IRBuilder<>& b, uint32_t leaf, uint32_t subleaf) {
  llvm::Type* word = b.getInt32Ty();
  auto* type = llvm::FunctionType::get(llvm::StructType::get(word, word, word, word),
                                       {word, word}, false);
  auto* code = llvm::InlineAsm::get(
      type, "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}",
      /*hasSideEffects=*/true);
  return b.CreateCall(type, code, {b.getInt32(leaf), b.getInt32(subleaf)});
}

llvm::Value* SavedStates(llvm::IRBuilder<>& b) {
  llvm::Type* word = b.getInt32Ty();
  auto* type = llvm::FunctionType::get(llvm::StructType::get(word, word), {word}, false);
  auto* code =
      llvm::InlineAsm::get(type, "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}",
                           /*hasSideEffects=*/true);
  return b.CreateExtractValue(b.CreateCall(type, code, {b.getInt32(0)}), 0);
}

// Emits a chain of tests. The block of the first that fails leads to the end.
class Chain {
 public:
  explicit Chain(llvm::IRBuilder<>& b)
      : b_(b), function_(b.GetInsertBlock()->getParent()), end_(NewBlock("known")) {}

  void Require(llvm::Value* condition) {
    failed_.push_back(b_.GetInsertBlock());
    llvm::BasicBlock* next = NewBlock("next");
    b_.CreateCondBr(condition, next, end_);
    b_.SetInsertPoint(next);
  }
  void RequireBits(llvm::Value* value, uint32_t bits) {
    Require(b_.CreateICmpEQ(b_.CreateAnd(value, b_.getInt32(bits)), b_.getInt32(bits)));
  }
  llvm::Value* Finish() {
    llvm::BasicBlock* passed = b_.GetInsertBlock();
    b_.CreateBr(end_);
    b_.SetInsertPoint(end_);
    llvm::PHINode* result = b_.CreatePHI(b_.getInt32Ty(), 2);
    result->addIncoming(b_.getInt32(1), passed);
    for (llvm::BasicBlock* block : failed_) result->addIncoming(b_.getInt32(0), block);
    return result;
  }

 private:
  llvm::BasicBlock* NewBlock(const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, function_);
  }

  llvm::IRBuilder<>& b_;
  llvm::Function* function_;
  llvm::BasicBlock* end_;
  llvm::SmallVector<llvm::BasicBlock*> failed_;
};

llvm::Value* EmitX86Check(llvm::IRBuilder<>& b, const std::set<std::string>& required) {
  std::map<std::pair<uint32_t, uint32_t>, std::map<Register, uint32_t>> leaves;
  uint32_t saved_bits = 0;
  for (const Feature& feature : kX86Features) {
    if (!required.contains(std::string(feature.name))) continue;
    leaves[{feature.leaf, feature.subleaf}][feature.in] |= uint32_t{1} << feature.bit;
    saved_bits |= kSavedBits[feature.state];
  }
  constexpr uint32_t kXsaveIsOn = uint32_t{1} << 27;
  if (saved_bits) leaves[{1, 0}][kEcx] |= kXsaveIsOn;
  Chain chain(b);
  std::set<uint32_t> known_ranges;
  for (const auto& [leaf, registers] : leaves) {
    // The first leaf of a range tells the last one.
    const uint32_t range = leaf.first & 0x80000000;
    uint32_t last = 0;
    for (const auto& other : leaves)
      if ((other.first.first & 0x80000000) == range)
        last = std::max(last, other.first.first);
    if (known_ranges.insert(range).second) {
      llvm::Value* highest = b.CreateExtractValue(Cpuid(b, range, 0), kEax);
      chain.Require(b.CreateICmpUGE(highest, b.getInt32(last)));
    }
    llvm::Value* words = Cpuid(b, leaf.first, leaf.second);
    for (auto [in, bits] : registers)
      chain.RequireBits(b.CreateExtractValue(words, in), bits);
  }
  if (saved_bits) chain.RequireBits(SavedStates(b), saved_bits);
  return chain.Finish();
}

}  // namespace

llvm::Value* EmitProcessorCheck(llvm::IRBuilder<>& b, const TargetDescription& target) {
  const llvm::Triple triple(target.triple);
  std::set<std::string> required;
  for (std::string& feature : target.RequiredFeatures()) required.insert(feature);
  if (triple.isX86()) return EmitX86Check(b, required);
  StatusOr<TargetDescription> baseline = DescribeTarget(
      triple.getArchName().str(), BaselineOf(triple.getArchName().str()), "");
  if (baseline.ok())
    for (const std::string& feature : baseline->RequiredFeatures())
      required.erase(feature);
  return b.getInt32(required.empty() ? 1 : static_cast<uint32_t>(-1));
}

}  // namespace tenon::compiler
