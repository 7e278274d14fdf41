#include "lib/analyzer/narration.h"

#include <cctype>

#include "absl/strings/str_cat.h"
#include "lib/answer/display.h"

namespace conclave {
namespace {

// "mean of fare." -> "Mean of fare"
std::string Subject(std::string_view reading) {
  std::string subject(reading);
  while (!subject.empty() && (subject.back() == '.' || subject.back() == ' ')) subject.pop_back();
  if (subject.empty()) return subject;
  subject[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(subject[0])));
  return subject;
}

std::string Told(const std::string& subject, std::string_view value) {
  if (subject.empty()) return absl::StrCat("The answer is ", std::string(value), ".");
  return absl::StrCat(subject, ": ", std::string(value), ".");
}

}  // namespace

std::string Narrate(std::string_view reading, const v1::Answer& answer) {
  const std::string subject = Subject(reading);
  switch (answer.kind()) {
    case v1::NUMBER:
    case v1::INTEGER:
    case v1::BOOLEAN:
    case v1::TEXT:
    case v1::DATE: return Told(subject, DisplayAnswer(answer));
    case v1::LIST:
    case v1::MAP:
    case v1::TABLE: return subject.empty() ? "The answer:" : subject + ":";
    case v1::EMPTY: return Told(subject, "nothing in the data fits");
    case v1::UNDEFINED:
      return Told(subject, "undefined: there are no values to compute it from, or it is beyond the range of numbers");
    default: return "";
  }
}

}  // namespace conclave
