#include "tenon/compiler/import/mhlo_text.h"

#include <algorithm>
#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/OperationSupport.h"

namespace tenon::compiler {
namespace {

using llvm::StringRef;

constexpr StringRef kPrefix = "mhlo.";

// MHLO ops with another name in StableHLO. The functions below are in CHLO under the same
// name.
constexpr struct {
  StringRef mhlo, name;
} kRenamed[] = {{"copy", "stablehlo.convert"}};
constexpr StringRef kChloFunctions[] = {"acos",  "acosh", "asin", "asinh",
                                        "atanh", "cosh",  "erf",  "sinh"};

// Attributes that are dense<..> : tensor<Nxi64> or tensor<Nxi1> in MHLO and arrays in
// StableHLO.
constexpr StringRef kArrays[] = {
    "base_dilations",    "broadcast_dimensions", "broadcast_sizes", "dimensions",
    "edge_padding_high", "edge_padding_low",     "fft_length",      "interior_padding",
    "lhs_dilation",      "limit_indices",        "permutation",     "rhs_dilation",
    "slice_sizes",       "start_indices",        "strides",         "window_dilations",
    "window_dimensions", "window_reversal",      "window_strides"};

bool IsNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
}

class Translator {
 public:
  Translator(mlir::MLIRContext& context, StringRef text)
      : context_(context), text_(text) {}

  StatusOr<std::string> Run() {
    out_.reserve(text_.size() + 256);
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        TENON_RETURN_IF_ERROR(CopyString());
      } else if (c == '/' && text_.substr(at_).starts_with("//")) {
        Copy(text_.find('\n', at_));
      } else if ((c == '#' || c == '!') && IsOfDialect(text_.substr(at_ + 1))) {
        out_ += c;
        out_ += "stablehlo";
        at_ += StringRef("#mhlo").size();
      } else if (llvm::isAlpha(c) || c == '_') {
        TENON_RETURN_IF_ERROR(CopyName());
      } else if (c == '%' || c == '@' || c == '^' || c == '#' || c == '!') {
        // Copies names of values, symbols, blocks and aliases unchanged, because any text
        // may be a name.
        ++at_;
        size_t end = at_;
        while (end < text_.size() && (IsNameCharacter(text_[end]) || text_[end] == '-'))
          ++end;
        --at_;
        Copy(end);
      } else {
        Copy(at_ + 1);
      }
    }
    return std::move(out_);
  }

 private:
  // `#mhlo.dot<`, `#mhlo<`, `!mhlo.token`
  static bool IsOfDialect(StringRef name) {
    return name.consume_front("mhlo") && (name.starts_with(".") || name.starts_with("<"));
  }

  void Copy(size_t end) {
    end = std::min(end, text_.size());
    out_.append(text_.data() + at_, end - at_);
    at_ = end;
  }

  char NextAfter(size_t position) const {
    const StringRef rest = text_.substr(position).ltrim();
    return rest.empty() ? '\0' : rest.front();
  }

  // Copies a string. It is an op's name if operands follow.
  Status CopyString() {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    end = std::min(end + 1, text_.size());
    const StringRef content = text_.slice(at_ + 1, end - 1);
    if (!content.starts_with(kPrefix) || NextAfter(end) != '(') {
      Copy(end);
      return OkStatus();
    }
    TENON_ASSIGN_OR_RETURN(const std::string name, Translate(content));
    out_ += '"' + name + '"';
    at_ = end;
    return OkStatus();
  }

  Status CopyName() {
    size_t end = at_;
    while (end < text_.size() && IsNameCharacter(text_[end])) ++end;
    const StringRef name = text_.slice(at_, end);
    if (llvm::is_contained(kArrays, name) && NextAfter(end) == '=') {
      if (std::optional<size_t> behind = TranslateArray(end)) {
        at_ = *behind;
        return OkStatus();
      }
    }
    // An attribute's name is followed by its value, the next attribute or the end.
    const bool is_attribute = StringRef("=,}").contains(NextAfter(end));
    if (!name.starts_with(kPrefix) || (is_attribute && name != "mhlo.return")) {
      Copy(end);
      return OkStatus();
    }
    TENON_ASSIGN_OR_RETURN(const std::string op, Translate(name));
    out_ += op;
    at_ = end;
    return OkStatus();
  }

  StatusOr<std::string> Translate(StringRef full_name) {
    const StringRef name = full_name.substr(kPrefix.size());
    for (const auto& [mhlo, other] : kRenamed)
      if (name == mhlo) return other.str();
    const bool is_chlo = llvm::is_contained(kChloFunctions, name);
    const std::string other = (is_chlo ? "chlo." : "stablehlo.") + name.str();
    if (mlir::RegisteredOperationName::lookup(other, &context_)) return other;
    return Unimplemented("'" + full_name.str() + "' op at line " +
                         std::to_string(text_.take_front(at_).count('\n') + 1) +
                         " is not one that StableHLO has too; send StableHLO");
  }

  // Translates `name = dense<[0, 1]> : tensor<2xi64>` to `name = array<i64: 0, 1>` and
  // returns where it ends. Writes nothing for any other text.
  std::optional<size_t> TranslateArray(size_t end_of_name) {
    StringRef rest = text_.substr(end_of_name).ltrim();
    if (!rest.consume_front("=")) return std::nullopt;
    rest = rest.ltrim();
    if (!rest.consume_front("dense<")) return std::nullopt;
    const auto [values, behind] = rest.split('>');
    rest = behind.ltrim();
    if (!rest.consume_front(":")) return std::nullopt;
    rest = rest.ltrim();
    if (!rest.consume_front("tensor<")) return std::nullopt;
    size_t count = 0;
    if (rest.consumeInteger(10, count) || !rest.consume_front("x")) return std::nullopt;
    const auto [element, after] = rest.split('>');
    if ((element != "i64" && element != "i1") || values.contains('"'))
      return std::nullopt;
    StringRef list = values.trim();
    const bool is_splat = !list.consume_front("[");
    if (!is_splat && !list.consume_back("]")) return std::nullopt;
    llvm::SmallVector<StringRef> numbers;
    if (!list.trim().empty()) list.split(numbers, ',');
    if (is_splat && numbers.size() == 1) {
      constexpr size_t kMaxRank = 1 << 10;
      if (count > kMaxRank) return std::nullopt;
      const StringRef value = numbers[0];
      numbers.assign(count, value);
    }
    Copy(end_of_name);
    out_ += " = array<" + element.str();
    for (auto [number, value] : llvm::enumerate(numbers))
      out_ += (number == 0 ? ": " : ", ") + value.trim().str();
    out_ += '>';
    return after.data() - text_.data();
  }

  mlir::MLIRContext& context_;
  const StringRef text_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

StatusOr<std::string> ReadMhloAsStablehlo(mlir::MLIRContext& context,
                                          std::string_view text) {
  if (text.find("mhlo") == std::string_view::npos) return std::string(text);
  return Translator(context, text).Run();
}

}  // namespace tenon::compiler
