// A collective between devices of several processes, from the view of one of them.
#ifndef TENON_RUNTIME_REMOTE_COLLECTIVE_H_
#define TENON_RUNTIME_REMOTE_COLLECTIVE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tenon/device/processes.h"
#include "tenon/runtime/collectives.h"
#include "tenon/runtime/gang_plan.h"
#include "tenon/runtime/ragged_all_to_all.h"

namespace tenon::runtime {

// Computes what this process sends, and the results of its devices from what it receives.
//
// The results have the same bits as those of PerformCollective with all devices in one
// process: a process sends the combination of those subtrees of the reduction whose
// devices are all its own, and every process combines them in the same tree.
//
// Between Begin and the end, the buffers must not change. Outputs are written after all
// inputs have been read. Used by one thread at a time.
class RemoteCollective {
 public:
  struct Messages {
    std::vector<device::Exchange::Message> send;
    std::vector<device::Exchange::Expected> receive;
  };

  // `members` are in the order of the group; those of other processes have no buffers.
  // `process_of` is by device. All must outlive the object, except for `members`.
  RemoteCollective(const ImageCollective& site, const GangPlan::Group& group,
                   const std::vector<int32_t>& process_of, int process,
                   std::vector<CollectiveBuffers> members, Combiner combiner,
                   RunContext* context);

  // The messages of the first step. INVALID_ARGUMENT for offsets outside of arrays.
  StatusOr<Messages> Begin(const ParallelChunks& parallel);
  // Takes the messages of the step that has ended, in the order of `receive`. Returns
  // whether another step follows, and then sets `*next`.
  StatusOr<bool> Take(std::vector<AlignedBytes> received, const ParallelChunks& parallel,
                      Messages* next);

 private:
  // Consecutive positions of the group whose devices are in one process, and which are a
  // subtree of the reduction.
  struct Subtree {
    size_t position, width;
    size_t process;  // index into processes_
  };
  // A range of elements of the combination: of an operand, or of a part of it.
  struct Slice {
    size_t operand = 0;
    int64_t start = 0, run = 0, stride = 0;  // rows; see Reduction::Rows
    int64_t elements = 0;
  };

  int64_t ElementSize(size_t operand) const;
  size_t own() const { return own_; }
  void AddSubtrees(size_t low, size_t high);
  // Positions of `from` whose inputs `to` needs. For kinds that copy.
  std::vector<size_t> NeededInputs(size_t from, size_t to) const;
  Messages CopyMessages() const;
  Messages PartMessages() const;
  // What process `to` combines in the first step of a reduction.
  std::vector<Slice> SlicesOf(size_t to) const;
  size_t BytesOf(std::span<const Slice> slices) const;
  void CombineOwnSubtrees(const ParallelChunks& parallel);
  const void* SubtreeInput(size_t tree, size_t operand) const;
  // Copies the elements of a slice of an own subtree, which are rows, to `to`.
  void Pack(size_t tree, const Slice& slice, char* to) const;
  Messages ReduceMessages(const ParallelChunks& parallel);
  // Combines the slices of this process. Returns them one after another.
  AlignedBytes CombineSlices(const std::vector<AlignedBytes>& received,
                             const ParallelChunks& parallel) const;
  Status TakeCopies(const std::vector<AlignedBytes>& received,
                    const ParallelChunks& parallel);
  void TakeParts(const std::vector<AlignedBytes>& received,
                 const ParallelChunks& parallel);
  bool TakeSlices(const std::vector<AlignedBytes>& received,
                  const ParallelChunks& parallel, Messages* next);
  void TakeSums(const std::vector<AlignedBytes>& received);
  StatusOr<Messages> RaggedSizes();
  Status TakeRaggedSizes(const std::vector<AlignedBytes>& received, Messages* next);
  void TakeRaggedRows(const std::vector<AlignedBytes>& received,
                      const ParallelChunks& parallel);
  // Calls f(sender, number, bytes) for each part that devices of process `from` send to
  // devices of process `to`, in the order of messages.
  template <typename F>
  void ForPartsBetween(size_t from, size_t to, const F& f);
  // Copies combined slices of process `from` to the outputs.
  void WriteSlices(size_t from, const char* slices);

  const ImageCollective& site_;
  const GangPlan::Group& group_;
  std::vector<CollectiveBuffers> members_;
  const Combiner combiner_;
  RunContext* const context_;

  std::vector<int> processes_;                  // of the group, ascending
  std::vector<std::vector<size_t>> positions_;  // by index into processes_
  size_t own_ = 0;                              // index into processes_
  // Reductions only.
  std::vector<Subtree> subtrees_;                // by position
  std::vector<std::vector<AlignedBytes>> sums_;  // of own subtrees, by subtree; operand
  bool in_slices_ = false;  // each process combines a part of the elements
  AlignedBytes own_slices_;
  std::vector<RaggedSender> senders_;  // of a ragged_all_to_all, by position
  int step_ = 0;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_REMOTE_COLLECTIVE_H_
