#include "tenon/executable/machine.h"

namespace tenon {
namespace {

// The reason why `machine` cannot run the code, as the end of a sentence about the code.
// Empty if it can.
std::string ReasonNotToRun(const CodeObject& code, const Machine& machine) {
  if (code.kind != machine.code_kind) {
    return code.kind == kHostCode ? "runs without a device"
                                  : "is '" + code.kind + "' code for another device";
  }
  if (code.architecture != machine.architecture) {
    return "is for architecture " + code.architecture;
  }
  for (const std::string& feature : code.features) {
    if (!machine.features.contains(feature)) {
      return "needs the processor feature '" + feature + "'";
    }
  }
  return "";
}

std::string Describe(const Machine& machine) {
  return machine.architecture + (machine.name.empty() ? "" : " (" + machine.name + ")");
}

}  // namespace

StatusOr<const CodeObject*> SelectHostCode(const Image& image, const Machine& machine) {
  const CodeObject* best = nullptr;
  std::string reasons;
  for (const CodeObject& code : image.code_objects) {
    const std::string reason = ReasonNotToRun(code, machine);
    if (!reason.empty()) {
      reasons += (reasons.empty() ? "" : "; ") + code.target + ", which " + reason;
    } else if (!best || code.features.size() > best->features.size()) {
      best = &code;
    }
  }
  if (best) return best;
  return FailedPrecondition("executable '" + image.info.name +
                            "' has no code for this machine, which is " +
                            Describe(machine) + "; it has: " + reasons);
}

}  // namespace tenon
