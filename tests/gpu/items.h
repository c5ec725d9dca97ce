// The items of an emulated group: coroutines, and the operations that they wait at.
#ifndef TESTS_GPU_ITEMS_H_
#define TESTS_GPU_ITEMS_H_

#include <setjmp.h>
#include <ucontext.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"

namespace tenon::gpu_test {

constexpr int kWarp = 32;
constexpr size_t kSlot = 16;  // bytes of an argument of an operation

class Group;
struct Operation;
struct WideProducts;
using Lanes = std::vector<Operation*>;

// An operation of the target. All calls of one name share it, and what the name means is
// looked up once.
struct Instruction {
  explicit Instruction(std::string name);

  std::string name;
  // How many items execute it together; 0: one alone, kWholeGroup: all.
  size_t participants = 0;
  static constexpr size_t kWholeGroup = ~size_t{0};
  // What one item does, or several lanes in order; both null: not known. `wide` is of
  // these lanes. False if they do what the ISA forbids.
  std::function<void(Group&, const Operation&)> alone;
  std::function<bool(const Lanes&, WideProducts& wide)> together;
  int64_t count = 0;  // of executions
};

// One lane's operation. Each argument is in a slot. All are borrowed.
struct Operation {
  Instruction* instruction = nullptr;
  char* arguments = nullptr;
  char* results = nullptr;
  template <typename T>
  T& Argument(size_t i) const {
    return *reinterpret_cast<T*>(arguments + i * kSlot);
  }
  template <typename T>
  T& Result(size_t i) const {
    return reinterpret_cast<T*>(results)[i];
  }
};

struct AsyncCopy {
  char* to = nullptr;
  const char* from = nullptr;
  int bytes = 0;
};

struct Item {
  int number = 0;
  bool waiting = false, done = false;
  Operation operation;
  std::vector<AsyncCopy> open_copies;
  std::deque<std::vector<AsyncCopy>> copy_sets;
};

// Products of four warps that are under way. They happen as late as they may.
struct WideProducts {
  struct Product {
    uint64_t lhs = 0, rhs = 0;  // descriptors
    bool is_bf16 = false, lhs_transposed = false, rhs_transposed = false;
  };
  std::deque<std::vector<Product>> sets;
  size_t columns = 0;
  std::vector<float> sums;  // 64 rows; empty if no product was started
};

using Instructions = std::map<std::string, Instruction, std::less<>>;

// How often operations were executed, by name.
using Counts = std::map<std::string, int64_t, std::less<>>;

class Group {
 public:
  // `local_bytes`: how much of the local memory the group has.
  Group(int64_t number, int items, size_t local_bytes)
      : number_(number), items_(static_cast<size_t>(items)), local_bytes_(local_bytes) {}

  // Runs `kernel` in every item. If `backwards`, the last item runs first, and copies
  // happen as early as they may.
  Status Run(const std::function<void()>& kernel, bool backwards);
  // What the running item executes.
  void Execute(const Operation& operation);
  static Group* current();

  // What items execute alone.
  void ReadItem(const Operation& operation);
  void ReadGroup(const Operation& operation);
  void StartCopy(const Operation& operation);
  void CommitCopies(const Operation& operation);
  void WaitForCopies(const Operation& operation);

 private:
  static void Start();
  // Runs `item` until it waits or is done.
  void Resume(Item& item);
  // Goes on with Run.
  void Suspend(Item& item);
  // Waits for the other items of the set of `size` that this item belongs to, and has the
  // last of them execute the operation for all.
  void ExecuteTogether(size_t size);

  int64_t number_;
  std::vector<Item> items_;
  size_t local_bytes_;
  bool backwards_ = false;
  std::map<size_t, WideProducts> wide_products_;  // by their first item
  Lanes lanes_;                                   // of ExecuteTogether
  std::function<void()> kernel_;
  Item* running_ = nullptr;
  jmp_buf scheduler_;
  std::string problem_;
};

// The operations of warps and of four warps, in instructions.cc.
std::function<bool(const Lanes&, WideProducts&)> FindTogether(const std::string& name);

// Local memory; its address is a multiple of its size.
constexpr size_t kLocalBytes = 256 << 10;
char* LocalMemory();

}  // namespace tenon::gpu_test

#endif  // TESTS_GPU_ITEMS_H_
