// The filter's table agrees with the kernel's headers and with its documentation.
#include "lib/guest/supervisor/filter_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/guest/filter_numbers.h"

namespace conclave {
namespace {

using Names = std::set<std::string>;

std::span<const filter_call> TableCalls() {
  size_t count;
  const filter_call* const calls = filter_calls(&count);
  return {calls, count};
}

// Calls since Linux 5.0 have one number on all architectures; headers may be older than the last of them.
constexpr int kSharedNumbers = 424;

void ExpectNumbersOfHeaders(filter_architecture architecture, const filter_number* headers) {
  int newest = 0;
  for (const filter_number* known = headers; known->name != nullptr; ++known)
    newest = std::max(newest, std::atoi(known->number));
  ASSERT_GE(newest, kSharedNumbers) << "headers that are older than the rules for io_uring";
  int compared = 0;
  for (const filter_call& call : TableCalls()) {
    const std::string_view number = headers->number;
    ASSERT_STREQ(headers->name, call.name);
    ++headers;
    if (!number.starts_with("__NR_")) {
      EXPECT_EQ(std::to_string(call.number[architecture]), number) << call.name;
      ++compared;
    } else if (call.number[architecture] != FILTER_ABSENT) {
      EXPECT_GT(call.number[architecture], newest) << call.name << " is not in the headers";
      EXPECT_EQ(call.number[FILTER_X86_64], call.number[FILTER_ARM64]) << call.name;
    }
  }
  EXPECT_EQ(headers->name, nullptr);
  EXPECT_GT(compared, 230);
}

TEST(FilterRulesTest, NumbersAreThoseOfThisMachinesHeaders) {
#if defined(__x86_64__)
  ExpectNumbersOfHeaders(FILTER_X86_64, kNativeNumbers);
#else
  ExpectNumbersOfHeaders(FILTER_ARM64, kNativeNumbers);
#endif
}

TEST(FilterRulesTest, Arm64NumbersAreTheGenericOnes) { ExpectNumbersOfHeaders(FILTER_ARM64, kArm64Numbers); }

TEST(FilterRulesTest, NamesAndNumbersAreThereOnce) {
  Names names;
  std::set<int> numbers[FILTER_ARCHITECTURES];
  for (const filter_call& call : TableCalls()) {
    EXPECT_TRUE(names.insert(call.name).second) << call.name;
    EXPECT_TRUE(call.number[0] >= 0 || call.number[1] >= 0) << call.name << " exists nowhere";
    for (int architecture : {FILTER_X86_64, FILTER_ARM64}) {
      const int number = call.number[architecture];
      if (number == FILTER_ABSENT) continue;
      EXPECT_TRUE(numbers[architecture].insert(number).second) << call.name;
    }
  }
}

TEST(FilterRulesTest, RefusalsHaveAnErrorAndChecksHaveQuestionsWithPlainRules) {
  for (const filter_call& call : TableCalls()) {
    for (const filter_rule& rule : call.rule) {
      if (rule.action == FILTER_REFUSE) {
        EXPECT_GT(rule.detail, 0) << call.name;
      }
      if (rule.action != FILTER_CHECK) continue;
      ASSERT_GT(rule.detail, FILTER_CHECK_NONE) << call.name;
      ASSERT_LT(rule.detail, FILTER_CHECKS) << call.name;
      const filter_check* const check = filter_check_of(rule.detail);
      ASSERT_GT(check->count, 0u) << call.name;
      EXPECT_NE(check->otherwise.action, FILTER_CHECK) << call.name;
      for (size_t i = 0; i < check->count; ++i) {
        EXPECT_NE(check->questions[i].rule.action, FILTER_CHECK) << call.name << ", question " << i;
        EXPECT_LT(check->questions[i].argument, 6) << call.name << ", question " << i;
      }
    }
  }
}

// The words of the block between ``` and ``` that follows the heading.
Names DocumentedUnder(const std::string& heading) {
  std::ifstream file(CONCLAVE_SOURCE_DIR "/lib/guest/supervisor/filter.md");
  Names names;
  bool in_section = false, in_block = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) in_section = line == "## " + heading;
    if (!in_section) continue;
    if (line.starts_with("```")) {
      if (in_block) return names;
      in_block = true;
      continue;
    }
    std::istringstream words(line);
    for (std::string word; in_block && words >> word;) EXPECT_TRUE(names.insert(word).second) << word << " is there twice";
  }
  ADD_FAILURE() << "filter.md has no block under '" << heading << "'";
  return names;
}

Names InTable(int level, auto predicate) {
  Names names;
  for (const filter_call& call : TableCalls()) {
    if (predicate(call.rule[level])) names.insert(call.name);
  }
  return names;
}

bool IsRefused(const filter_rule& rule) { return rule.action == FILTER_REFUSE; }
bool IsAllowed(const filter_rule& rule) { return rule.action == FILTER_ALLOW; }
bool IsChecked(const filter_rule& rule) { return rule.action == FILTER_CHECK; }

TEST(FilterRulesTest, DocumentationListsWhatEachLevelAllows) {
  EXPECT_EQ(DocumentedUnder("Level 0: refused"), InTable(0, IsRefused));
  EXPECT_EQ(DocumentedUnder("Level 0: refused by argument"), InTable(0, IsChecked));
  EXPECT_EQ(DocumentedUnder("Level 1: reachable"), InTable(1, IsAllowed));
  EXPECT_EQ(DocumentedUnder("Level 1: reachable with some arguments"), InTable(1, IsChecked));
  EXPECT_EQ(DocumentedUnder("Level 1: refused by name"), InTable(1, IsRefused));
}

}  // namespace
}  // namespace conclave
