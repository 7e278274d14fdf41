#include "tools/conclave/command_line.h"

#include <CLI/CLI.hpp>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "lib/base/text.h"
#include "tools/conclave/help.h"
#include "tools/conclave/near_word.h"
#include "tools/conclave/units.h"

namespace conclave::cli {
namespace {

struct Entry {
  Command command;
  const CommandHelp* help;
};

constexpr std::array<Entry, 5> kCommands = {{{Command::kAsk, &kAskHelp},
                                             {Command::kProfile, &kProfileHelp},
                                             {Command::kRun, &kRunHelp},
                                             {Command::kShow, &kShowHelp},
                                             {Command::kDoctor, &kDoctorHelp}}};

absl::Status Misuse(const std::string& message) { return absl::InvalidArgumentError(message); }

// The values as typed, before they are understood.
struct Raw {
  std::optional<std::string> language, wall, cpu, memory, deadline, isolation, as_of, time_zone, seed;
};

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(const CommandHelp& help) : help_(help) { column_width(24); }
  std::string make_usage(const CLI::App*, std::string) const override {
    return absl::StrCat("\nUsage: conclave ", std::string(help_.name), " ", std::string(help_.usage), "\n");
  }
  std::string make_footer(const CLI::App*) const override { return absl::StrCat(std::string(help_.details), "\n"); }

