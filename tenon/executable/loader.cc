#include "tenon/executable/loader.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include "tenon/executable/validate.h"

extern "C" void __register_frame(void*);
extern "C" void __deregister_frame(void*);

namespace tenon {
namespace {

constexpr int kNumImports = 3;

size_t PageAlign(size_t size) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

// One line a symbol: address, size, name. Appended in one write a line, so that loads on
// several threads do not mix.
void WritePerfMap(const ImageCode& code, const uint8_t* base) {
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (!file) return;  // profiling aid only
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
  if (unwind_registered_) __deregister_frame(mapping_ + code_.eh_frame_offset);
  if (mapping_) munmap(mapping_, mapping_size_);
}

Image LoadedImage::ToImage() const {
  Image image;
  image.info = info_;
  image.code = code_;
  image.code.bytes.assign(mapping_, mapping_ + code_.bytes_size);
  std::memset(&image.code.bytes[code_.imports_offset], 0, kNumImports * sizeof(void*));
  image.constants.assign(constants_, constants_ + constants_size_);
  return image;
}

StatusOr<std::shared_ptr<const LoadedImage>> LoadImage(Image image,
                                                       const Machine& machine,
                                                       const ImageLoadOptions& options) {
  TENON_RETURN_IF_ERROR(ValidateImage(image));
  TENON_RETURN_IF_ERROR(CheckRunnable(image.code, machine));

  std::shared_ptr<LoadedImage> loaded(new LoadedImage());
  // Room for the zero word that ends the unwind information.
  const size_t code_size = PageAlign(image.code.bytes.size() + sizeof(uint32_t));
  const size_t size = code_size + PageAlign(image.constants.size());
  void* mapping =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    return ResourceExhausted("no memory for " + std::to_string(size) +
                             " bytes of code and constants of '" + image.info.name + "'");
  }
  loaded->mapping_ = static_cast<uint8_t*>(mapping);
  loaded->mapping_size_ = size;

  uint8_t* code = loaded->mapping_;
  std::memcpy(code, image.code.bytes.data(), image.code.bytes.size());
  void* const imports[kNumImports] = {reinterpret_cast<void*>(&std::memcpy),
                                      reinterpret_cast<void*>(&std::memmove),
                                      reinterpret_cast<void*>(&std::memset)};
  std::memcpy(code + image.code.imports_offset, imports, sizeof imports);
  if (!image.constants.empty()) {
    std::memcpy(code + code_size, image.constants.data(), image.constants.size());
    mprotect(code + code_size, size - code_size, PROT_READ);
  }
  if (mprotect(code, code_size, PROT_READ | PROT_EXEC) != 0) {
    return FailedPrecondition("this process may not make memory executable");
  }
  __builtin___clear_cache(reinterpret_cast<char*>(code),
                          reinterpret_cast<char*>(code + code_size));

  loaded->constants_ = code + code_size;
  loaded->constants_size_ = image.constants.size();
  loaded->entry_ = reinterpret_cast<EntryPoint>(code + image.code.entry_offset);
  loaded->code_.bytes_size = image.code.bytes.size();
  image.code.bytes = {};
  static_cast<ImageCode&>(loaded->code_) = std::move(image.code);
  loaded->info_ = std::move(image.info);
  if (loaded->code_.eh_frame_size) {
    __register_frame(code + loaded->code_.eh_frame_offset);
    loaded->unwind_registered_ = true;
  }
  if (options.perf_map) WritePerfMap(loaded->code_, code);
  return std::shared_ptr<const LoadedImage>(std::move(loaded));
}

}  // namespace tenon
