// Memory of an open program: the bytes of its file, and its code.
//
// Owned by a tenon_program; immutable once made.
#ifndef TENON_EMBED_MAPPING_H_
#define TENON_EMBED_MAPPING_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tenon/embed/error.h"

namespace tenon::embed {

// A whole file, mapped read-only.
class FileMapping {
 public:
  FileMapping() = default;
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping();

  // 0 or an error code.
  int Open(const char* path, tenon_error* error);

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }
  int descriptor() const { return descriptor_; }  // -1 if nothing is open
  // The descriptor is needed only until the code is mapped.
  void CloseDescriptor();

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
  int descriptor_ = -1;
};

// A code section in executable memory, with its page of import slots. Pages of code come
// from the file where that is possible, and are then shared with other processes.
class CodeMapping {
 public:
  CodeMapping() = default;
  CodeMapping(const CodeMapping&) = delete;
  CodeMapping& operator=(const CodeMapping&) = delete;
  ~CodeMapping();

  // `code` is at `offset` of the file; `descriptor` is -1 if there is no file.
  int Map(std::string_view code, int descriptor, uint64_t offset, tenon_error* error);

  uint8_t* base() const { return base_; }

 private:
  uint8_t* base_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tenon::embed

#endif  // TENON_EMBED_MAPPING_H_
