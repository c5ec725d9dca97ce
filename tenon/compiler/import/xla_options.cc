#include "tenon/compiler/import/xla_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

namespace tenon::compiler {
namespace {

enum OptionKind { kBool, kInt32, kInt64, kFloat, kString, kMessage, kEnum };
constexpr std::string_view kKindNames[] = {"bool",   "int32",   "int64", "float",
                                           "string", "message", "enum"};

struct XlaOption {
  std::string_view name;
  OptionKind kind;
  std::string_view values = "";  // names of an enumeration, separated by '|'
  bool repeated = false;
};

consteval XlaOption List(std::string_view name, std::string_view values) {
  return {name, values.empty() ? kString : kEnum, values, true};
}

constexpr XlaOption kOptions[] = {
#define OPTION(name, kind) {#name, kind},
#define ENUM(name, values) {#name, kEnum, values},
#define LIST(name, values) List(#name, values),
#include "tenon/compiler/import/xla_options.inc"
};
static_assert(std::ranges::is_sorted(kOptions, {}, &XlaOption::name));

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

template <typename Number>
bool IsNumber(std::string_view text) {
  text = Trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  Number number;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool IsNameOf(const XlaOption& option, std::string_view text) {
  for (std::string_view names = option.values; !names.empty();) {
    const size_t bar = names.find('|');
    if (names.substr(0, bar) == text) return true;
    names = bar == names.npos ? "" : names.substr(bar + 1);
  }
  return false;
}

bool TextFits(const XlaOption& option, std::string_view text) {
  switch (option.kind) {
    case kBool:
      return text == "True" || text == "False";
    case kInt32:
      return IsNumber<int32_t>(text);
    case kInt64:
      return IsNumber<int64_t>(text);
    case kFloat:
      return IsNumber<float>(text);
    case kString:
      return true;
    case kMessage:
      return false;
    case kEnum:
      return IsNumber<int32_t>(text) || IsNameOf(option, text);
  }
  return false;
}

bool NumberFits(const XlaOption& option, int64_t number) {
  const bool fits_int32 = number >= std::numeric_limits<int32_t>::min() &&
                          number <= std::numeric_limits<int32_t>::max();
  return option.kind == kInt64 ||
         ((option.kind == kInt32 || option.kind == kEnum) && fits_int32);
}

Status InvalidValue(const XlaOption& option, std::string_view value) {
  return InvalidArgument("While setting option " + std::string(option.name) + ", '" +
                         std::string(value) + "' is not a valid " +
                         std::string(kKindNames[option.kind]) + " value.");
}

Status CheckText(const XlaOption& option, std::string_view text) {
  while (option.repeated) {
    const size_t comma = text.find(',');
    if (!TextFits(option, text.substr(0, comma)))
      return InvalidValue(option, text.substr(0, comma));
    if (comma == text.npos) return OkStatus();
    text.remove_prefix(comma + 1);
  }
  return TextFits(option, text) ? OkStatus() : InvalidValue(option, text);
}

std::string Format(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

}  // namespace

Status CheckXlaOption(std::string_view name, const OptionValue& value) {
  const auto option = std::ranges::lower_bound(kOptions, name, {}, &XlaOption::name);
  if (option == std::end(kOptions) || option->name != name)
    return InvalidArgument("No such compile option: '" + std::string(name) + "'");
  if (const auto* text = std::get_if<std::string>(&value))
    return CheckText(*option, *text);
  if (const auto* flag = std::get_if<bool>(&value))
    return option->kind == kBool ? OkStatus() : InvalidValue(*option, *flag ? "1" : "0");
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return NumberFits(*option, *number) ? OkStatus()
                                        : InvalidValue(*option, std::to_string(*number));
  }
  const double number = std::get<double>(value);
  return option->kind == kFloat ? OkStatus() : InvalidValue(*option, Format(number));
}

bool IsTrue(const OptionValue& value) {
  const auto* flag = std::get_if<bool>(&value);
  return flag ? *flag : value == OptionValue("True");
}

}  // namespace tenon::compiler
