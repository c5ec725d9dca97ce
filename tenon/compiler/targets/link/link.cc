#include "tenon/compiler/targets/link/link.h"

#include <elf.h>

#include <cstring>
#include <map>
#include <vector>

#include "tenon/format/layout.h"

namespace tenon::codegen {
namespace {

constexpr const char* kImports[] = {"memcpy", "memmove", "memset"};
static_assert(std::size(kImports) == format::kNumImports);

template <typename T>
const T* At(std::string_view bytes, uint64_t offset) {
  return reinterpret_cast<const T*>(bytes.data() + offset);
}

// Code sequences that differ between architectures.
struct Architecture {
  const char* name;
  // Code that jumps through the pointer stored `distance` bytes after the code's start.
  std::vector<uint8_t> (*jump_through)(int64_t distance);
};

void Append32(std::vector<uint8_t>& code, uint32_t word) {
  for (int i = 0; i < 4; ++i) code.push_back(word >> (8 * i));
}

std::vector<uint8_t> JumpThroughX64(int64_t distance) {
  std::vector<uint8_t> code{0xff, 0x25};  // jmp [rip + d]
  Append32(code, static_cast<uint32_t>(distance - 6));
  return code;
}

std::vector<uint8_t> JumpThroughA64(int64_t distance) {
  std::vector<uint8_t> code;
  uint32_t words = static_cast<uint32_t>(distance / 4) & 0x7ffff;
  Append32(code, 0x58000010 | (words << 5));  // ldr x16, d
  Append32(code, 0xd61f0200);                 // br x16
  return code;
}

// Whether the bytes begin as an object file for the linker does.
bool IsObject(std::string_view bytes) {
  return bytes.size() >= sizeof(Elf64_Ehdr) && bytes.starts_with(ELFMAG) &&
         At<Elf64_Ehdr>(bytes, 0)->e_type == ET_REL;
}

class Linker {
 public:
  StatusOr<CodeObject> Link(std::span<const LinkedObject> objects,
                            std::string_view entry) {
    for (const LinkedObject& object : objects) TENON_RETURN_IF_ERROR(AddObject(object));
    PlaceSections();
    PlaceImports();
    TENON_RETURN_IF_ERROR(DefineSymbols());
    for (const Section& section : sections_) TENON_RETURN_IF_ERROR(Relocate(section));
    auto found = globals_.find(entry);
    if (found == globals_.end())
      return Internal("no symbol '" + std::string(entry) + "' in the generated code");
    code_.entry_offset = found->second;
    code_.architecture = architecture_->name;
    return std::move(code_);
  }

 private:
  struct Section {
    size_t object;
    size_t index;
    std::string_view name;
    uint64_t flags, size, alignment;
    const char* data;  // null: zeros
    uint64_t offset = 0;
  };

  std::string_view Bytes(size_t object) const { return objects_[object].bytes; }
  const Elf64_Ehdr* Header(size_t object) const {
    return At<Elf64_Ehdr>(Bytes(object), 0);
  }
  const Elf64_Shdr* SectionHeader(size_t object, size_t index) const {
    return At<Elf64_Shdr>(Bytes(object), Header(object)->e_shoff) + index;
  }
  std::string_view String(size_t object, size_t table, uint32_t offset) const {
    return At<char>(Bytes(object), SectionHeader(object, table)->sh_offset + offset);
  }

  // The name that a symbol of `object` gets in the image.
  std::string ImageName(size_t object, std::string_view name) const {
    const auto& [bytes, old_name, new_name] = objects_[object];
    if (old_name.empty()) return std::string(name);
    for (size_t at = name.find(old_name); at != name.npos;
         at = name.find(old_name, at + 1)) {
      const size_t end = at + old_name.size();
      if ((at > 0 && name[at - 1] != '.') || (end < name.size() && name[end] != '.'))
        continue;
      return std::string(name.substr(0, at)) + std::string(new_name) +
             std::string(name.substr(end));
    }
    return std::string(name);
  }

