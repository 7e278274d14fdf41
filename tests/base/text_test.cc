#include "lib/base/text.h"

#include <gtest/gtest.h>

namespace conclave {
namespace {

TEST(ExcerptTest, ShowsControlCharactersAsEscapes) {
  EXPECT_EQ(Excerpt("a\x1b[31mred\n", 100), "a\\u001b[31mred\\n");
  EXPECT_EQ(Excerpt("a\xE2\x80\xAE"
                    "b",
                    100),
            "a\\u202eb");  // right-to-left override
  EXPECT_EQ(Excerpt("\xff", 100), "\\xff");
}

TEST(ExcerptTest, CutsAtCharacterBoundaries) {
  EXPECT_EQ(Excerpt("ab\xC3\xA9"
                    "cd",
                    3),
            "ab...");
}

TEST(EnumeratedTest, SetsAWordBeforeTheLastPart) {
  EXPECT_EQ(Enumerated({}), "");
  EXPECT_EQ(Enumerated({"'a'"}), "'a'");
  EXPECT_EQ(Enumerated({"'a'", "'b'"}), "'a' and 'b'");
  EXPECT_EQ(Enumerated({"a", "b", "c"}, "or"), "a, b or c");
}

TEST(Utf8Test, RefusesSurrogatesAndOverlongForms) {
  EXPECT_TRUE(IsValidUtf8("a\xC3\xA9\xF0\x9F\x98\x80"));
  EXPECT_FALSE(IsValidUtf8("\xED\xA0\x80"));
  EXPECT_FALSE(IsValidUtf8("\xC0\xAF"));
  EXPECT_FALSE(IsValidUtf8("\xF4\x90\x80\x80"));
}

TEST(Utf8Test, RepairReplacesOnlyBadBytes) {
  EXPECT_EQ(RepairUtf8("b\xff"
                       "d"),
            "b\xEF\xBF\xBD"
            "d");
}

TEST(FoldCaseTest, FoldsTheLettersOfEuropeanAlphabets) {
  EXPECT_EQ(FoldCase("ÀÞ×ŁÓDŹ ĀĶĹŇŊŶŸŽ"), "àþ×łódź āķĺňŋŷÿž");
  EXPECT_EQ(FoldCase("ΑΩ ΆΈΊΌΎΏ ЀЏАЯ"), "αω άέίόύώ ѐџая");
  EXPECT_EQ(FoldCase("łódź ıĸŉſß İ"), "łódź ıĸŉſß İ");
  EXPECT_EQ(FoldCase("\xC5"), "\xC5");
}

}  // namespace
}  // namespace conclave
