#include "tenon/compiler/object/c_names.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace tenon::compiler {
namespace {

// Of C99 and C++20; with the names of NAME_run's last arguments.
constexpr std::string_view kReserved[] = {"alignas",
                                          "alignof",
                                          "and",
                                          "and_eq",
                                          "arena",
                                          "asm",
                                          "auto",
                                          "bitand",
                                          "bitor",
                                          "bool",
                                          "break",
                                          "case",
                                          "catch",
                                          "char",
                                          "char16_t",
                                          "char32_t",
                                          "char8_t",
                                          "class",
                                          "co_await",
                                          "co_return",
                                          "co_yield",
                                          "compl",
                                          "concept",
                                          "const",
                                          "const_cast",
                                          "consteval",
                                          "constexpr",
                                          "constinit",
                                          "continue",
                                          "decltype",
                                          "default",
                                          "delete",
                                          "do",
                                          "double",
                                          "dynamic_cast",
                                          "else",
                                          "enum",
                                          "env",
                                          "explicit",
                                          "export",
                                          "extern",
                                          "false",
                                          "float",
                                          "for",
                                          "friend",
                                          "goto",
                                          "if",
                                          "inline",
                                          "int",
                                          "long",
                                          "mutable",
                                          "namespace",
                                          "new",
                                          "noexcept",
                                          "not",
                                          "not_eq",
                                          "nullptr",
                                          "operator",
                                          "or",
                                          "or_eq",
                                          "private",
                                          "protected",
                                          "public",
                                          "register",
                                          "reinterpret_cast",
                                          "requires",
                                          "restrict",
                                          "return",
                                          "short",
                                          "signed",
                                          "sizeof",
                                          "static",
                                          "static_assert",
                                          "static_cast",
                                          "struct",
                                          "switch",
                                          "template",
                                          "this",
                                          "thread_local",
                                          "throw",
                                          "true",
                                          "try",
                                          "typedef",
                                          "typeid",
                                          "typename",
                                          "union",
                                          "unsigned",
                                          "using",
                                          "virtual",
                                          "void",
                                          "volatile",
                                          "wchar_t",
                                          "while",
                                          "xor",
                                          "xor_eq"};

std::string NameOf(mlir::Location location) {
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(location)) return name.getName().str();
  return "";
}

}  // namespace

std::string CIdentifier(std::string_view text) {
  std::string name;
  for (char c : text) {
    const bool usable = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    // Leading and double underscores are reserved.
    if (!usable || c == '_') {
      if (!name.empty() && name.back() != '_') name += '_';
    } else if (!name.empty() || !std::isdigit(static_cast<unsigned char>(c))) {
      name += c;
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (std::ranges::find(kReserved, name) != std::end(kReserved)) name += "_value";
  return name;
}

InterfaceNames NamesOf(ir::ProgramOp program, const ExecutableInfo& info) {
  InterfaceNames names;
  std::set<std::string> taken;
  auto add = [&](std::vector<std::string>& list, std::string name,
                 const std::string& other) {
    if (name.empty() || !taken.insert(name).second) {
      name = other;
      while (!taken.insert(name).second) name += "_";
    }
    list.push_back(std::move(name));
  };
  mlir::Block& body = program.getBody().front();
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    mlir::Location location = body.getArgument(static_cast<unsigned>(i)).getLoc();
    add(names.parameters, CIdentifier(NameOf(location)), "arg" + std::to_string(i));
  }
  for (size_t i = 0; i < info.results.size(); ++i)
    add(names.results, "",
        info.results.size() == 1 ? "result" : "result" + std::to_string(i));
  return names;
}

}  // namespace tenon::compiler
