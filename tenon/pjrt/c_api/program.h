// A PJRT_Program argument.
#ifndef TENON_PJRT_C_API_PROGRAM_H_
#define TENON_PJRT_C_API_PROGRAM_H_

#include "tenon/base/status.h"
#include "tenon/pjrt/abi/pjrt_c_api.h"
#include "tenon/pjrt/c_api/handles.h"
#include "tenon/pjrt/interface/program.h"

namespace tenon::pjrt::c_api {

// A view of the caller's program.
inline StatusOr<Program> ReadProgram(const PJRT_Program* program) {
  if (program == nullptr) return InvalidArgument("program is null");
  if (program->struct_size <
      offsetof(PJRT_Program, format_size) + sizeof(program->format_size)) {
    return InvalidArgument("program.struct_size is " +
                           std::to_string(program->struct_size) + ", at least " +
                           std::to_string(PJRT_Program_STRUCT_SIZE) + " is needed");
  }
  return Program{.format = View(program->format, program->format_size),
                 .code = View(program->code, program->code_size)};
}

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_C_API_PROGRAM_H_
