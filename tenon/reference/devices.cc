#include "tenon/reference/devices.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "tenon/reference/collective.h"

namespace tenon::reference {
namespace {

// A collective in the program.
struct Site {
  std::vector<Rendezvous> rendezvous_list;
  std::vector<size_t> rendezvous_of;  // by process
  std::vector<size_t> arrived;        // members that wait, by rendezvous
};

class Machine {
 public:
  Machine(const stablehlo::ProcessGrid& grid, const EvaluateOptions& options)
      : grid_(grid) {
    for (int64_t process = 0; process < grid.size(); ++process)
      devices_.emplace_back(options, grid, process);
  }

  StatusOr<std::vector<std::vector<Literal>>> Run(
      mlir::func::FuncOp function, std::span<const std::vector<Literal>> arguments) {
    for (int64_t process = 0; process < grid_.size(); ++process) {
      Status status = devices_[process].Start(function, arguments[process]);
      if (status.ok()) status = Arrive(process);
      if (!status.ok()) return status.WithPrefix(grid_.Name(process));
    }
    std::vector<std::vector<Literal>> results;
    for (int64_t process = 0; process < grid_.size(); ++process) {
      if (devices_[process].waits_in()) return DescribeWait();
      results.push_back(devices_[process].values());
    }
    return results;
  }

 private:
  // Called when a device stops: executes its collective if it is the last to arrive, and
  // then runs all members on.
  Status Arrive(int64_t first) {
    std::deque<int64_t> stopped = {first};
    while (!stopped.empty()) {
      const int64_t process = stopped.front();
      stopped.pop_front();
      mlir::Operation* op = devices_[process].waits_in();
      if (!op) continue;
      auto site = SiteOf(op);
      if (!site.ok()) return WithLocation(site.status(), op);
      const size_t number = (*site)->rendezvous_of[process];
      const Rendezvous& rendezvous = (*site)->rendezvous_list[number];
      if (++(*site)->arrived[number] < rendezvous.members.size()) continue;
      (*site)->arrived[number] = 0;
      TENON_RETURN_IF_ERROR(Execute(op, rendezvous));
      stopped.insert(stopped.end(), rendezvous.members.begin(), rendezvous.members.end());
    }
    return OkStatus();
  }

  Status Execute(mlir::Operation* op, const Rendezvous& rendezvous) {
    std::vector<std::vector<Literal>> operands;
    for (int64_t member : rendezvous.members)
      operands.push_back(devices_[member].values());
    Evaluator& first = devices_[rendezvous.members[0]];
    std::vector<Literal> unused;
    OpContext context{op, {}, unused, first, first.environment()};
    auto results = RunCollective(context, rendezvous, operands);
    if (!results.ok()) return WithLocation(results.status(), op);
    for (size_t i = 0; i < rendezvous.members.size(); ++i) {
      const int64_t member = rendezvous.members[i];
      Status status = devices_[member].Resume(std::move((*results)[i]));
      if (!status.ok()) return status.WithPrefix(grid_.Name(member));
    }
    return OkStatus();
  }

  StatusOr<Site*> SiteOf(mlir::Operation* op) {
    auto [found, is_new] = sites_.try_emplace(op);
    Site& site = found->second;
    if (!is_new) return &site;
    TENON_ASSIGN_OR_RETURN(site.rendezvous_list, RendezvousOf(op, grid_));
    site.rendezvous_of.resize(grid_.size());
    site.arrived.resize(site.rendezvous_list.size());
    for (size_t i = 0; i < site.rendezvous_list.size(); ++i)
      for (int64_t member : site.rendezvous_list[i].members)
        site.rendezvous_of[member] = i;
    return &site;
  }

  // The error that says why no device can run.
  Status DescribeWait() {
    constexpr size_t kMaxShown = 8;  // devices
    std::string text = "devices wait for each other in vain";
    size_t shown = 0, waiting = 0;
    for (int64_t process = 0; process < grid_.size(); ++process) {
      mlir::Operation* op = devices_[process].waits_in();
      if (!op || ++waiting > kMaxShown) continue;
      ++shown;
      text += "\n  " + grid_.Name(process) + " waits in " + Place(op) + " for ";
      const Site& site = sites_.find(op)->second;
      size_t missing = 0;
      for (int64_t member : site.rendezvous_list[site.rendezvous_of[process]].members) {
        mlir::Operation* other = devices_[member].waits_in();
        if (other == op || ++missing > kMaxShown) continue;
        text += (missing > 1 ? "; " : "") + grid_.Name(member) +
                (other ? ", which waits in " + Place(other) : ", which has ended");
      }
      if (missing > kMaxShown)
        text += "; and " + std::to_string(missing - kMaxShown) + " more";
    }
    if (waiting > shown)
      text += "\n  and " + std::to_string(waiting - shown) + " more devices";
    return FailedPrecondition(text);
  }

  static std::string Place(mlir::Operation* op) {
    std::string text = op->getName().getStringRef().str();
    if (llvm::isa<mlir::UnknownLoc>(op->getLoc())) return text;
    text += " at ";
    llvm::raw_string_ostream(text) << op->getLoc();
    return text;
  }

  stablehlo::ProcessGrid grid_;
  std::deque<Evaluator> devices_;  // by process
  llvm::DenseMap<mlir::Operation*, Site> sites_;
};

}  // namespace

StatusOr<std::vector<std::vector<Literal>>> EvaluateOnDevices(
    mlir::func::FuncOp function, const stablehlo::ProcessGrid& grid,
    std::span<const std::vector<Literal>> arguments, const EvaluateOptions& options) {
  constexpr int64_t kMaxDevices = 1 << 16;
  if (grid.replicas < 1 || grid.partitions < 1 || grid.replicas > kMaxDevices ||
      grid.partitions > kMaxDevices / grid.replicas)
    return InvalidArgument(std::to_string(grid.replicas) + " replicas of " +
                           std::to_string(grid.partitions) +
                           " partitions: 1 to 65536 devices can be evaluated");
  if (static_cast<int64_t>(arguments.size()) != grid.size())
    return InvalidArgument("there are arguments for " + std::to_string(arguments.size()) +
                           " devices, not for " + std::to_string(grid.size()));
  return Machine(grid, options).Run(function, arguments);
}

}  // namespace tenon::reference
