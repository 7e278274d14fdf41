#include "lib/answer/date_reading.h"

#include <array>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "absl/time/civil_time.h"
#include "lib/answer/text_folding.h"
#include "lib/base/value_json.h"

namespace conclave {
namespace {

using Granularity = DateReading::Granularity;
constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;

int ToInt(std::string_view digits) {
  int value = 0;
  for (char c : digits) value = value * 10 + (c - '0');
  return value;
}

// Moves the instant `seconds` after the start of the day of `date`, which may lie on another day.
void AddSeconds(int64_t seconds, DateReading* date) {
  const absl::CivilSecond moved = absl::CivilSecond(date->year, date->part, date->day) + seconds;
  date->year = static_cast<int>(moved.year());
  date->part = moved.month();
  date->day = moved.day();
  date->nanoseconds += ((moved.hour() * 60 + moved.minute()) * 60 + moved.second()) * kNanosecondsPerSecond;
}

// `text` passed IsDateLexeme and has a time: "2024-03-01T10:00:00.25+01:00".
DateReading ReadTime(std::string_view text) {
  DateReading date{Granularity::kTime, ToInt(text.substr(0, 4)), ToInt(text.substr(5, 2)), ToInt(text.substr(8, 2)), 0};
  int64_t seconds = (ToInt(text.substr(11, 2)) * 60 + ToInt(text.substr(14, 2))) * 60 + ToInt(text.substr(17, 2));
  std::string_view rest = text.substr(19);
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    int64_t unit = kNanosecondsPerSecond;
    while (!rest.empty() && absl::ascii_isdigit(static_cast<unsigned char>(rest[0]))) {
      unit /= 10;
      date.nanoseconds += unit * (rest[0] - '0');
      rest.remove_prefix(1);
    }
  }
  if (!rest.empty()) {
    date.granularity = Granularity::kInstant;
    if (rest != "Z") {
      const int offset = (ToInt(rest.substr(1, 2)) * 60 + ToInt(rest.substr(4, 2))) * 60;
      seconds += rest[0] == '-' ? offset : -offset;
    }
  }
  AddSeconds(seconds, &date);
  if (date.granularity == Granularity::kTime && date.nanoseconds == 0) date.granularity = Granularity::kDay;
  return date;
}

std::optional<DateReading> ReadIso(const std::string& text) {
  std::string iso = text;
  if (iso.size() > 10 && iso[10] == ' ') iso[10] = 'T';  // SQL engines and pandas print a space
  if (!IsDateLexeme(iso)) return std::nullopt;
  const std::string_view view = iso;
  const int year = ToInt(view.substr(0, 4));
  if (view.size() == 4) return DateReading{Granularity::kYear, year, 0, 0, 0};
  if (view[5] == 'Q') return DateReading{Granularity::kQuarter, year, view[6] - '0', 0, 0};
  if (view[5] == 'W') return DateReading{Granularity::kWeek, year, ToInt(view.substr(6)), 0, 0};
  if (view.size() == 7) return DateReading{Granularity::kMonth, year, ToInt(view.substr(5)), 0, 0};
  if (view.size() == 10) return DateReading{Granularity::kDay, year, ToInt(view.substr(5, 2)), ToInt(view.substr(8)), 0};
  return ReadTime(view);
}

std::optional<int> ReadMonthName(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kMonths = {
      "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"};
  for (size_t i = 0; i < kMonths.size(); ++i) {
    if (word == kMonths[i] || (word.size() == 3 && kMonths[i].starts_with(word)) || (word == "sept" && i == 8)) {
      return static_cast<int>(i) + 1;
    }
  }
  return std::nullopt;
}

// A number of at most `digits` digits, an ordinal ("1st") where `ordinal`; -1 for other words.
int ReadPart(std::string_view word, size_t digits, bool ordinal) {
  if (ordinal && word.size() > 2) {
    const std::string_view ending = word.substr(word.size() - 2);
    if (ending == "st" || ending == "nd" || ending == "rd" || ending == "th") word.remove_suffix(2);
  }
  if (word.empty() || word.size() > digits) return -1;
  for (char c : word) {
    if (c < '0' || c > '9') return -1;
  }
  return ToInt(word);
}

std::optional<DateReading> Day(int year, int month, int day) {
  if (!IsDateLexeme(absl::StrFormat("%04d-%02d-%02d", year, month, day))) return std::nullopt;
  return DateReading{Granularity::kDay, year, month, day, 0};
}

int ReadYear(std::string_view word) { return word.size() == 4 ? ReadPart(word, 4, false) : -1; }

// "march 1 2024", "1 march 2024", "march 2024", "q1 2024".
std::optional<DateReading> ReadWords(const std::vector<std::string>& words) {
  if (words.size() < 2 || words.size() > 3) return std::nullopt;
  const int year = ReadYear(words.back());
  if (year < 1) return std::nullopt;
  const std::optional<int> month = ReadMonthName(words[0]);
  if (words.size() == 2) {
    if (month) return DateReading{Granularity::kMonth, year, *month, 0, 0};
    if (words[0].size() == 2 && words[0][0] == 'q' && words[0][1] >= '1' && words[0][1] <= '4') {
      return DateReading{Granularity::kQuarter, year, words[0][1] - '0', 0, 0};
    }
    return std::nullopt;
  }
  if (month) return Day(year, *month, ReadPart(words[1], 2, true));
  const std::optional<int> second = ReadMonthName(words[1]);
  if (second) return Day(year, *second, ReadPart(words[0], 2, true));
  return std::nullopt;
}

// "01/03/2024", "1.3.2024", "13-1-2024".
std::optional<DateReading> ReadNumeric(const std::string& text, std::optional<bool> day_first) {
  const size_t first = text.find_first_of("/.-");
  if (first == std::string::npos) return std::nullopt;
  const size_t second = text.find(text[first], first + 1);
  if (second == std::string::npos) return std::nullopt;
  const int a = ReadPart(std::string_view(text).substr(0, first), 2, false);
  const int b = ReadPart(std::string_view(text).substr(first + 1, second - first - 1), 2, false);
  const int year = ReadYear(std::string_view(text).substr(second + 1));
  if (a < 1 || b < 1 || year < 1) return std::nullopt;
  if (a > 12 || (b <= 12 && (a == b || day_first == true))) return Day(year, b, a);
  if (b > 12 || day_first == false) return Day(year, a, b);
  return std::nullopt;
}

std::vector<std::string> DateWords(const std::string& text) {
  std::vector<std::string> words(1);
  for (char c : text) {
    if (c == ' ' || c == ',') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back().push_back(c);
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// The period of `frequency` that `date` is the first or last day of.
std::optional<DateReading> PeriodOf(const DateReading& date, char frequency) {
  const absl::CivilDay day(date.year, date.part, date.day);
  const absl::CivilDay next = day + 1;
  const int quarter = (day.month() - 1) / 3 + 1;
  const bool month_edge = day.day() == 1 || next.day() == 1;
  switch (frequency) {
    case 'Y':
    case 'A':
      if ((day.month() == 1 && day.day() == 1) || (next.month() == 1 && next.day() == 1)) {
        return DateReading{Granularity::kYear, date.year, 0, 0, 0};
      }
      return std::nullopt;
    case 'Q': {
      const bool first = day.day() == 1 && (day.month() - 1) % 3 == 0;
      const bool last = next.day() == 1 && (next.month() - 1) % 3 == 0;
      if (first || last) return DateReading{Granularity::kQuarter, date.year, quarter, 0, 0};
      return std::nullopt;
    }
    case 'M':
      if (month_edge) return DateReading{Granularity::kMonth, date.year, day.month(), 0, 0};
      return std::nullopt;
    case 'W': {
      const absl::Weekday weekday = absl::GetWeekday(day);
      if (weekday != absl::Weekday::monday && weekday != absl::Weekday::sunday) return std::nullopt;
      const absl::CivilDay thursday =
          weekday == absl::Weekday::monday ? day + 3 : day - 3;  // the ISO year and week are those of the Thursday
      return DateReading{Granularity::kWeek, static_cast<int>(thursday.year()), (absl::GetYearDay(thursday) - 1) / 7 + 1, 0, 0};
    }
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<DateReading> ReadDate(std::string_view text, std::optional<bool> day_first) {
  if (text.size() < 4 || text.size() > 64) return std::nullopt;
  const std::string trimmed = TrimText(text);
  if (std::optional<DateReading> iso = ReadIso(trimmed)) return iso;
  if (std::optional<DateReading> numeric = ReadNumeric(trimmed, day_first)) return numeric;
  return ReadWords(DateWords(absl::AsciiStrToLower(trimmed)));
}

DateReading DateFromUnixSeconds(int64_t seconds) {
  DateReading date{Granularity::kInstant, 1970, 1, 1, 0};
  AddSeconds(seconds, &date);
  return date;
}

std::string CanonicalDate(const DateReading& date, std::string_view frequency) {
  switch (date.granularity) {
    case Granularity::kYear: return absl::StrFormat("%04d", date.year);
    case Granularity::kQuarter: return absl::StrFormat("%04d-Q%d", date.year, date.part);
    case Granularity::kMonth: return absl::StrFormat("%04d-%02d", date.year, date.part);
    case Granularity::kWeek: return absl::StrFormat("%04d-W%02d", date.year, date.part);
    case Granularity::kDay: {
      if (!frequency.empty()) {
        if (std::optional<DateReading> period = PeriodOf(date, frequency[0])) return CanonicalDate(*period, "");
      }
      return absl::StrFormat("%04d-%02d-%02d", date.year, date.part, date.day);
    }
    case Granularity::kTime:
    case Granularity::kInstant: break;
  }
  const bool instant = date.granularity == Granularity::kInstant;
  return absl::StrFormat("%04d-%02d-%02dT%d%s", date.year, date.part, date.day, date.nanoseconds, instant ? "Z" : "");
}

std::optional<int> ReadWeekday(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kDays = {"monday", "tuesday",  "wednesday", "thursday",
                                                            "friday", "saturday", "sunday"};
  const std::string folded = FoldText(text);
  for (size_t i = 0; i < kDays.size(); ++i) {
    if (folded == kDays[i] || (folded.size() >= 3 && folded.size() <= 5 && kDays[i].starts_with(folded))) {
      return static_cast<int>(i);
    }
  }
  return std::nullopt;
}

}  // namespace conclave
