#include <gtest/gtest.h>

#include <string>

#include "lib/persona/model/reply.h"

namespace conclave {
namespace {

absl::StatusOr<ReadReply> ReadText(const std::string& text, v1::Language language = v1::SQL, bool truncated = false) {
  ModelReply reply;
  reply.text = text;
  reply.truncated = truncated;
  return ReadModelReplyText(reply, language);
}

std::string CodeOf(const std::string& text, v1::Language language = v1::SQL) {
  const absl::StatusOr<ReadReply> read = ReadText(text, language);
  return read.ok() ? read->code : std::string(read.status().message());
}

TEST(ModelReplyTest, WhatHoldsNoProgramIsAnErrorThatShowsIt) {
  for (const char* text :
       {"", "I cannot help with that.", "SELECT 1", "```\n```", "```sql\n\n```", "```python\nresult = 1\n```",
        "<think>```sql\nSELECT 1\n```", "<think>```sql\nSELECT 1\n```</think> sorry"}) {
    const absl::StatusOr<ReadReply> read = ReadText(text);
    EXPECT_EQ(read.status().code(), absl::StatusCode::kAborted) << text;
  }
  EXPECT_NE(CodeOf("No idea, \x1b[31mreally").find("no program in SQL: \"No idea, "), std::string::npos);
}

TEST(ModelReplyTest, AReplyThatWasCutOffInsideTheProgramIsNone) {
  EXPECT_FALSE(ReadText("```sql\nSELECT count(*) FR", v1::SQL, true).ok());
  EXPECT_TRUE(ReadText("```sql\nSELECT 1\n```\nThis counts", v1::SQL, true).ok());
  // Without the closing fence, but whole.
  EXPECT_EQ(CodeOf("```sql\nSELECT 1"), "SELECT 1");
}

TEST(ModelReplyTest, ReadsHeaderAndProgram) {
  const absl::StatusOr<ReadReply> read = ReadText(
      "Sure!\n```json\n{\"reading\": \"Days with rain\", \"assumptions\": [\"drizzle is no rain\", \"\", 7]}\n```\n"
      "```sql\nSELECT count(*)\nFROM t\n```\nDone.");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->code, "SELECT count(*)\nFROM t");
  EXPECT_EQ(read->reading, "Days with rain");
  EXPECT_EQ(read->assumptions, std::vector<std::string>({"drizzle is no rain"}));
  EXPECT_EQ(read->decline, "");
}

TEST(ModelReplyTest, AHeaderIsNotNeeded) {
  EXPECT_EQ(CodeOf("```json\n{broken\n```\n```sql\nSELECT 1\n```"), "SELECT 1");
  EXPECT_EQ(CodeOf("```sql\nSELECT 1\n```"), "SELECT 1");
}

TEST(ModelReplyTest, Declines) {
  const absl::StatusOr<ReadReply> read = ReadText("```json\n{\"decline\": \"there is no price\"}\n```");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->decline, "there is no price");
  EXPECT_EQ(read->code, "");
}

TEST(ModelReplyTest, FencesAreThoseOfCommonMark) {
  EXPECT_EQ(CodeOf("~~~sql\nSELECT 1\n~~~"), "SELECT 1");
  EXPECT_EQ(CodeOf("````sql\nSELECT '```'\n````"), "SELECT '```'");
  EXPECT_EQ(CodeOf("  ```SQLite\r\nSELECT 1\r\n  ```\r\n"), "SELECT 1");
  EXPECT_EQ(CodeOf("```sql {linenos}\nSELECT 1\n```"), "SELECT 1");
  EXPECT_EQ(CodeOf("```py\nresult = 1\n```", v1::PYTHON), "result = 1");
}

TEST(ModelReplyTest, OfSeveralProgramsTheLastCounts) {
  EXPECT_EQ(CodeOf("```sql\nSELECT 1\n```\nWait, better:\n```sql\nSELECT 2\n```"), "SELECT 2");
  EXPECT_EQ(CodeOf("```sql\nSELECT 1\n```\n```python\nresult = 2\n```"), "SELECT 1");
}

TEST(ModelReplyTest, ReasoningIsDropped) {
  EXPECT_EQ(CodeOf("<think>```sql\nSELECT 1\n```</think>\n```sql\nSELECT 2\n```"), "SELECT 2");
}

TEST(ModelReplyTest, AProgramWithItsLanguageBeatsABlockWithout) {
  EXPECT_EQ(CodeOf("```sql\nSELECT 1\n```\nwhich gives\n```\n1\n```"), "SELECT 1");
  EXPECT_EQ(CodeOf("```\nSELECT 1\n```\n```\n"), "SELECT 1");
}

TEST(ModelReplyTest, SurvivesAnyBytes) {
  for (int byte = 0; byte < 256; ++byte) {
    if (byte == '`' || byte == '~') continue;  // three of these are a fence
    const std::string junk(3, static_cast<char>(byte));
    EXPECT_EQ(CodeOf(junk + "\n```sql\nSELECT 1\n```\n" + junk), "SELECT 1") << byte;
  }
}

}  // namespace
}  // namespace conclave
