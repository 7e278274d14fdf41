#include "lib/guest/recount/recount.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "lib/base/descriptor.h"
#include "lib/guest/recount/cell_check.h"
#include "lib/guest/recount/plain_records.h"
#include "tests/support/column_table.h"

namespace conclave::guest {
namespace {

// Recounts `text` against a store with the dialect given as members of a profile; returns the closing frame.
Json RecountOf(const std::string& text, const std::vector<TestColumn>& columns, const std::string& profile) {
  Descriptor file = SealedMemory("file", text).value();
  Descriptor store = MakeColumnStore(columns);
  Descriptor frames(::memfd_create("frames", MFD_CLOEXEC));
  const Json request = Json::Object({{"profile", ParseJson(profile).value()}});
  EXPECT_EQ(Recount(request, file.get(), store.get(), frames.get()), 0);
  ::lseek(frames.get(), 0, SEEK_SET);
  return ParseJson(ReadAll(frames.get(), 1 << 20)->substr(4)).value();
}

int64_t Number(const Json& frame, std::string_view name) { return frame.Find(name)->IntegerOr(-1); }

constexpr char kComma[] = R"({"delimiter":",","quote":"\"","encoding":"utf-8","newline":"lf","has_header":true})";

TEST(RecountTest, ALostRowIsSeen) {
  const Json frame = RecountOf("id\n1\n2\n3\n", {TestColumn::Integer("id", {1, 2})}, kComma);
  EXPECT_EQ(Number(frame, "rows"), 3);
  EXPECT_EQ(Number(frame, "rows_differ"), 1);
}

TEST(RecountTest, AChangedCellIsNamed) {
  const Json frame = RecountOf("id,zip\n1,00501\n2,10001\n",
                               {TestColumn::Integer("id", {1, 3}), TestColumn::Text("zip", {"501", "10001"})}, kComma);
  EXPECT_EQ(Number(frame, "cells_differ"), 2);
  EXPECT_EQ(frame.Find("columns")->items()[0].Find("example")->string(), "row 2: the file says \"2\", the store \"3\"");
  EXPECT_EQ(frame.Find("columns")->items()[1].Find("name")->string(), "zip");
}

TEST(RecountTest, ACellThatWentMissingIsLostUnlessItWasAMarker) {
  const Json frame = RecountOf("id\n1\nNA\n7\n", {TestColumn::Integer("id", {1, std::nullopt, std::nullopt})}, kComma);
  EXPECT_EQ(Number(frame, "cells_lost"), 1);
  EXPECT_EQ(Number(frame, "cells_differ"), 0);
}

TEST(RecountTest, RowsOutOfOrderAreSeen) {
  const Json frame = RecountOf("id\n1\n2\n", {TestColumn::Integer("id", {2, 1})}, kComma);
  EXPECT_EQ(Number(frame, "cells_differ"), 2);
}

TEST(RecountTest, AFaithfulStoreHasNothingToSay) {
  const Json frame =
      RecountOf("id,when,price,ok,note\n1,13/02/2024,\"1,234.50\",yes,\"a, \"\"b\"\"\nc\"\n,01/03/2024,-3,no,\n",
                {TestColumn::Integer("id", {1, std::nullopt}), TestColumn::Date("when", {"2024-02-13", "2024-03-01"}),
                 TestColumn::Real("price", {1234.5, -3}), TestColumn::Boolean("ok", {true, false}),
                 TestColumn::Text("note", {"a, \"b\"\nc", std::nullopt})},
                kComma);
  EXPECT_EQ(Number(frame, "rows"), 2);
  EXPECT_EQ(frame.Find("columns")->items().size(), 0u) << frame.Text();
}

TEST(RecountTest, ReadsTheDialectItIsTold) {
  const Json frame =
      RecountOf("# a\r# b\rx\ty\r1\t5\" pipe\r", {TestColumn::Integer("x", {1}), TestColumn::Text("y", {"5\" pipe"})},
                R"({"delimiter":"\t","quote":"","encoding":"utf-8","newline":"cr","has_header":true,
                                   "quirks":[{"code":"skipped_lines","count":2}]})");
  EXPECT_EQ(Number(frame, "rows"), 1);
  EXPECT_EQ(Number(frame, "cells_differ"), 0);
}

TEST(RecountTest, ByteOrderMarksAreNoPartOfTheFirstCell) {
  const Json frame = RecountOf("\xEF\xBB\xBF\xEF\xBB\xBF\"1\"\n2\n", {TestColumn::Integer("id", {1, 2})},
                               R"({"delimiter":"","quote":"\"","encoding":"utf-8-sig","newline":"lf","has_header":false})");
  EXPECT_EQ(Number(frame, "rows"), 2);
  EXPECT_EQ(Number(frame, "cells_differ") + Number(frame, "cells_lost"), 0) << frame.Text();
}

