#include "tools/conclave/view/layout.h"

#include <gtest/gtest.h>

#include "tools/conclave/view/json_text.h"
#include "tools/conclave/view/text_table.h"

namespace conclave::cli {
namespace {

TEST(LayoutTest, WidthCountsColumnsNotBytes) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("Größe"), 5u);
  EXPECT_EQ(DisplayWidth("価格"), 4u);
  EXPECT_EQ(DisplayWidth("e\xCC\x81"), 1u);  // e and a combining acute accent
  EXPECT_EQ(DisplayWidth("\x1b[32mok\x1b[0m"), 2u);
  EXPECT_EQ(DisplayWidth("\x1b["), 0u);  // malformed on purpose: must end
  EXPECT_EQ(DisplayWidth("\xF0\x9F"), 1u);
}

TEST(LayoutTest, CutKeepsWholeCharacters) {
  EXPECT_EQ(CutToWidth("abcdef", 6), "abcdef");
  EXPECT_EQ(CutToWidth("abcdef", 4), "abc…");
  EXPECT_EQ(CutToWidth("価格表", 4), "価…");
  EXPECT_EQ(CutToWidth("abc", 0), "");
}

TEST(LayoutTest, ParagraphsWrapUnderTheirBeginning) {
  EXPECT_EQ(Paragraph("Way on: ", "install it and ask again", 30), "Way on: install it and ask\n        again\n");
  EXPECT_EQ(Paragraph("", "one two", 0), "one two\n");
}

TEST(LayoutTest, SideBySideRefusesWhatDoesNotFit) {
  EXPECT_EQ(SideBySide("a\nlonger\n", "b\n", 0), "a         b\nlonger\n");
  EXPECT_EQ(SideBySide("a\n", "b\nc\n", 0), "a    b\n     c\n");
  EXPECT_EQ(SideBySide("longer\n", "b\n", 10), std::nullopt);
}

TEST(TextTableTest, ColumnsThatDoNotFitAreNamed) {
  TextTable table({{"name"}, {"rows", Align::kRight}, {"remarks"}});
  table.Add({"sales", "12", "nothing"});
  table.Add({"orders"});
  EXPECT_EQ(table.Render(Paint(false), 0), "name    rows  remarks\nsales     12  nothing\norders\n");
  EXPECT_EQ(table.Render(Paint(false), 16), "name    rows\nsales     12\norders\n(1 more column did\nnot fit: remarks)\n");
}

TEST(JsonTextTest, SameDocumentWithoutAnythingThatSteersATerminal) {
  const std::string hostile =
      "\x1b[31m \xC2\x9B"
      "31m \xE2\x80\xAE \xF3\xA0\x81\x81 \x7f \"é価\"";
  const std::string text = JsonText(Json::Object({{hostile, Json::String(hostile)}}));
  for (const char* bad : {"\x1b", "\xC2\x9B", "\xE2\x80\xAE", "\xF3\xA0\x81\x81", "\x7f"}) {
    EXPECT_EQ(text.find(bad), std::string::npos) << text;
  }
  EXPECT_NE(text.find("é価"), std::string::npos);
  const absl::StatusOr<Json> parsed = ParseJson(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_NE(parsed->Find(hostile), nullptr);
  EXPECT_EQ(parsed->Find(hostile)->string(), hostile);
}

}  // namespace
}  // namespace conclave::cli
