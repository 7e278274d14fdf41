#include <gtest/gtest.h>

#include "tests/command/samples.h"
#include "tests/command/stage.h"
#include "tools/conclave/view/layout.h"
#include "tools/conclave/view/progress_table.h"

namespace conclave::cli {
namespace {

v1::Event MakeEvent(const std::string& persona, const std::string& phase, const std::string& state, int64_t elapsed_us) {
  v1::Event event;
  event.set_persona(persona);
  event.set_phase(phase);
  event.set_state(state);
  event.set_elapsed_us(elapsed_us);
  return event;
}

TEST(ProgressTest, LinesElsewhereATableOnATerminalNothingWhenQuiet) {
  Stage stage;
  const std::string file = stage.folder.Write("a.csv", "a\n");
  stage.script.insight = SupportedInsight();
  stage.script.events = {MakeEvent("", "read", "started", 0), MakeEvent("offline-sql", "run", "finished", 310'000)};
  (*stage.script.events[1].mutable_numbers())["memory_peak_bytes"] = 4 << 20;
  EXPECT_EQ(stage.Run({"ask", file, "q"}), kAnswered);
  EXPECT_EQ(stage.err, "0 ms  read started\n310 ms  offline-sql  run finished, 4 MB\n");

  EXPECT_EQ(stage.Run({"ask", file, "q", "--quiet"}), kAnswered);
  EXPECT_EQ(stage.err, "");

  stage.error_view = {true, 80};
  EXPECT_EQ(stage.Run({"ask", file, "q"}), kAnswered);
  EXPECT_TRUE(Mentions(stage.err, "offline-sql"));
  EXPECT_TRUE(stage.err.ends_with("\x1b[2A\x1b[J")) << "the table stays on the terminal";
  EXPECT_FALSE(Mentions(stage.out, "\x1b")) << "standard output is no terminal";
}

TEST(ProgressTest, TableKeepsOneLinePerPersonaAndItsClockRunning) {
  ProgressTable table;
  table.Observe(MakeEvent("", "run", "started", 0));
  table.Observe(MakeEvent("offline-sql", "draft", "finished", 1'000));
  table.Observe(MakeEvent("offline-sql", "run", "started", 100'000));
  EXPECT_EQ(table.Render(2'100'000, {}),
            "             run      started      2.1 s\n"
            "offline-sql  run      started        2 s\n");
  table.Observe(MakeEvent("offline-sql", "run", "finished", 1'100'000));
  EXPECT_TRUE(Mentions(table.Render(9'000'000, {}), "offline-sql  run      finished       1 s\n"));
}

TEST(ProgressTest, AWaitForRoomIsShownAndReadingGoesOnAfterIt) {
  ProgressTable table;
  table.Observe(MakeEvent("", "read", "started", 0));
  v1::Event waiting = MakeEvent("", "queue", "waiting", 100'000);
  waiting.set_message("short of memory, place 3 of 12");
  table.Observe(waiting);
  EXPECT_EQ(table.Render(2'100'000, {}), "queue    waiting        2 s            short of memory, place 3 of 12\n");
  EXPECT_TRUE(Mentions(ProgressLine(waiting), "queue waiting, short of memory, place 3 of 12\n"));
  table.Observe(MakeEvent("", "queue", "finished", 2'200'000));
  EXPECT_EQ(table.Render(3'200'000, {}), "read     started        1 s\n");
}

TEST(ProgressTest, NoLineIsWiderThanTheTerminalAndTheTableStaysSmall) {
  ProgressTable table;
  for (int i = 0; i < 100; ++i) {
    v1::Event event = MakeEvent("persona-" + std::to_string(i), "run", "failed", 0);
    event.set_message(std::string(500, 'x'));
    table.Observe(event);
  }
  const std::string text = table.Render(0, {false, 40});
  size_t lines = 0;
  for (size_t start = 0; start < text.size(); start = text.find('\n', start) + 1, ++lines) {
    EXPECT_LT(DisplayWidth(text.substr(start, text.find('\n', start) - start)), 40u);
  }
  EXPECT_LE(lines, 20u);
}

}  // namespace
}  // namespace conclave::cli