  Status AddObject(const LinkedObject& linked) {
    const std::string_view bytes = linked.bytes;
    size_t object = objects_.size();
    objects_.push_back(linked);
    if (!IsObject(bytes))
      return Internal("the code generator returned no relocatable ELF object");
    const Elf64_Ehdr* header = Header(object);
    static const Architecture kX64{"x86_64", JumpThroughX64};
    static const Architecture kA64{"aarch64", JumpThroughA64};
    if (header->e_machine == EM_X86_64)
      architecture_ = &kX64;
    else if (header->e_machine == EM_AARCH64)
      architecture_ = &kA64;
    else
      return Unimplemented("linking failed: unsupported ELF machine " +
                           std::to_string(header->e_machine));
    machine_ = header->e_machine;
    section_of_.emplace_back(header->e_shnum, -1);
    for (size_t i = 1; i < header->e_shnum; ++i) {
      const Elf64_Shdr* section = SectionHeader(object, i);
      if (!(section->sh_flags & SHF_ALLOC) || section->sh_size == 0) continue;
      std::string_view name = String(object, header->e_shstrndx, section->sh_name);
      bool relocated_data = name.starts_with(".data.rel.ro");
      if ((section->sh_flags & SHF_WRITE) && !relocated_data)
        return Internal("the generated code has writable data in " + std::string(name));
      section_of_[object][i] = static_cast<int>(sections_.size());
      sections_.push_back({object, i, name, section->sh_flags, section->sh_size,
                           std::max<uint64_t>(section->sh_addralign, 1),
                           section->sh_type == SHT_NOBITS
                               ? nullptr
                               : At<char>(bytes, section->sh_offset)});
    }
    return OkStatus();
  }

  void Place(Section& section) {
    uint64_t offset = (code_.bytes.size() + section.alignment - 1) / section.alignment *
                      section.alignment;
    section.offset = offset;
    code_.bytes.resize(offset + section.size);
    if (section.data)
      std::memcpy(code_.bytes.data() + offset, section.data, section.size);
  }

  void PlaceSections() {
    auto is_frame = [](const Section& section) { return section.name == ".eh_frame"; };
    for (Section& section : sections_)
      if (section.flags & SHF_EXECINSTR) Place(section);
    for (Section& section : sections_)
      if (!(section.flags & SHF_EXECINSTR) && !is_frame(section)) Place(section);
    Align(8);
    code_.eh_frame_offset = code_.bytes.size();
    for (Section& section : sections_) {
      if (!is_frame(section)) continue;
      section.alignment = 1;  // the unwinder reads all of them as one table without gaps
      Place(section);
    }
    if (code_.bytes.size() > code_.eh_frame_offset) {
      code_.bytes.resize(code_.bytes.size() + 4);  // the terminator
      code_.eh_frame_size = code_.bytes.size() - code_.eh_frame_offset;
    }
  }

  void Align(uint64_t alignment) {
    code_.bytes.resize((code_.bytes.size() + alignment - 1) / alignment * alignment);
  }

  // The functions that code calls for an import: each jumps through its slot, which lies
  // on a page behind the code.
  void PlaceImports() {
    constexpr uint64_t kStubBytes = 16;
    Align(kStubBytes);
    const uint64_t stubs = code_.bytes.size();
    code_.bytes.resize(stubs + kStubBytes * std::size(kImports));
    code_.imports_offset = format::ImportsOffset(code_.bytes.size());
    for (size_t i = 0; i < std::size(kImports); ++i) {
      const uint64_t offset = stubs + kStubBytes * i;
      const std::vector<uint8_t> stub = architecture_->jump_through(
          static_cast<int64_t>(code_.imports_offset + 8 * i - offset));
      std::memcpy(code_.bytes.data() + offset, stub.data(), stub.size());
      globals_[kImports[i]] = offset;
    }
  }

