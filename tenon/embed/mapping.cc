#include "tenon/embed/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tenon/devices/cpu/host_move.h"
#include "tenon/format/layout.h"

namespace tenon::embed {

FileMapping::~FileMapping() {
  CloseDescriptor();
  if (data_) munmap(data_, size_);
}

void FileMapping::CloseDescriptor() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

int FileMapping::Open(const char* path, tenon_error* error) {
  // Without O_NONBLOCK a pipe would wait for somebody who writes to it.
  descriptor_ = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) {
    return Fail(error, errno == ENOENT ? TENON_NOT_FOUND : TENON_INVALID_ARGUMENT,
                "cannot open '%s': %s", path, strerror(errno));
  }
  struct stat status;
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    return Fail(error, TENON_INVALID_ARGUMENT, "cannot open '%s': it is no regular file",
                path);
  }
  if (status.st_size == 0) {
    return Fail(error, TENON_DATA_LOSS, "cannot open '%s': it is empty", path);
  }
  size_ = static_cast<size_t>(status.st_size);
  void* data = mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (data == MAP_FAILED) {
    return Fail(error, TENON_RESOURCE_EXHAUSTED, "cannot map '%s': %s", path,
                strerror(errno));
  }
  data_ = data;
  return TENON_OK;
}

CodeMapping::~CodeMapping() {
  if (base_) munmap(base_, size_);
}

int CodeMapping::Map(std::string_view code, int descriptor, uint64_t offset,
                     tenon_error* error) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const auto align_up = [page](size_t size) { return (size + page - 1) / page * page; };
  const size_t imports = format::ImportsOffset(code.size());
  const size_t size = imports + page;
  void* base =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) {
    return Fail(error, TENON_RESOURCE_EXHAUSTED, "no memory for %zu bytes of code",
                code.size());
  }
  base_ = static_cast<uint8_t*>(base);
  size_ = size;
  void* const functions[format::kNumImports] = {reinterpret_cast<void*>(cpu::HostMove()),
                                                reinterpret_cast<void*>(cpu::HostMove()),
                                                reinterpret_cast<void*>(&memset)};
  memcpy(base_ + imports, functions, sizeof functions);
  if (mprotect(base_ + imports, page, PROT_READ) != 0) {
    return Fail(error, TENON_RESOURCE_EXHAUSTED, "cannot protect memory: %s",
                strerror(errno));
  }
  const size_t pages = align_up(code.size());
  // A file system may forbid executable mappings. Then the code is copied.
  if (descriptor >= 0 && offset % page == 0 &&
      mmap(base_, pages, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, descriptor,
           static_cast<off_t>(offset)) != MAP_FAILED) {
    return TENON_OK;
  }
  // A failed mapping may have removed what was there.
  if (mmap(base_, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
           -1, 0) == MAP_FAILED) {
    return Fail(error, TENON_RESOURCE_EXHAUSTED, "no memory for %zu bytes of code",
                code.size());
  }
  memcpy(base_, code.data(), code.size());
  if (mprotect(base_, pages, PROT_READ | PROT_EXEC) != 0) {
    return Fail(error, TENON_FAILED_PRECONDITION,
                "the operating system does not let this process make memory executable");
  }
  __builtin___clear_cache(reinterpret_cast<char*>(base_),
                          reinterpret_cast<char*>(base_ + code.size()));
  return TENON_OK;
}

}  // namespace tenon::embed
