#include <sys/stat.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/proto_json.h"
#include "lib/base/text.h"
#include "tools/conclave/commands.h"
#include "tools/conclave/progress.h"
#include "tools/conclave/session.h"
#include "tools/conclave/units.h"
#include "tools/conclave/view/insight.h"

namespace conclave::cli {
namespace {

constexpr size_t kQuestionBytes = 4000;

absl::Status WrongWords(const std::string& message) { return absl::InvalidArgumentError(message); }

std::string Quoted(const std::string& text) { return absl::StrCat("\"", Excerpt(text, 80), "\""); }

bool Exists(const std::string& path) {
  struct stat found;
  return ::stat(path.c_str(), &found) == 0;
}

// A word that reads as part of a question rather than as the name of a file.
bool IsStrayWord(const std::string& word) {
  return word != "-" && word.find_first_of("./") == std::string::npos && !Exists(word);
}

// What is wrong with the order or number of the words, if anything.
absl::Status CheckWords(const std::vector<std::string>& words) {
  if (words.empty()) return WrongWords("no file and no question were given: write conclave ask FILE \"QUESTION\"");
  const std::string& last = words.back();
  if (words.size() == 1) {
    if (last == "-" || Exists(last)) {
      return WrongWords(absl::StrFormat("the question is missing: write conclave ask %s \"QUESTION\"", Excerpt(last, 80)));
    }
    return WrongWords(absl::StrFormat("%s: this is taken as the question, and no file was given: write conclave ask FILE %s",
                                      Quoted(last), Quoted(last)));
  }
  if (last == "-" || Exists(last)) {
    const bool question_first = words.front() != "-" && !Exists(words.front());
    return WrongWords(absl::StrFormat("%s: this is a file, and the last argument is the question: write conclave ask %s %s",
                                      Quoted(last), Excerpt(last, 80),
                                      question_first ? Quoted(words.front()) : "\"QUESTION\""));
  }
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    if (!IsStrayWord(words[i]) || IsStrayWord(words[i - 1])) continue;
    const std::string question = absl::StrJoin(words.begin() + static_cast<std::ptrdiff_t>(i), words.end(), " ");
    return WrongWords(absl::StrFormat("%s: no such file: put a question of several words in quotes: conclave ask %s %s",
                                      Quoted(words[i]), Excerpt(words[i - 1], 80), Quoted(question)));
  }
  return absl::OkStatus();
}

absl::Status CheckQuestion(const std::string& question) {
  if (question.size() > kQuestionBytes) {
    return WrongWords(absl::StrFormat("the question is %s bytes long: at most %s are read: ask something shorter",
                                      ShowCount(static_cast<int64_t>(question.size())), ShowCount(kQuestionBytes)));
  }
  if (!IsValidUtf8(question)) {
    return WrongWords(
        absl::StrFormat("the question %s is not valid UTF-8: check the encoding of the terminal or script", Quoted(question)));
  }
  if (question.find_first_not_of(" \t\r\n") == std::string::npos) {
    return WrongWords("the question is empty: ask something, such as \"How many rows are there?\"");
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::Insight> Answer(const v1::AnalysisJob& job, const CommandLine& line, const Surroundings& surroundings) {
  bool kept = false;
  absl::StatusOr<std::unique_ptr<Engine>> engine = CreateEngine(line, surroundings, StoreNeed::kOptional, &kept);
  if (!engine.ok()) return engine.status();
  Progress progress(surroundings, line.quiet);
  absl::StatusOr<v1::Insight> insight = (*engine)->Analyze(job, surroundings.cancellation, progress.Sink());
  if (insight.ok() && !kept) insight->clear_id();  // nobody can ask for it again
  return insight;
}

}  // namespace

ExitCode Ask(const CommandLine& line, const Surroundings& surroundings) {
  absl::Status status = CheckWords(line.words);
  if (status.ok()) status = CheckQuestion(line.words.back());
  if (!status.ok()) return FailUsage(surroundings, std::string(status.message()));
  const absl::StatusOr<Input> input = OpenInput({line.words.begin(), line.words.end() - 1}, surroundings);
  if (!input.ok()) return Fail(surroundings, input.status());
  v1::AnalysisJob job;
  job.set_question(line.words.back());
  job.mutable_datasets()->Assign(input->sources().begin(), input->sources().end());
  *job.mutable_context() = line.context;
  // The engine is gone, and with it everything temporary, before anything is printed: a reader may take its time.
  const absl::StatusOr<v1::Insight> insight = Answer(job, line, surroundings);
  if (!insight.ok()) return Fail(surroundings, insight.status());
  const ExitCode code = ExitCodeOf(insight->outcome());
  if (line.json) return PrintJson(surroundings, MessageToJsonValue(*insight), code);
  const bool answer_alone = line.quiet && code == kAnswered;
  const auto render = answer_alone ? RenderAnswerAlone : RenderInsight;
  return Print(surroundings, render(*insight, surroundings.result_view), code);
}

}  // namespace conclave::cli
