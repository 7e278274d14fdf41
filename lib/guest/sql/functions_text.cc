#include "lib/guest/sql/functions_text.h"

#include <locale.h>
#include <re2/re2.h>
#include <wctype.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/edit_distance.h"
#include "lib/base/text.h"
#include "lib/guest/sql/sqlite_support.h"

namespace conclave::guest {
namespace {

constexpr int64_t kTextBytes = 16 << 20;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

int64_t CountCharacters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); });
}

// The byte at which character `index` (from 0) begins; the end when there are fewer.
size_t ByteOf(std::string_view text, int64_t index) {
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!IsContinuation(text[at]) && index-- == 0) break;
  }
  return at;
}

std::vector<uint32_t> CodePoints(std::string_view text) {
  std::vector<uint32_t> points;
  for (size_t i = 0; i < text.size();) {
    const unsigned char lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    uint32_t point = length == 1 ? lead : lead & (0x7F >> length);
    for (size_t k = 1; k < length && i + k < text.size(); ++k)
      point = (point << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3F);
    points.push_back(point);
    i += length;
  }
  return points;
}

void AppendCodePoint(uint32_t c, std::string* out) {
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out->push_back(static_cast<char>(0xC0 | (c >> 6)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | (c >> 12)));
    out->push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xF0 | (c >> 18)));
    out->push_back(static_cast<char>(0x80 | ((c >> 12) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  }
}

struct LocaleCloser {
  void operator()(locale_t locale) const { freelocale(locale); }
};
using OwnedLocale = std::unique_ptr<std::remove_pointer_t<locale_t>, LocaleCloser>;

// Tag 0: lower; 1: upper. The connection owns the locale through the function's user data.
struct CaseRules {
  OwnedLocale locale;
  bool upper = false;
};

void ChangeCase(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const auto& rules = *static_cast<const CaseRules*>(sqlite3_user_data(context));
    const std::string_view text = TextOf(values[0]);
    std::string out;
    out.reserve(text.size());
    if (std::none_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; })) {
      out = rules.upper ? absl::AsciiStrToUpper(std::string(text)) : absl::AsciiStrToLower(std::string(text));
    } else {
      for (uint32_t point : CodePoints(text)) {
        AppendCodePoint(rules.upper ? towupper_l(point, rules.locale.get()) : towlower_l(point, rules.locale.get()), &out);
      }
    }
    GiveText(context, out);
  });
}

// Tag 0: left; 1: right. A negative count leaves that many characters out at the other end.
void Side(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  const std::string_view text = TextOf(values[0]);
  const int64_t characters = CountCharacters(text);
  int64_t wanted = sqlite3_value_int64(values[1]);
  if (wanted < 0) wanted = std::max<int64_t>(0, characters + std::max(wanted, -characters));
  wanted = std::min(wanted, characters);
  GiveText(context,
           TagOf(context) == 0 ? text.substr(0, ByteOf(text, wanted)) : text.substr(ByteOf(text, characters - wanted)));
}

// Tag 0: lpad; 1: rpad. Longer text is cut to the length, as in DuckDB.
void Pad(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const std::string_view text = TextOf(values[0]);
    const std::string_view fill = TextOf(values[2]);
    const int64_t characters = CountCharacters(text);
    const int64_t wanted = sqlite3_value_int64(values[1]);
    if (wanted > kTextBytes / 4)
      return GiveError(context, absl::StrCat("lpad() or rpad() to ", wanted, " characters is too long"));
    if (wanted <= characters) return GiveText(context, text.substr(0, ByteOf(text, std::max<int64_t>(0, wanted))));
    if (fill.empty()) return GiveError(context, "lpad() or rpad() with an empty filling");
    std::string padding;
    const int64_t fill_characters = CountCharacters(fill);
    for (int64_t missing = wanted - characters; missing > 0; missing -= fill_characters) {
      padding += missing >= fill_characters ? fill : fill.substr(0, ByteOf(fill, missing));
    }
    GiveText(context,
             TagOf(context) == 0 ? absl::StrCat(padding, std::string(text)) : absl::StrCat(std::string(text), padding));
  });
}

