#include "tenon/compiler/pipeline/written_files.h"

#include <fstream>

#include "tenon/compiler/pipeline/describe.h"

namespace tenon::compiler {
namespace {

Status Write(const std::string& path, std::string_view what, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  if (file) return OkStatus();
  return InvalidArgument("cannot write the " + std::string(what) + " to '" + path + "'");
}

}  // namespace

Status WriteFiles(const Image& image, const CompileRequest& request,
                  const ImageOptions& options) {
  if (!options.program_file.empty())
    TENON_RETURN_IF_ERROR(Write(options.program_file, "program", request.code));
  if (options.file.empty()) return OkStatus();
  Image noted = image;
  noted.info.note = options.file_note;
  noted.info.compile_options.clear();  // JAX sends them in any order
  noted.info.fingerprint = Fingerprint(noted);
  return Write(options.file, "executable", noted.Serialize({.page_aligned = true}));
}

}  // namespace tenon::compiler
