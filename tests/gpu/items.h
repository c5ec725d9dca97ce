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

// The name, the arguments of one lane's operation, each in a slot, and its results. All
// are borrowed.
struct Operation {
  std::string_view name;
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
  jmp_buf resume;  // where it goes on, once it has started
  bool started = false;
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

// How often operations were executed, by name.
using Counts = std::map<std::string, int64_t, std::less<>>;

class Group {
 public:
  // `local_bytes`: how much of the local memory the group has.
  Group(int64_t number, int items, size_t local_bytes, Counts& counts)
      : number_(number),
        items_(static_cast<size_t>(items)),
        local_bytes_(local_bytes),
        counts_(counts) {}

  // Runs `kernel` in every item. If `backwards`, the last item runs first, and copies
  // happen as early as they may.
  Status Run(const std::function<void()>& kernel, bool backwards);
  // What the running item executes.
  void Execute(const Operation& operation);
  static Group* current();

 private:
  static void Start();
  // Runs `item` until it waits or is done.
  void Resume(Item& item);
  // Goes on with Run.
  void Suspend(Item& item);
  // Waits for the other items of the set of `size` that this item belongs to, and has the
  // last of them execute the operation for all.
  void ExecuteTogether(size_t size);
  bool ExecuteAlone(const Operation& operation);
  void Count(std::string_view name);

  int64_t number_;
  std::vector<Item> items_;
  size_t local_bytes_;
  bool backwards_ = false;
  std::map<size_t, WideProducts> wide_products_;  // by their first item
  Counts& counts_;
  std::function<void()> kernel_;
  Item* running_ = nullptr;
  jmp_buf scheduler_;
  std::string problem_;
};

// The operations of warps and of four warps, in instructions.cc. Lanes are in order.
// Returns false if the name is not known. `wide`: of these lanes.
bool ExecuteMatrix(std::string_view name, const std::vector<Operation*>& lanes,
                   WideProducts& wide);
// How many items execute the operation together; 0: any one.
size_t Participants(std::string_view name, size_t items);

// Local memory; its address is a multiple of its size.
constexpr size_t kLocalBytes = 256 << 10;
char* LocalMemory();

}  // namespace tenon::gpu_test

#endif  // TESTS_GPU_ITEMS_H_
