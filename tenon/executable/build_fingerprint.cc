#include "tenon/executable/build_fingerprint.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <string>

namespace tenon {
namespace {

constexpr size_t Align4(size_t size) { return (size + 3) / 4 * 4; }

// The build id in a segment of notes; empty if it has none.
std::string FindBuildId(const char* notes, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const size_t name_size = Align4(note.n_namesz);
    const size_t total = sizeof note + name_size + Align4(note.n_descsz);
    if (total > size) break;
    const char* name = notes + sizeof note;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(name, "GNU", 4) == 0) {
      std::string digits;
      for (size_t i = 0; i < note.n_descsz; ++i) {
        const auto byte = static_cast<unsigned char>(name[name_size + i]);
        digits += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
      }
      return digits;
    }
    notes += total;
    size -= total;
  }
  return "";
}

// A callback of dl_iterate_phdr. Stops at the binary that contains this function.
int VisitBinary(dl_phdr_info* info, size_t, void* result) {
  const auto address = reinterpret_cast<ElfW(Addr)>(&VisitBinary);
  bool ours = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) & header = info->dlpi_phdr[i];
    const ElfW(Addr) start = info->dlpi_addr + header.p_vaddr;
    ours |=
        header.p_type == PT_LOAD && address >= start && address - start < header.p_memsz;
  }
  if (!ours) return 0;
  auto* id = static_cast<std::string*>(result);
  for (int i = 0; i < info->dlpi_phnum && id->empty(); ++i) {
    const ElfW(Phdr) & header = info->dlpi_phdr[i];
    if (header.p_type == PT_NOTE) {
      *id = FindBuildId(reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr),
                        header.p_memsz);
    }
  }
  return 1;
}

}  // namespace

std::string_view BuildVersion() { return TENON_VERSION; }
std::string_view BuildFingerprint() { return TENON_BUILD_FINGERPRINT; }

std::string_view BuildId() {
  static const std::string id = [] {
    std::string found;
    dl_iterate_phdr(VisitBinary, &found);
    return found.empty() ? std::string(BuildFingerprint()) : found;
  }();
  return id;
}

}  // namespace tenon