void Repeat(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const std::string_view text = TextOf(values[0]);
    const int64_t times = std::max<int64_t>(0, sqlite3_value_int64(values[1]));
    if (!text.empty() && times > kTextBytes / static_cast<int64_t>(text.size())) {
      return GiveError(context, absl::StrCat("repeat() ", times, " times makes a text longer than ", kTextBytes, " bytes"));
    }
    std::string out;
    for (int64_t i = 0; i < times && !text.empty(); ++i) out += text;
    GiveText(context, out);
  });
}

void Reverse(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    std::vector<uint32_t> points = CodePoints(TextOf(values[0]));
    std::string out;
    for (auto point = points.rbegin(); point != points.rend(); ++point) AppendCodePoint(*point, &out);
    GiveText(context, out);
  });
}

enum Search { kPosition, kContains, kStarts, kEnds };

void Find(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  const std::string_view text = TextOf(values[0]);
  const std::string_view part = TextOf(values[1]);
  switch (TagOf(context)) {
    case kContains: return sqlite3_result_int(context, text.find(part) != std::string_view::npos);
    case kStarts: return sqlite3_result_int(context, text.substr(0, part.size()) == part);
    case kEnds:
      return sqlite3_result_int(context, text.size() >= part.size() && text.substr(text.size() - part.size()) == part);
    default: {
      const size_t at = text.find(part);
      return sqlite3_result_int64(context, at == std::string_view::npos ? 0 : CountCharacters(text.substr(0, at)) + 1);
    }
  }
}

// The n-th part from 1, or from the end when negative; empty text beyond the parts.
void SplitPart(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    std::string_view text = TextOf(values[0]);
    const std::string_view separator = TextOf(values[1]);
    const int64_t wanted = sqlite3_value_int64(values[2]);
    if (separator.empty()) return GiveError(context, "split_part() with an empty separator");
    if (wanted == 0) return GiveError(context, "split_part() counts parts from 1, or from -1 at the end");
    std::vector<std::string_view> parts;
    for (size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator)) {
      parts.push_back(text.substr(0, at));
      text.remove_prefix(at + separator.size());
    }
    parts.push_back(text);
    const int64_t size = static_cast<int64_t>(parts.size());
    const int64_t index = wanted > 0 ? wanted - 1 : wanted + size;
    GiveText(context, index >= 0 && index < size ? parts[static_cast<size_t>(index)] : std::string_view());
  });
}

// Tag 0: concat(...); 1: concat_ws(separator, ...). Missing values are left out.
void Concat(sqlite3_context* context, int count, sqlite3_value** values) {
  Guarded(context, [&] {
    const int first = TagOf(context);
    if (first == 1 && IsNullValue(values[0])) return;
    const std::string separator(first == 1 ? TextOf(values[0]) : std::string_view());
    std::string out;
    bool any = false;
    for (int i = first; i < count; ++i) {
      if (IsNullValue(values[i])) continue;
      if (any) out += separator;
      out += TextOf(values[i]);
      any = true;
    }
    GiveText(context, out);
  });
}

void Levenshtein(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const std::vector<uint32_t> a = CodePoints(TextOf(values[0]));
    const std::vector<uint32_t> b = CodePoints(TextOf(values[1]));
    if (a.size() * b.size() > 16'000'000) return GiveError(context, "levenshtein() of texts this long takes too much time");
    sqlite3_result_int64(context, static_cast<int64_t>(EditDistance(a, b)));
  });
}

void DeletePattern(void* pattern) { delete static_cast<RE2*>(pattern); }