  Status DefineSymbols() {
    for (size_t object = 0; object < objects_.size(); ++object) {
      for (size_t i = 1; i < Header(object)->e_shnum; ++i) {
        const Elf64_Shdr* table = SectionHeader(object, i);
        if (table->sh_type != SHT_SYMTAB) continue;
        const auto* symbols = At<Elf64_Sym>(Bytes(object), table->sh_offset);
        for (size_t s = 1; s < table->sh_size / sizeof(Elf64_Sym); ++s) {
          const Elf64_Sym& symbol = symbols[s];
          if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE) continue;
          int section = section_of_[object][symbol.st_shndx];
          if (section < 0) continue;
          const std::string name =
              ImageName(object, String(object, table->sh_link, symbol.st_name));
          uint64_t offset = sections_[section].offset + symbol.st_value;
          if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
            code_.symbols.push_back({name, offset, symbol.st_size});
          if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
          if (!globals_.emplace(name, offset).second)
            return Internal("symbol '" + name + "' is defined twice");
        }
      }
    }
    return OkStatus();
  }

  StatusOr<uint64_t> SymbolOffset(size_t object, size_t table_index, uint32_t number) {
    const Elf64_Shdr* table = SectionHeader(object, table_index);
    const Elf64_Sym& symbol = At<Elf64_Sym>(Bytes(object), table->sh_offset)[number];
    if (symbol.st_shndx != SHN_UNDEF) {
      int section =
          symbol.st_shndx < SHN_LORESERVE ? section_of_[object][symbol.st_shndx] : -1;
      if (section < 0) return Internal("the generated code refers to a dropped section");
      return sections_[section].offset + symbol.st_value;
    }
    const std::string name =
        ImageName(object, String(object, table->sh_link, symbol.st_name));
    auto found = globals_.find(name);
    if (found == globals_.end())
      return Internal("the generated code calls '" + name +
                      "', which no runtime provides");
    return found->second;
  }

  Status Relocate(const Section& section) {
    for (size_t i = 1; i < Header(section.object)->e_shnum; ++i) {
      const Elf64_Shdr* table = SectionHeader(section.object, i);
      if (table->sh_type != SHT_RELA || table->sh_info != section.index) continue;
      const auto* entries = At<Elf64_Rela>(Bytes(section.object), table->sh_offset);
      for (size_t r = 0; r < table->sh_size / sizeof(Elf64_Rela); ++r) {
        const Elf64_Rela& entry = entries[r];
        TENON_ASSIGN_OR_RETURN(
            uint64_t symbol,
            SymbolOffset(section.object, table->sh_link, ELF64_R_SYM(entry.r_info)));
        uint64_t place = section.offset + entry.r_offset;
        TENON_RETURN_IF_ERROR(Apply(ELF64_R_TYPE(entry.r_info), place,
                                    static_cast<int64_t>(symbol) + entry.r_addend));
      }
    }
    return OkStatus();
  }

  static Status TooFar() {
    return ResourceExhausted(
        "linking failed: the program's code is larger than a relative reference can "
        "span; "
        "compile it as several smaller programs");
  }

  template <typename T>
  Status Write(uint64_t place, int64_t value) {
    if (value != static_cast<T>(value)) return TooFar();
    T narrow = static_cast<T>(value);
    std::memcpy(code_.bytes.data() + place, &narrow, sizeof(narrow));
    return OkStatus();
  }

  // Writes the low `bits` bits of `value` at bit `low` of the instruction at `place`.
  void Patch(uint64_t place, uint64_t value, int bits, int low) {
    uint32_t word;
    std::memcpy(&word, code_.bytes.data() + place, 4);
    uint32_t mask = ((uint64_t{1} << bits) - 1) << low;
    word = (word & ~mask) | (static_cast<uint32_t>(value << low) & mask);
    std::memcpy(code_.bytes.data() + place, &word, 4);
  }

