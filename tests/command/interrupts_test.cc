#include "tools/conclave/interrupts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace conclave::cli {
namespace {

using Handler = void (*)(int);

Handler HandlerOf(int number) {
  struct sigaction action = {};
  EXPECT_EQ(::sigaction(number, nullptr, &action), 0);
  return action.sa_handler;
}

TEST(InterruptsTest, EachEndingSignalCancelsHoweverOften) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const CancellationSource source;
    const Interrupts interrupts(source);
    EXPECT_FALSE(source.token().cancelled());
    for (int i = 0; i < 3; ++i) ASSERT_EQ(::raise(number), 0);
    EXPECT_TRUE(source.token().cancelled());
  }
}

TEST(InterruptsTest, BrokenPipeIsAnErrorOfTheWriteHereAndNowhereElse) {
  const CancellationSource source;
  const Interrupts interrupts(source);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_EQ(::write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  ::close(ends[1]);
  // An ignored signal would stay ignored in programs started from here; a handled one does not.
  EXPECT_NE(HandlerOf(SIGPIPE), SIG_IGN);
  EXPECT_FALSE(source.token().cancelled());
}

TEST(InterruptsTest, IgnoredSignalsStayIgnored) {
  const Handler former = ::signal(SIGHUP, SIG_IGN);
  {
    const CancellationSource source;
    const Interrupts interrupts(source);
    ASSERT_EQ(::raise(SIGHUP), 0);
    EXPECT_FALSE(source.token().cancelled());
  }
  EXPECT_EQ(HandlerOf(SIGHUP), SIG_IGN);
  ::signal(SIGHUP, former);
}

TEST(InterruptsTest, FormerActionsComeBack) {
  const Handler former = HandlerOf(SIGINT);
  {
    const CancellationSource source;
    const Interrupts interrupts(source);
    EXPECT_NE(HandlerOf(SIGINT), former);
  }
  EXPECT_EQ(HandlerOf(SIGINT), former);
}

}  // namespace
}  // namespace conclave::cli
