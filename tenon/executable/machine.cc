#include "tenon/executable/machine.h"

namespace tenon {

Status CheckRunnable(const ImageCode& code, const Machine& machine) {
  if (code.architecture != machine.architecture) {
    return FailedPrecondition("the code is for architecture " + code.architecture +
                              ", but this machine is " + machine.architecture);
  }
  for (const std::string& feature : code.features) {
    if (!machine.features.contains(feature)) {
      return FailedPrecondition("the code needs the processor feature '" + feature +
                                "', which this machine does not offer");
    }
  }
  return OkStatus();
}

}  // namespace tenon
