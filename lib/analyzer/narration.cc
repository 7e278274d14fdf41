#include "lib/analyzer/narration.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "conclave/persona.h"
#include "lib/answer/display.h"

namespace conclave {
namespace {

// "mean of fare." -> "Mean of fare"
std::string Subject(std::string_view reading) {
  std::string subject(reading);
  while (!subject.empty() && (subject.back() == '.' || subject.back() == ' ')) subject.pop_back();
  if (subject.empty()) return subject;
  subject[0] = absl::ascii_toupper(static_cast<unsigned char>(subject[0]));
  return subject;
}

std::string Told(const std::string& subject, std::string_view value) {
  if (subject.empty()) return absl::StrCat("The answer is ", std::string(value), ".");
  return absl::StrCat(subject, ": ", std::string(value), ".");
}

bool IsZero(const v1::Value& value) {
  const std::string& number = value.has_integer() ? value.integer() : value.number();
  return !number.empty() && number.find_first_not_of("-0.") == std::string::npos;
}

// The runs of digits in `text`, with the points and commas between them.
std::vector<std::string_view> NumbersIn(std::string_view text) {
  std::vector<std::string_view> numbers;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(text[at]))) continue;
    size_t end = at;
    while (end < text.size() && (absl::ascii_isdigit(static_cast<unsigned char>(text[end])) ||
                                 ((text[end] == '.' || text[end] == ',') && end + 1 < text.size() &&
                                  absl::ascii_isdigit(static_cast<unsigned char>(text[end + 1]))))) {
      ++end;
    }
    numbers.push_back(text.substr(at, end - at));
    at = end;
  }
  return numbers;
}

}  // namespace

std::string ReadingToTell(const v1::Program& program, std::string_view question) {
  if (program.lineage() == kOfflineLineage) return program.reading();
  const std::vector<std::string_view> asked = NumbersIn(question);
  for (const std::string_view number : NumbersIn(program.reading())) {
    if (std::find(asked.begin(), asked.end(), number) == asked.end()) {
      const size_t end = question.find_last_not_of(" ?.!");
      return std::string(question.substr(0, end + 1));
    }
  }
  return program.reading();
}

std::string Narrate(std::string_view reading, const v1::Answer& answer, std::string_view when_none,
                    std::string_view when_zero) {
  const std::string subject = Subject(reading);
  switch (answer.kind()) {
    case v1::NUMBER:
    case v1::INTEGER:
      if (!when_zero.empty() && IsZero(answer.value()))
        return Told(subject, absl::StrCat(DisplayAnswer(answer), ", because ", std::string(when_zero)));
      return Told(subject, DisplayAnswer(answer));
    case v1::BOOLEAN:
    case v1::TEXT:
    case v1::DATE: return Told(subject, DisplayAnswer(answer));
    case v1::LIST:
    case v1::MAP:
    case v1::TABLE: return subject.empty() ? "The answer:" : subject + ":";
    case v1::EMPTY:
      return Told(subject,
                  when_none.empty() ? "nothing in the data fits" : absl::StrCat("nothing, because ", std::string(when_none)));
    case v1::UNDEFINED:
      return Told(subject, when_none.empty()
                               ? "undefined: there are no values to compute it from, or it is beyond the range of numbers"
                               : absl::StrCat("undefined, because ", std::string(when_none)));
    default: return "";
  }
}

}  // namespace conclave