// The pattern in argument `index`, compiled once per statement while it is constant; nullptr after an error.
const RE2* Pattern(sqlite3_context* context, sqlite3_value** values, int index, bool fold_case) {
  if (const void* kept = sqlite3_get_auxdata(context, index)) return static_cast<const RE2*>(kept);
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(8 << 20);
  options.set_case_sensitive(!fold_case);
  const std::string_view text = TextOf(values[index]);
  auto pattern = std::make_unique<RE2>(re2::StringPiece(text.data(), text.size()), options);
  if (!pattern->ok()) {
    GiveError(context, absl::StrCat("regular expression '", Excerpt(text, 60), "': ", pattern->error()));
    return nullptr;
  }
  sqlite3_set_auxdata(context, index, pattern.release(), DeletePattern);
  // SQLite may have thrown it away at once when it is short of memory.
  const void* kept = sqlite3_get_auxdata(context, index);
  if (kept == nullptr) sqlite3_result_error_nomem(context);
  return static_cast<const RE2*>(kept);
}

re2::StringPiece Piece(std::string_view text) { return re2::StringPiece(text.data(), text.size()); }

void RegexpMatches(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    if (const RE2* pattern = Pattern(context, values, 1, false)) {
      sqlite3_result_int(context, RE2::PartialMatch(Piece(TextOf(values[0])), *pattern));
    }
  });
}

// The first match, or a group of it; empty text when there is none.
void RegexpExtract(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const RE2* pattern = Pattern(context, values, 1, false);
    if (pattern == nullptr) return;
    const int64_t group = count > 2 ? sqlite3_value_int64(values[2]) : 0;
    if (group < 0 || group > pattern->NumberOfCapturingGroups() || group > 9) {
      return GiveError(context, absl::StrCat("regexp_extract(): the pattern has no group ", group));
    }
    const re2::StringPiece text = Piece(TextOf(values[0]));
    re2::StringPiece groups[10];
    if (!pattern->Match(text, 0, text.size(), RE2::UNANCHORED, groups, static_cast<int>(group) + 1))
      return GiveText(context, "");
    GiveText(context, std::string_view(groups[group].data(), groups[group].size()));
  });
}

// The first match is replaced; with option 'g' all, with 'i' without regard to case.
void RegexpReplace(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const std::string_view options = count > 3 ? TextOf(values[3]) : std::string_view();
    if (options.find_first_not_of("gi") != std::string_view::npos) {
      return GiveError(context, absl::StrCat("regexp_replace(): options are 'g' and 'i', not '", Excerpt(options, 20), "'"));
    }
    const RE2* pattern = Pattern(context, values, 1, options.find('i') != std::string_view::npos);
    if (pattern == nullptr) return;
    std::string error;
    if (!pattern->CheckRewriteString(Piece(TextOf(values[2])), &error))
      return GiveError(context, absl::StrCat("regexp_replace(): ", error));
    std::string text(TextOf(values[0]));
    if (options.find('g') != std::string_view::npos) {
      RE2::GlobalReplace(&text, *pattern, Piece(TextOf(values[2])));
    } else {
      RE2::Replace(&text, *pattern, Piece(TextOf(values[2])));
    }
    GiveText(context, text);
  });
}

template <typename T>
bool ReadWhole(std::string_view text, T* value) {
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && stop == text.data() + text.size();
}

void Refuse(sqlite3_context* context, sqlite3_value* value, std::string_view type) {
  GiveError(context, absl::StrCat("CAST: '", Excerpt(TextOf(value), 40), "' is no ", std::string(type),
                                  "; TRY_CAST gives NULL for such values"));
}

// Tag 1: what cannot be read becomes NULL.
void CastInteger(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    int64_t value = 0;
    switch (sqlite3_value_type(values[0])) {
      case SQLITE_INTEGER: return sqlite3_result_value(context, values[0]);
      case SQLITE_FLOAT: {
        const double real = sqlite3_value_double(values[0]);
        if (!(real >= -9223372036854775808.0 && real < 9223372036854775808.0)) {
          return GiveError(context, absl::StrCat("CAST: ", real, " does not fit in a 64-bit integer"));
        }
        return sqlite3_result_int64(context, static_cast<int64_t>(real));
      }
      default:
        if (ReadWhole(TextOf(values[0]), &value)) return sqlite3_result_int64(context, value);
        if (TagOf(context) == 0) Refuse(context, values[0], "integer");
    }
  });
}