TEST(RecountTest, ASeparatorLineIsNoRecord) {
  const Json frame = RecountOf("sep=;\na;b\n1;2\n", {TestColumn::Integer("a", {1}), TestColumn::Integer("b", {2})},
                               R"({"delimiter":";","quote":"\"","encoding":"utf-8","newline":"lf","has_header":true})");
  EXPECT_EQ(Number(frame, "rows"), 1);
  EXPECT_EQ(Number(frame, "cells_differ"), 0);
}

TEST(RecountTest, AStoreThatIsNoneIsAnError) {
  Descriptor file = SealedMemory("file", "id\n1\n").value();
  Descriptor junk = SealedMemory("junk", "junk").value();
  Descriptor frames(::memfd_create("frames", MFD_CLOEXEC));
  EXPECT_EQ(Recount(Json::Object({{"profile", Json::Object()}}), file.get(), junk.get(), frames.get()), 0);
  ::lseek(frames.get(), 0, SEEK_SET);
  EXPECT_EQ(ParseJson(ReadAll(frames.get(), 1 << 20)->substr(4))->Find("frame")->string(), "error");
}

TEST(PlainRecordsTest, ConvertsOtherEncodingsAndMarksBadBytes) {
  PlainDialect dialect;
  Descriptor file = SealedMemory("file", std::string("\xFF\xFE"
                                                     "a\0,\0\xE9\0\n\0",
                                                     10))
                        .value();
  dialect.encoding = "UTF-16LE";
  PlainRecords records = PlainRecords::Open(file.get(), dialect).value();
  ASSERT_TRUE(records.Next().value());
  ASSERT_EQ(records.cells(), 2u);
  EXPECT_EQ(records.cell(0).text, "a");
  EXPECT_EQ(records.cell(1).text, "é");
  EXPECT_FALSE(records.Next().value());

  dialect.encoding = "windows-1252";
  Descriptor bad = SealedMemory("bad", "x\x81y\n").value();
  PlainRecords marked = PlainRecords::Open(bad.get(), dialect).value();
  ASSERT_TRUE(marked.Next().value());
  EXPECT_EQ(marked.cell(0).text, "x\xEF\xBF\xBDy");
}

TEST(CellCheckTest, NumbersReadUnderOneConventionOnly) {
  EXPECT_TRUE(ReadsAsReal("1.234,50", 1234.5, 1));
  EXPECT_FALSE(ReadsAsReal("1.234,50", 1234.5, 0));
  EXPECT_TRUE(ReadsAsReal("$1,200.50", 1200.5, 0));
  EXPECT_TRUE(ReadsAsReal("-1.0e+10", -1e10, 0));
  EXPECT_TRUE(ReadsAsReal("(12.5)", -12.5, 0));
  EXPECT_FALSE(ReadsAsReal("12.5", -12.5, 0));
  EXPECT_FALSE(ReadsAsReal("", 0, 0));
  EXPECT_TRUE(ReadsAsInteger("9,007,199,254,740,993", 9007199254740993));
  EXPECT_FALSE(ReadsAsInteger("9007199254740993", 9007199254740992));
  EXPECT_FALSE(ReadsAsInteger("x", 0));
  EXPECT_FALSE(ReadsAsInteger("0,125", 125));
  EXPECT_FALSE(ReadsAsInteger("-0,125%", -125));
  EXPECT_TRUE(ReadsAsInteger("0", 0));
  EXPECT_TRUE(ReadsAsInteger("-$0", 0));
  EXPECT_TRUE(ReadsAsReal("0,125", 0.125, 1));
  EXPECT_FALSE(ReadsAsReal("0,125", 125, 0));
}

TEST(CellCheckTest, TimesReadInTheirOrderOnly) {
  constexpr int64_t kDay = 1709251200000000;  // 2024-03-01
  EXPECT_TRUE(ReadsAsTime("2024-03-01", kDay, false, 0));
  EXPECT_TRUE(ReadsAsTime("01/03/2024", kDay, false, 1));
  EXPECT_FALSE(ReadsAsTime("01/03/2024", kDay, false, 2));
  EXPECT_TRUE(ReadsAsTime("1 March 2024", kDay, false, 0));
  EXPECT_TRUE(ReadsAsTime("20240301", kDay, false, 0));
  EXPECT_TRUE(ReadsAsTime("2024-03-01 04:05:06.5 PM", kDay + 57906500000, false, 0));
  EXPECT_TRUE(ReadsAsTime("2024-03-01T01:00:00+01:00", kDay, true, 0));
  EXPECT_FALSE(ReadsAsTime("2024-03-01T01:00:00Z", kDay, true, 0));
  EXPECT_FALSE(ReadsAsTime("99999999999999999999", kDay, false, 0));
  EXPECT_FALSE(ReadsAsTime("", kDay, false, 0));
}

}  // namespace
}  // namespace conclave::guest
