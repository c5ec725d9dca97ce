// Files that the options of a compilation ask for.
#ifndef TENON_COMPILER_PIPELINE_WRITTEN_FILES_H_
#define TENON_COMPILER_PIPELINE_WRITTEN_FILES_H_

#include "tenon/base/status.h"
#include "tenon/compiler/compile.h"
#include "tenon/compiler/pipeline/cache_keys.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

// Writes the executable with its note to `options.file`, and the program as the client
// sent it to `options.program_file`, if they are not empty. INVALID_ARGUMENT if a file
// cannot be written.
Status WriteFiles(const Image& image, const CompileRequest& request,
                  const ImageOptions& options);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_WRITTEN_FILES_H_
