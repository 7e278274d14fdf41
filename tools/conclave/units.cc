#include "tools/conclave/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conclave/sandbox.h"
#include "lib/base/text.h"
#include "lib/sandbox/layers.h"

namespace conclave::cli {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 4> kDurations = {{{"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}}};
constexpr double kKilo = 1024;
constexpr std::array<Unit, 10> kSizes = {{{"b", 1},
                                          {"k", kKilo},
                                          {"kb", kKilo},
                                          {"kib", kKilo},
                                          {"m", kKilo* kKilo},
                                          {"mb", kKilo* kKilo},
                                          {"mib", kKilo* kKilo},
                                          {"g", kKilo* kKilo* kKilo},
                                          {"gb", kKilo* kKilo* kKilo},
                                          {"gib", kKilo* kKilo* kKilo}}};
// Below this not even the programs that Conclave brings along get to their first line.
constexpr int64_t kLeastMemory = 16 << 20;

// The quantity in base units; nothing when `text` is not digits, at most one point, and one of `units`.
template <size_t kCount>
std::optional<double> Quantity(std::string_view text, const std::array<Unit, kCount>& units) {
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string unit = absl::AsciiStrToLower(std::string(text.substr(digits)));
  double value = 0;
  if (digits == 0 || !absl::SimpleAtod(std::string(text.substr(0, digits)), &value)) return std::nullopt;
  for (const Unit& known : units) {
    if (known.name == unit) return value * known.factor;
  }
  return std::nullopt;
}

absl::Status Refuse(std::string_view option, std::string_view text, std::string_view why, std::string_view form) {
  return absl::InvalidArgumentError(absl::StrFormat("%s: \"%s\" %s: %s", option, Excerpt(text, 40), why, form));
}

// One decimal below 100, none from there on or when it would be zero.
std::string Short(double value) {
  std::string text = absl::StrFormat("%.*f", value < 99.95 ? 1 : 0, value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace

absl::StatusOr<int64_t> ParseMilliseconds(std::string_view option, std::string_view text) {
  constexpr std::string_view kForm = "give a number with a unit, such as 500ms, 30s, 2m or 1h";
  const std::optional<double> value = Quantity(text, kDurations);
  if (!value) return Refuse(option, text, "is not a duration", kForm);
  if (*value > 0 && *value < 1) return Refuse(option, text, "is less than one millisecond", kForm);
  if (*value < 1) return Refuse(option, text, "leaves no time; every run has a limit above zero", kForm);
  if (*value > absl::ToDoubleMilliseconds(kLongestRun)) return Refuse(option, text, "is more than 7 days", kForm);
  return std::llround(*value);
}

absl::StatusOr<Isolation> ParseIsolation(std::string_view option, std::string_view text) {
  const auto level = [](std::string_view digits) { return digits.size() == 1 ? digits[0] - '0' : -1; };
  const size_t dash = text.find('-');
  const bool range = dash != std::string_view::npos;
  const int required = level(text.substr(0, dash));
  const Isolation isolation = {required, range ? level(text.substr(dash + 1)) : required};
  if (CheckIsolation(isolation).ok()) return isolation;
  const bool swapped = CheckIsolation({isolation.preferred, isolation.required}).ok();
  return Refuse(option, text, swapped ? "has the lower level last" : "is no level of isolation",
                "give one from 0 to 3, or the lowest and the highest that will do, such as 1-3");
}

absl::StatusOr<int64_t> ParseMemory(std::string_view option, std::string_view text) {
  constexpr std::string_view kForm = "give a number with a unit, such as 64MB, 512MB or 2GB";
  const int64_t most = EngineBudget().memory_bytes;
  const std::optional<double> value = Quantity(text, kSizes);
  if (!value) return Refuse(option, text, "is not a size", kForm);
  if (*value < static_cast<double>(kLeastMemory)) {
    return Refuse(option, text, "is too little for any program to start",
                  "give at least 16MB, and 64MB for Python; the default is 512MB");
  }
  if (*value > static_cast<double>(most)) {
    return Refuse(option, text, "is more than all runs together may use", absl::StrCat("give at most ", ShowBytes(most)));
  }
  return std::llround(*value);
}

std::string ShowMicroseconds(int64_t microseconds) {
  if (microseconds < 1'000'000) return absl::StrCat((microseconds + 500) / 1000, " ms");
  const double seconds = static_cast<double>(microseconds) / 1e6;
  if (seconds < 10) {
    std::string text = absl::StrFormat("%.2f", seconds);
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
    return text + " s";
  }
  if (seconds < 120) return Short(seconds) + " s";
  const int64_t whole = std::llround(seconds);
  if (whole % 60 == 0) return absl::StrCat(whole / 60, " min");
  return absl::StrCat(whole / 60, " min ", whole % 60, " s");
}

std::string ShowTimeLimit(int64_t milliseconds) {
  if (milliseconds % 1000 == 0 || milliseconds < 1000) return ShowMicroseconds(milliseconds * 1000);
  std::string seconds = absl::StrFormat("%d.%03d", milliseconds / 1000, milliseconds % 1000);
  while (seconds.ends_with('0')) seconds.pop_back();
  return seconds + " s";
}

std::string ShowBytes(int64_t bytes) {
  static constexpr std::string_view kNames[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < std::size(kNames)) {
    value /= kKilo;
    ++unit;
  }
  return absl::StrCat(Short(value), " ", std::string(kNames[unit]));
}

std::string ShowCount(int64_t count) {
  std::string digits = absl::StrCat(count);
  const size_t first = count < 0 ? 1 : 0;
  for (size_t place = digits.size(); place > first + 3;) digits.insert(place -= 3, ",");
  return digits;
}

std::string Counted(int64_t count, std::string_view one, std::string_view many) {
  return absl::StrCat(ShowCount(count), " ", std::string(count == 1 ? one : many));
}

}  // namespace conclave::cli
