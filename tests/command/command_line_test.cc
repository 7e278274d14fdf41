#include "tools/conclave/command_line.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/command/samples.h"

namespace conclave::cli {
namespace {

using Words = std::vector<std::string>;

std::string Refusal(const Words& arguments) {
  const absl::StatusOr<CommandLine> line = ParseCommandLine(arguments);
  return line.ok() ? "(accepted)" : std::string(line.status().message());
}

TEST(CommandLineTest, MistypedCommandIsAnsweredWithTheNearOne) {
  EXPECT_TRUE(Mentions(Refusal({"profiel", "a.csv"}), "did you mean conclave profile?"));
  EXPECT_TRUE(Mentions(Refusal({"help", "aks"}), "did you mean conclave ask?"));
}

TEST(CommandLineTest, FileInPlaceOfCommandIsExplained) {
  EXPECT_TRUE(Mentions(Refusal({"titanic.csv", "How many rows?"}), "conclave ask FILE"));
}

TEST(CommandLineTest, NothingAtAllIsExplained) { EXPECT_TRUE(Mentions(Refusal({}), "no command was given")); }

TEST(CommandLineTest, OptionBeforeTheCommandIsExplained) {
  EXPECT_TRUE(Mentions(Refusal({"--json", "ask", "a.csv", "q"}), "options come after the command"));
}

TEST(CommandLineTest, AnEmptyValueDoesNotTakeTheNextArgument) {
  EXPECT_TRUE(Mentions(Refusal({"ask", "--scope=", "a.csv", "b.csv", "How many rows?"}), "--scope: the value is empty"));
}

TEST(CommandLineTest, UnknownOptionIsNamedWithTheNearOne) {
  EXPECT_EQ(Refusal({"ask", "a.csv", "q", "--jsn"}), "--jsn: no such option of ask: did you mean --json?");
  EXPECT_TRUE(Mentions(Refusal({"ask", "a.csv", "q", "--memroy=1GB"}), "did you mean --memory?"));
  EXPECT_TRUE(Mentions(Refusal({"ask", "a.csv", "-z", "q"}), "-z: no such option of ask"));
  EXPECT_TRUE(Mentions(Refusal({"doctor", "--wall", "3s"}), "--wall: no such option of doctor"));
}

TEST(CommandLineTest, OptionWithoutItsValueIsNamed) {
  EXPECT_TRUE(Mentions(Refusal({"ask", "a.csv", "q", "--wall"}), "--wall"));
}

TEST(CommandLineTest, ValuesThatMakeNoSenseAreRefusedNamingTheOption) {
  EXPECT_TRUE(Refusal({"ask", "a.csv", "q", "--wall", "0s"}).starts_with("--wall: "));
  EXPECT_TRUE(Refusal({"ask", "a.csv", "q", "--cpu", "-1"}).starts_with("--cpu: "));
  EXPECT_TRUE(Refusal({"ask", "a.csv", "q", "--memory", ""}).starts_with("--memory: "));
  EXPECT_TRUE(Mentions(Refusal({"ask", "a.csv", "q", "--memory=1kB"}), "at least 16MB"));
  EXPECT_TRUE(Refusal({"ask", "a.csv", "q", "--deadline", "soon"}).starts_with("--deadline: "));
  EXPECT_TRUE(Refusal({"ask", "a.csv", "q", "--as-of", "2023-02-29"}).starts_with("--as-of: "));
  EXPECT_TRUE(Refusal({"ask", "a.csv", "q", "--as-of", "yesterday"}).starts_with("--as-of: "));
  EXPECT_TRUE(Refusal({"ask", "a.csv", "q", "--time-zone", "Mars/Olympus"}).starts_with("--time-zone: "));
  EXPECT_TRUE(Refusal({"ask", "a.csv", "q", "--seed", "-1"}).starts_with("--seed: "));
  EXPECT_TRUE(Refusal({"run", "a.csv", "--code", "-", "--language", "R"}).starts_with("--language: "));
  EXPECT_TRUE(Refusal({"ask", "a.csv", "q", "--store", "x", "--no-store"}).starts_with("--store and --no-store"));
}

TEST(CommandLineTest, RefusalsEscapeWhatWasTyped) {
  for (const Words& words :
       {Words{"\x1b[31m"}, Words{"ask", "a", "b", "--\x1b[31m"}, Words{"ask", "a", "b", "--wall", "\x1b]8;;x\x07"}}) {
    EXPECT_FALSE(Mentions(Refusal(words), "\x1b"));
  }
}

TEST(CommandLineTest, WordsKeepTheirOrderAndOptionsMayStandAnywhere) {
  const CommandLine line = ParseCommandLine({"ask", "--json", "a.csv", "--wall", "2s", "b.csv", "How many?", "-q"}).value();
  EXPECT_EQ(line.command, Command::kAsk);
  EXPECT_EQ(line.words, (Words{"a.csv", "b.csv", "How many?"}));
  EXPECT_TRUE(line.json);
  EXPECT_TRUE(line.quiet);
  EXPECT_EQ(line.context.run_limits().wall_ms(), 2000);
}

TEST(CommandLineTest, WordsAreTakenAsTheyAre) {
  const Words words = {"profile", "show", "[a,b]", "-", "{x}", "++", "%weird", "What is the mean of \"x\"?"};
  Words arguments = {"ask"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  const absl::StatusOr<CommandLine> line = ParseCommandLine(arguments);
  EXPECT_EQ(line.ok() ? line->words : Words{Refusal(arguments)}, words);
}

TEST(CommandLineTest, AfterTwoHyphensEverythingIsAWord) {
  const CommandLine line = ParseCommandLine({"ask", "--quiet", "--", "--json", "-x.csv", "--", "q"}).value();
  EXPECT_EQ(line.words, (Words{"--json", "-x.csv", "--", "q"}));
  EXPECT_FALSE(line.json);
}

TEST(CommandLineTest, EverySettingReachesTheJob) {
  const CommandLine line = ParseCommandLine({"run",
                                             "a.csv",
                                             "--code",
                                             "-",
                                             "--language=python",
                                             "--cpu",
                                             "3s",
                                             "--memory",
                                             "1GB",
                                             "--deadline",
                                             "1m",
                                             "--scope",
                                             "team",
                                             "--as-of",
                                             "2024-03-01",
                                             "--time-zone",
                                             "UTC",
                                             "--seed",
                                             "7",
                                             "--store",
                                             "/s",
                                             "--isolation",
                                             "1-3",
                                             "--python",
                                             "/p",
                                             "--guest-folder",
                                             "/g"})
                               .value();
  EXPECT_EQ(line.language, v1::PYTHON);
  EXPECT_EQ(line.code, "-");
  EXPECT_EQ(line.context.run_limits().cpu_ms(), 3000);
  EXPECT_EQ(line.context.run_limits().memory_bytes(), 1 << 30);
  EXPECT_EQ(line.context.deadline_ms(), 60'000);
  EXPECT_EQ(line.context.scope(), "team");
  EXPECT_EQ(line.context.as_of(), "2024-03-01");
  EXPECT_EQ(line.context.time_zone(), "UTC");
  EXPECT_EQ(line.context.seed(), 7u);
  EXPECT_EQ(line.store, "/s");
  EXPECT_EQ(line.isolation.required, 1);
  EXPECT_EQ(line.isolation.preferred, 3);
  EXPECT_EQ(line.python, "/p");
  EXPECT_EQ(line.guest_folder, "/g");
}

// A declined question is told to look there, where the documentation may not be installed.
TEST(CommandLineTest, HelpOfAskListsEveryFormOfQuestionThatIsDocumented) {
  const std::string help = ParseCommandLine({"ask", "--help"}).value().help;
  std::ifstream document(std::string(CONCLAVE_SOURCE_DIR) + "/docs/questions.md");
  size_t forms = 0;
  for (std::string line; std::getline(document, line);) {
    const size_t begin = line.find("| `");
    if (!line.starts_with("| ") || begin == std::string::npos) continue;
    const std::string example = line.substr(begin + 3, line.rfind("` |") - begin - 3);
    EXPECT_TRUE(Mentions(help, "  " + example + "\n")) << example;
    ++forms;
  }
  EXPECT_GE(forms, 20u);
}

TEST(CommandLineTest, EveryCommandHasAHelpPageWithExamples) {
  for (const char* command : {"ask", "profile", "run", "show", "doctor"}) {
    const CommandLine page = ParseCommandLine({command, "--help"}).value();
    EXPECT_EQ(page.command, Command::kHelp);
    EXPECT_TRUE(Mentions(page.help, std::string("Usage: conclave ") + command)) << page.help;
    EXPECT_TRUE(Mentions(page.help, "Example")) << page.help;
    EXPECT_TRUE(Mentions(page.help, "--json")) << page.help;
    EXPECT_FALSE(Mentions(page.help, "--guest-folder")) << page.help;
    EXPECT_EQ(ParseCommandLine({"help", command}).value().help, page.help);
  }
  EXPECT_TRUE(Mentions(ParseCommandLine({"--help"}).value().help, "Examples:"));
}

}  // namespace
}  // namespace conclave::cli