void CastReal(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    if (sqlite3_value_type(values[0]) != SQLITE_TEXT) return sqlite3_result_double(context, sqlite3_value_double(values[0]));
    double value = 0;
    if (ReadWhole(TextOf(values[0]), &value)) return sqlite3_result_double(context, value);
    if (TagOf(context) == 0) Refuse(context, values[0], "number");
  });
}

void CastText(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    if (sqlite3_value_type(values[0]) != SQLITE_FLOAT) return GiveText(context, TextOf(values[0]));
    char buffer[32];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, sqlite3_value_double(values[0]));
    std::string text(buffer, error == std::errc() ? end : buffer);
    if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
    GiveText(context, text);
  });
}

void CastBooleanText(sqlite3_context* context, int count, sqlite3_value** values) {
  if (!AnyNull(count, values)) GiveText(context, sqlite3_value_int64(values[0]) != 0 ? "true" : "false");
}

void CastBoolean(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    if (sqlite3_value_type(values[0]) != SQLITE_TEXT) return sqlite3_result_int(context, sqlite3_value_double(values[0]) != 0);
    const std::string text = absl::AsciiStrToLower(std::string(TextOf(values[0])));
    for (const char* yes : {"true", "t", "yes", "y", "1"}) {
      if (text == yes) return sqlite3_result_int(context, 1);
    }
    for (const char* no : {"false", "f", "no", "n", "0"}) {
      if (text == no) return sqlite3_result_int(context, 0);
    }
    if (TagOf(context) == 0) Refuse(context, values[0], "boolean");
  });
}

absl::Status AddCaseFunction(sqlite3* db, const char* name, bool upper) {
  auto rules = std::make_unique<CaseRules>();
  rules->upper = upper;
  rules->locale.reset(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr));
  if (!rules->locale) return absl::FailedPreconditionError("the C library has no locale C.UTF-8");
  const int code =
      sqlite3_create_function_v2(db, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, rules.release(),
                                 ChangeCase, nullptr, nullptr, [](void* kept) { delete static_cast<CaseRules*>(kept); });
  return code == SQLITE_OK ? absl::OkStatus() : absl::InternalError(absl::StrCat("SQLite refused the function ", name));
}

}  // namespace

absl::Status AddTextFunctions(sqlite3* db) {
  static constexpr ScalarEntry kEntries[] = {
      {"left", 2, Side, 0},
      {"right", 2, Side, 1},
      {"lpad", 3, Pad, 0},
      {"rpad", 3, Pad, 1},
      {"repeat", 2, Repeat},
      {"reverse", 1, Reverse},
      {"strpos", 2, Find, kPosition},
      {"contains", 2, Find, kContains},
      {"starts_with", 2, Find, kStarts},
      {"ends_with", 2, Find, kEnds},
      {"split_part", 3, SplitPart},
      {"concat", -1, Concat, 0},
      {"concat_ws", -1, Concat, 1},
      {"levenshtein", 2, Levenshtein},
      {"regexp_matches", 2, RegexpMatches},
      {"regexp_extract", 2, RegexpExtract},
      {"regexp_extract", 3, RegexpExtract},
      {"regexp_replace", 3, RegexpReplace},
      {"regexp_replace", 4, RegexpReplace},
      {"cast_integer", 1, CastInteger, 0},
      {"try_cast_integer", 1, CastInteger, 1},
      {"cast_real", 1, CastReal, 0},
      {"try_cast_real", 1, CastReal, 1},
      {"cast_text", 1, CastText},
      {"cast_boolean_text", 1, CastBooleanText},
      {"cast_boolean", 1, CastBoolean, 0},
      {"try_cast_boolean", 1, CastBoolean, 1},
  };
  if (absl::Status status = AddCaseFunction(db, "lower", false); !status.ok()) return status;
  if (absl::Status status = AddCaseFunction(db, "upper", true); !status.ok()) return status;
  return AddScalars(db, kEntries);
}

}  // namespace conclave::guest
