#include "tenon/compiler/import/text_check.h"

#include <string>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace tenon::compiler {
namespace {

constexpr int kMaxTextDepth = 300;

bool IsIdentifierCharacter(char c) {
  return llvm::isAlnum(c) || llvm::StringRef("_$.-@%#!^").contains(c);
}

// Returns whether the name at `position` is `keyword` and not part of a longer name.
bool IsKeyword(std::string_view text, size_t position, std::string_view keyword) {
  std::string_view rest = text.substr(position);
  return rest.starts_with(keyword) &&
         (rest.size() == keyword.size() ||
          !IsIdentifierCharacter(rest[keyword.size()])) &&
         (position == 0 || !IsIdentifierCharacter(text[position - 1]));
}

}  // namespace

Status CheckTextNesting(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          if (text[i] == '\\') ++i;
        }
        break;
      case '/':
        if (i + 1 < text.size() && text[i + 1] == '/') {
          while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
        }
        break;
      case '(':
      case '[':
      case '{':
      case '<':
        if (++depth > kMaxTextDepth) {
          return InvalidArgument("malformed program: brackets nest deeper than " +
                                 std::to_string(kMaxTextDepth));
        }
        break;
      case '>':
        if (i > 0 && text[i - 1] == '-') break;  // an arrow
        [[fallthrough]];
      case ')':
      case ']':
      case '}':
        if (depth > 0) --depth;
        break;
      case 'a':
        if (IsKeyword(text, i, "affine_map") || IsKeyword(text, i, "affine_set")) {
          return InvalidArgument(
              "malformed program: affine maps and sets are not accepted");
        }
        break;
      default:
        break;
    }
  }
  return OkStatus();
}

}  // namespace tenon::compiler
