#include <cstdarg>
#include <cstdio>

#include "tenon/devices/cpu/host_features.h"
#include "tenon/embed/program.h"

namespace tenon::embed {
namespace {

struct HostFeatures {
  static constexpr int kMax = 160;
  std::string_view names[kMax];
  int count = 0;

  HostFeatures() {
    cpu::VisitHostFeatures(
        [](void* context, std::string_view name) {
          auto* features = static_cast<HostFeatures*>(context);
          if (features->count < kMax) features->names[features->count++] = name;
        },
        this);
  }
  bool Contain(std::string_view name) const {
    for (int i = 0; i < count; ++i)
      if (names[i] == name) return true;
    return false;
  }
};

// The end of a sentence about targets that do not fit.
class Reasons {
 public:
  [[gnu::format(printf, 2, 3)]] void Add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const size_t room = sizeof text_ - used_;
    const int size = std::vsnprintf(text_ + used_, room, format, arguments);
    va_end(arguments);
    if (size > 0) used_ += static_cast<size_t>(size) < room ? size : room - 1;
  }
  const char* text() const { return text_; }

 private:
  char text_[400] = {};
  size_t used_ = 0;
};

int Malformed(tenon_error* error) {
  return Fail(error, TENON_DATA_LOSS,
              "the file is damaged: its code objects are malformed");
}

}  // namespace

int ChooseCode(const format::Records& records, const format::Program& program,
               uint32_t* chosen, tenon_error* error) {
  const HostFeatures host;
  Reasons reasons;
  bool found = false;
  uint32_t most_features = 0;
  if (!records.Check(program.code)) return Malformed(error);
  for (uint32_t i = 0; i < program.code.count; ++i) {
    const auto code = records.Get<format::Code>(program.code, i);
    std::string_view kind, architecture, feature;
    const char* target;
    if (!records.Get(code.kind, &kind) || !records.Get(code.target, &target) ||
        !records.Get(code.architecture, &architecture) || !records.Check(code.features))
      return Malformed(error);
    const char* separator = i == 0 ? "" : "; ";
    if (kind != "host") {
      reasons.Add("%s%s is for another device", separator, target);
      continue;
    }
    if (architecture != cpu::kHostArchitecture) {
      reasons.Add("%s%s is for another architecture", separator, target);
      continue;
    }
    bool fits = true;
    for (uint32_t f = 0; fits && f < code.features.count; ++f) {
      if (!records.Get(records.Get<format::Text>(code.features, f), &feature))
        return Malformed(error);
      fits = host.Contain(feature);
    }
    if (!fits) {
      reasons.Add("%s%s needs the processor feature '%.*s'", separator, target,
                  static_cast<int>(feature.size()), feature.data());
    } else if (!found || code.features.count > most_features) {
      found = true;
      most_features = code.features.count;
      *chosen = i;
    }
  }
  if (found) return TENON_OK;
  return Fail(error, TENON_FAILED_PRECONDITION,
              "the file has no code for this machine, which is %s: %s",
              cpu::kHostArchitecture, reasons.text());
}

}  // namespace tenon::embed