 private:
  const CommandHelp& help_;
};

template <typename Target>
void AddText(CLI::App& app, const char* flag, Target& target, const char* type, const char* meaning) {
  app.add_option(flag, target, meaning)->type_name(type)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void AddPlaceOptions(CLI::App& app, CommandLine& line) {
  AddText(app, "--guest-folder", line.guest_folder, "FOLDER", "where the guest programs are");
  app.get_option("--guest-folder")->group("");
  AddText(app, "--python", line.python, "PATH", "the Python interpreter to use");
}

void AddIsolationOption(CLI::App& app, Raw& raw) {
  AddText(app, "--isolation", raw.isolation, "LEVELS", "how strongly runs are isolated, such as 2, or 1-3 (1-2)");
}

void AddStoreOptions(CLI::App& app, CommandLine& line) {
  AddText(app, "--store", line.store, "FOLDER", "keep what was read and answered here");
  AddText(app, "--scope", *line.context.mutable_scope(), "NAME", "keep it apart from what other scopes stored");
}

void AddJobOptions(CLI::App& app, CommandLine& line, Raw& raw) {
  AddStoreOptions(app, line);
  app.add_flag("--no-store", line.no_store, "keep nothing after the end");
  AddPlaceOptions(app, line);
  AddText(app, "--wall", raw.wall, "DURATION", "wall-clock limit of each run (60s)");
  AddText(app, "--cpu", raw.cpu, "DURATION", "CPU limit of each run (30s)");
  AddText(app, "--memory", raw.memory, "SIZE", "memory limit of each run (512MB)");
  AddText(app, "--deadline", raw.deadline, "DURATION", "limit of the whole command (5m)");
  AddIsolationOption(app, raw);
}

void AddMeaningOptions(CLI::App& app, Raw& raw) {
  AddText(app, "--as-of", raw.as_of, "DATE", "the date taken as today, such as 2024-03-01");
  AddText(app, "--time-zone", raw.time_zone, "ZONE", "time zone of the answer, such as Europe/Berlin (UTC)");
  AddText(app, "--seed", raw.seed, "NUMBER", "seed of everything random (0)");
}

std::string_view QuietMeaning(Command command) {
  return command == Command::kProfile ? "no progress" : "no progress, and nothing but the answer where there is one";
}

void AddOptions(CLI::App& app, CommandLine& line, Raw& raw) {
  app.set_help_flag("-h,--help", "this page");
  app.add_flag("--json", line.json, "print one JSON document instead of text");
  if (line.command == Command::kDoctor) {
    AddPlaceOptions(app, line);
    return AddIsolationOption(app, raw);
  }
  app.add_flag("-q,--quiet", line.quiet, std::string(QuietMeaning(line.command)));
  if (line.command == Command::kShow) return AddStoreOptions(app, line);
  if (line.command == Command::kRun) {
    AddText(app, "--code", line.code, "CODE", "the program: a file, or - for standard input");
    AddText(app, "--language", raw.language, "NAME", "sql or python; default: by the name of the file");
  }
  AddJobOptions(app, line, raw);
  if (line.command != Command::kProfile) AddMeaningOptions(app, raw);
}

absl::Status ReadMeaning(const Raw& raw, v1::JobContext& context) {
  if (raw.as_of) {
    absl::CivilDay day;
    if (!absl::ParseCivilTime(*raw.as_of, &day) || absl::FormatCivilTime(day) != *raw.as_of) {
      return Misuse(absl::StrFormat("--as-of: \"%s\" is not a date: give one such as 2024-03-01", Excerpt(*raw.as_of, 40)));
    }
    context.set_as_of(*raw.as_of);
  }
  if (raw.time_zone) {
    absl::TimeZone zone;
    if (!absl::LoadTimeZone(*raw.time_zone, &zone)) {
      return Misuse(
          absl::StrFormat("--time-zone: \"%s\" is not a time zone this machine knows: give a name such as Europe/Berlin "
                          "(the names come with the package tzdata), or UTC",
                          Excerpt(*raw.time_zone, 40)));
    }
    context.set_time_zone(*raw.time_zone);
  }
  if (raw.seed) {
    uint64_t seed = 0;
    if (!absl::SimpleAtoi(*raw.seed, &seed)) {
      return Misuse(absl::StrFormat("--seed: \"%s\" is not a seed: give a whole number from 0 to %u", Excerpt(*raw.seed, 40),
                                    std::numeric_limits<uint64_t>::max()));
    }
    context.set_seed(seed);
  }
  return absl::OkStatus();
}

absl::Status ReadLimits(const Raw& raw, v1::JobContext& context) {
  v1::Limits& limits = *context.mutable_run_limits();
  const auto read = [](const char* name, const std::optional<std::string>& text, auto parse, auto set) -> absl::Status {
    if (!text) return absl::OkStatus();
    absl::StatusOr<int64_t> value = parse(name, *text);
    if (value.ok()) set(*value);
    return value.status();
  };
  absl::Status status = read("--wall", raw.wall, ParseMilliseconds, [&](int64_t v) { limits.set_wall_ms(v); });
  status.Update(read("--cpu", raw.cpu, ParseMilliseconds, [&](int64_t v) { limits.set_cpu_ms(v); }));
  status.Update(read("--memory", raw.memory, ParseMemory, [&](int64_t v) { limits.set_memory_bytes(v); }));
  status.Update(read("--deadline", raw.deadline, ParseMilliseconds, [&](int64_t v) { context.set_deadline_ms(v); }));
  return status;
}

absl::Status ReadLanguage(const Raw& raw, CommandLine& line) {
  if (!raw.language) return absl::OkStatus();
  if (*raw.language == "sql") {
    line.language = v1::SQL;
  } else if (*raw.language == "python") {
    line.language = v1::PYTHON;
  } else {
    return Misuse(absl::StrFormat("--language: \"%s\" is not a language: give sql or python", Excerpt(*raw.language, 40)));
  }
  return absl::OkStatus();
}

absl::Status ReadIsolation(const Raw& raw, CommandLine& line) {
  if (!raw.isolation) return absl::OkStatus();
  absl::StatusOr<Isolation> isolation = ParseIsolation("--isolation", *raw.isolation);
  if (isolation.ok()) line.isolation = *isolation;
  return isolation.status();
}

// What is left over are the words, in order; before a "--" whatever looks like an option is a mistake.
absl::Status ReadWords(const CLI::App& app, std::string_view command, CommandLine& line) {
  bool words_only = false;
  for (const std::string& word : app.remaining()) {
    if (!words_only && word == "--") {
      words_only = true;
    } else if (!words_only && word.size() > 1 && word.front() == '-') {
      std::vector<std::string> known;
      for (const CLI::Option* option : app.get_options()) known.push_back(absl::StrCat("--", option->get_lnames().front()));
      const std::optional<std::string> near = NearWord(word.substr(0, word.find('=')), known);
      return Misuse(absl::StrFormat("%s: no such option of %s: %s", Excerpt(word, 60), std::string(command),
                                    near ? absl::StrCat("did you mean ", *near, "?")
                                         : absl::StrFormat("conclave %s --help lists them (a file or question that starts with "
                                                           "- goes after --)",
                                                           std::string(command))));
    } else {
      line.words.push_back(word);
    }
  }
  return absl::OkStatus();
}

// "--scope=" comes of a variable that is not set; the parser would take the next argument for its value.
absl::Status CheckValues(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument.size() > 3 && absl::StartsWith(argument, "--") && argument.find('=') == argument.size() - 1) {
      return Misuse(absl::StrFormat("%s: the value is empty: give one, or leave the option out",
                                    Excerpt(argument.substr(0, argument.size() - 1), 40)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<CommandLine> ParseCommand(const Entry& entry, const std::vector<std::string>& arguments) {
  CommandLine line;
  line.command = entry.command;
  Raw raw;
  const CommandHelp& help = *entry.help;
  CLI::App app{std::string(help.purpose), absl::StrCat("conclave ", std::string(help.name))};
  app.formatter(std::make_shared<HelpFormatter>(help));
  app.allow_extras();
  AddOptions(app, line, raw);
  if (absl::Status status = CheckValues(arguments); !status.ok()) return status;
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend() - 1));
  } catch (const CLI::CallForHelp&) {
    line.command = Command::kHelp;
    line.help = app.help();
    return line;
  } catch (const CLI::Error& error) {
    return Misuse(absl::StrFormat("%s: conclave %s --help tells how", Excerpt(error.what(), 200), std::string(help.name)));
  }
  absl::Status status = ReadWords(app, help.name, line);
  status.Update(ReadLanguage(raw, line));
  status.Update(ReadLimits(raw, line.context));
  status.Update(ReadIsolation(raw, line));
  status.Update(ReadMeaning(raw, line.context));
  if (line.no_store && !line.store.empty()) {
    status.Update(Misuse("--store and --no-store: both were given: leave one of them out"));
  }
  if (!status.ok()) return status;
  return line;
}

absl::Status UnknownCommand(const std::string& word, const std::vector<std::string>& names) {
  const std::optional<std::string> near = NearWord(word, names);
  return Misuse(absl::StrFormat("\"%s\": no such command: %s", Excerpt(word, 60),
                                near ? absl::StrCat("did you mean conclave ", *near, "?")
                                     : "to ask about a file, write conclave ask FILE \"QUESTION\"; conclave --help lists all"));
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments) {
  CommandLine line;
  line.help = std::string(kOverview);
  if (arguments.empty()) {
    return Misuse("no command was given: write conclave ask FILE \"QUESTION\", or conclave --help for all commands");
  }
  std::vector<std::string> names;
  for (const Entry& entry : kCommands) names.emplace_back(entry.help->name);
  std::string word = arguments.front();
  if (word == "--version" || word == "-V") {
    line.command = Command::kVersion;
    return line;
  }
  if (word == "--help" || word == "-h" || word == "help") {
    if (word != "help" || arguments.size() < 2) return line;
    word = arguments[1];  // "conclave help ask"
    for (const Entry& entry : kCommands) {
      if (entry.help->name == word) return ParseCommand(entry, {word, "--help"});
    }
    return UnknownCommand(word, names);
  }
  for (const Entry& entry : kCommands) {
    if (entry.help->name == word) return ParseCommand(entry, arguments);
  }
  if (word.size() > 1 && word.front() == '-') {
    return Misuse(absl::StrFormat("%s: options come after the command: conclave ask %s FILE \"QUESTION\"", Excerpt(word, 60),
                                  Excerpt(word, 60)));
  }
  return UnknownCommand(word, names);
}

}  // namespace conclave::cli