  Status Apply(uint32_t type, uint64_t place, int64_t target) {
    int64_t relative = target - static_cast<int64_t>(place);
    if (machine_ == EM_X86_64) {
      switch (type) {
        case R_X86_64_NONE:
          return OkStatus();
        case R_X86_64_PC32:
        case R_X86_64_PLT32:
          return Write<int32_t>(place, relative);
        case R_X86_64_PC64:
          return Write<int64_t>(place, relative);
      }
    } else {
      constexpr int64_t kPage = ~int64_t{0xfff};
      constexpr int64_t kMaxBranch = int64_t{1} << 27;  // bytes: 26 signed bits, times 4
      switch (type) {
        case R_AARCH64_NONE:
          return OkStatus();
        case R_AARCH64_PREL32:
          return Write<int32_t>(place, relative);
        case R_AARCH64_PREL64:
          return Write<int64_t>(place, relative);
        case R_AARCH64_CALL26:
        case R_AARCH64_JUMP26:
          if (relative < -kMaxBranch || relative >= kMaxBranch) return TooFar();
          Patch(place, relative >> 2, 26, 0);
          return OkStatus();
        case R_AARCH64_ADR_PREL_PG_HI21: {
          // The image is loaded at a page boundary.
          int64_t pages =
              ((target & kPage) - (static_cast<int64_t>(place) & kPage)) >> 12;
          Patch(place, pages & 3, 2, 29);
          Patch(place, pages >> 2, 19, 5);
          return OkStatus();
        }
        case R_AARCH64_ADD_ABS_LO12_NC:
        case R_AARCH64_LDST8_ABS_LO12_NC:
          Patch(place, target & 0xfff, 12, 10);
          return OkStatus();
        case R_AARCH64_LDST16_ABS_LO12_NC:
          Patch(place, (target & 0xfff) >> 1, 12, 10);
          return OkStatus();
        case R_AARCH64_LDST32_ABS_LO12_NC:
          Patch(place, (target & 0xfff) >> 2, 12, 10);
          return OkStatus();
        case R_AARCH64_LDST64_ABS_LO12_NC:
          Patch(place, (target & 0xfff) >> 3, 12, 10);
          return OkStatus();
        case R_AARCH64_LDST128_ABS_LO12_NC:
          Patch(place, (target & 0xfff) >> 4, 12, 10);
          return OkStatus();
      }
    }
    return Internal("the generated code has a relocation of type " +
                    std::to_string(type) + ", which is not relative");
  }

  std::vector<LinkedObject> objects_;
  std::vector<Section> sections_;
  std::vector<std::vector<int>> section_of_;  // by object and section; -1: dropped
  std::map<std::string, uint64_t, std::less<>> globals_;
  const Architecture* architecture_ = nullptr;
  uint16_t machine_ = 0;
  CodeObject code_;
};

}  // namespace

std::vector<std::string_view> UndefinedSymbols(std::string_view object) {
  std::vector<std::string_view> names;
  if (!IsObject(object)) return names;
  const auto* header = At<Elf64_Ehdr>(object, 0);
  const auto* sections = At<Elf64_Shdr>(object, header->e_shoff);
  for (size_t i = 1; i < header->e_shnum; ++i) {
    const Elf64_Shdr& table = sections[i];
    if (table.sh_type != SHT_SYMTAB) continue;
    const auto* symbols = At<Elf64_Sym>(object, table.sh_offset);
    const uint64_t strings = sections[table.sh_link].sh_offset;
    for (size_t s = 1; s < table.sh_size / sizeof(Elf64_Sym); ++s)
      if (symbols[s].st_shndx == SHN_UNDEF)
        names.emplace_back(At<char>(object, strings + symbols[s].st_name));
  }
  return names;
}

StatusOr<CodeObject> LinkObjects(std::span<const LinkedObject> objects,
                                 std::string_view entry) {
  if (objects.empty()) return Internal("there is nothing to link");
  return Linker().Link(objects, entry);
}

}  // namespace tenon::codegen
