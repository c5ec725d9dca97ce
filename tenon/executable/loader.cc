#include "tenon/executable/loader.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include "tenon/executable/validate.h"
#include "tenon/format/layout.h"

extern "C" void __register_frame(void*);
extern "C" void __deregister_frame(void*);

namespace tenon {
namespace {

size_t PageAlign(size_t size) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

// Appends one line per symbol: address, size, name. Each line is one write, so that lines
// of several threads do not mix.
void WritePerfMap(const CodeObject& code, const uint8_t* base) {
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (!file) return;  // only profiling depends on it
  for (const ImageSymbol& symbol : code.symbols) {
    std::fprintf(
        file, "%lx %lx %s\n",
        static_cast<unsigned long>(reinterpret_cast<uintptr_t>(base) + symbol.offset),
        static_cast<unsigned long>(symbol.size), symbol.name.c_str());
    std::fflush(file);
  }
  std::fclose(file);
}

}  // namespace

LoadedImage::~LoadedImage() {
  if (unwind_registered_) __deregister_frame(mapping_ + code_->eh_frame_offset);
  if (mapping_) munmap(mapping_, mapping_size_);
}

StatusOr<std::shared_ptr<const LoadedImage>> LoadImage(std::shared_ptr<const Image> image,
                                                       const Machine& machine,
                                                       const ImageLoadOptions& options) {
  TENON_RETURN_IF_ERROR(ValidateImage(*image));
  TENON_ASSIGN_OR_RETURN(const CodeObject* object, SelectHostCode(*image, machine));

  std::shared_ptr<LoadedImage> loaded(new LoadedImage());
  loaded->code_ = object;
  // The code, zeros that end the unwind information, and the import slots. Pages between
  // them are never touched.
  const size_t size =
      PageAlign(object->imports_offset + format::kNumImports * sizeof(void*));
  void* mapping =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    return ResourceExhausted("no memory for " + std::to_string(size) +
                             " bytes of code of '" + image->info.name + "'");
  }
  loaded->mapping_ = static_cast<uint8_t*>(mapping);
  loaded->mapping_size_ = size;

  uint8_t* code = loaded->mapping_;
  std::memcpy(code, object->bytes.data(), object->bytes.size());
  void* const imports[] = {reinterpret_cast<void*>(machine.move),
                           reinterpret_cast<void*>(machine.move),
                           reinterpret_cast<void*>(&std::memset)};
  static_assert(std::size(imports) == format::kNumImports);
  std::memcpy(code + object->imports_offset, imports, sizeof imports);
  if (mprotect(code, size, PROT_READ | PROT_EXEC) != 0) {
    return FailedPrecondition("cannot load '" + image->info.name +
                              "': the operating system does not let this process make "
                              "memory executable");
  }
  __builtin___clear_cache(reinterpret_cast<char*>(code),
                          reinterpret_cast<char*>(code + object->bytes.size()));

  loaded->constants_ = image->constants.data() + object->constants_offset;
  loaded->entry_ = reinterpret_cast<EntryPoint>(code + object->entry_offset);
  loaded->image_ = std::move(image);
  if (object->eh_frame_size) {
    __register_frame(code + object->eh_frame_offset);
    loaded->unwind_registered_ = true;
  }
  if (options.perf_map) WritePerfMap(*object, code);
  return std::shared_ptr<const LoadedImage>(std::move(loaded));
}

}  // namespace tenon
