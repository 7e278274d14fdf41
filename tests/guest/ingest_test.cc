#include "lib/guest/ingest/ingest.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/descriptor.h"
#include "lib/guest/columns/column_store.h"
#include "lib/guest/ingest/refusal.h"

namespace conclave::guest {
namespace {

Descriptor FileOf(const std::string& bytes) {
  std::string name = testing::TempDir() + "ingest-XXXXXX";
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  ::unlink(name.c_str());
  EXPECT_TRUE(WriteAll(file.get(), bytes).ok());
  return file;
}

struct Read {
  absl::StatusOr<Json> profile = absl::UnknownError("nothing was read");
  Descriptor file;
  absl::StatusOr<ColumnStoreView> store = absl::UnknownError("nothing was read");

  const Json& column(size_t index) const { return profile->Find("columns")->items()[index]; }
  std::string type(size_t index) const { return column(index).Find("type")->string(); }
  // Codes of all quirks, those of the file first.
  std::vector<std::string> quirks() const {
    std::vector<std::string> codes;
    for (const Json& quirk : profile->Find("quirks")->items()) codes.push_back(quirk.Find("code")->string());
    for (const Json& one : profile->Find("columns")->items()) {
      for (const Json& quirk : one.Find("quirks")->items()) codes.push_back(quirk.Find("code")->string());
    }
    return codes;
  }
};

Read Ingested(const std::string& bytes, const IngestOptions& options = IngestOptions()) {
  Read read;
  const Descriptor input = FileOf(bytes);
  read.file = FileOf("");
  read.profile = Ingest(input.get(), read.file.get(), options);
  if (!read.profile.ok()) return read;
  read.store = ColumnStoreView::Map(read.file.get());
  if (read.store.ok()) {
    EXPECT_TRUE(read.store->Verify().ok()) << read.store->Verify();
  }
  return read;
}

std::string RefusalOf(const std::string& bytes) {
  const Read read = Ingested(bytes);
  return read.profile.ok() ? "read" : RefusalType(read.profile.status());
}

using Codes = std::vector<std::string>;

TEST(IngestTest, SaysWhatAFileIsThatIsNoTable) {
  EXPECT_EQ(RefusalOf(""), "EmptyInput");
  EXPECT_EQ(RefusalOf("\xEF\xBB\xBF\n"), "EmptyInput");
  EXPECT_EQ(RefusalOf("PK\x03\x04...."), "UnsupportedFormat");
  EXPECT_EQ(RefusalOf("\x1f\x8b\x08...."), "UnsupportedFormat");
  EXPECT_EQ(RefusalOf("%PDF-1.7\n"), "UnsupportedFormat");
  EXPECT_EQ(RefusalOf("  <!DOCTYPE html><html>"), "UnsupportedFormat");
  EXPECT_EQ(RefusalOf("[{\"a\": 1}]"), "UnsupportedFormat");
  EXPECT_EQ(RefusalOf("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1..."), "EncryptedOrXls");
  std::string junk;
  for (int i = 0; i < 4000; ++i) junk.push_back(static_cast<char>(i * i * 7 + i / 3));
  EXPECT_EQ(RefusalOf(junk), "BinaryInput");
}

TEST(IngestTest, AFolderIsRefused) {
  const Descriptor folder(::open(testing::TempDir().c_str(), O_RDONLY | O_CLOEXEC));
  const Descriptor output = FileOf("");
  const absl::StatusOr<Json> profile = Ingest(folder.get(), output.get(), IngestOptions());
  EXPECT_EQ(RefusalType(profile.status()), "NotAFile");
}

TEST(IngestTest, BracketsAndBracesMayBeginATable) {
  EXPECT_EQ(Ingested("[a],[b]\n1,2\n").column(1).Find("name")->string(), "[b]");
  EXPECT_EQ(Ingested("{id},n\nx,2\n").store->rows(), 1u);
}

TEST(IngestTest, AFullDiskIsSaid) {
  const Descriptor input = FileOf("a,b\n1,2\n");
  const Descriptor full(::open("/dev/full", O_RDWR | O_CLOEXEC));
  const absl::StatusOr<Json> profile = Ingest(input.get(), full.get(), IngestOptions());
  EXPECT_FALSE(profile.ok());
}

// The type of a column is decided by its last row as much as by its first.
TEST(IngestTest, OneLateTextMakesAColumnText) {
  std::string text = "id,v\n";
  for (int i = 1; i <= 5000; ++i) absl::StrAppend(&text, i, ",", i % 7, "\n");
  const Read read = Ingested(text + "5001,x\n");
  ASSERT_TRUE(read.store.ok()) << read.profile.status();
  EXPECT_EQ(read.type(0), "integer");
  EXPECT_EQ(read.type(1), "text");
  EXPECT_EQ(read.store->column(1).Text(0), "1");
  EXPECT_EQ(read.store->column(1).Text(5000), "x");
  EXPECT_EQ(read.column(1).Find("distinct")->IntegerOr(0), 8);
  EXPECT_EQ(read.quirks(), Codes{"mixed_types"});
}

// "TBD" among days: whoever asks by date must learn why the column has none.
TEST(IngestTest, AColumnOfWhichMostCellsAreDatesOrNumbersSaysWhyItIsText) {
  const Read read =
      Ingested("Date,Amount,Note\n2024-01-05,10,a\n2024-02-05,n. n.,b\n2024-02-09,30,1\nTBD,40,c\n2024-03-01,50,d\n");
  EXPECT_EQ(read.type(0), "text");
  EXPECT_EQ(read.type(1), "text");
  EXPECT_EQ(read.quirks(), (Codes{"mixed_dates", "mixed_types"}));
  const Json& quirk = read.column(0).Find("quirks")->items()[0];
  EXPECT_EQ(quirk.Find("detail")->string(), "4 of 5 values are dates; kept as text because of \"TBD\"");
  EXPECT_EQ(quirk.Find("rows")->items()[0].IntegerOr(0), 4);
  EXPECT_TRUE(quirk.Find("notable")->BooleanOr(false));
}

// One bad cell makes a column text; it does not make a value of "n/a".
TEST(IngestTest, WhatIsMissingStaysMissingInAColumnThatIsTextForOneCell) {
  std::string dates = "day,place\n", dictionary = "day,place\n";
  for (int day = 1; day <= 9; ++day) {
    absl::StrAppend(&dates, "2024-03-0", day, ",", day, "\n");
    for (int i = 0; i < 20; ++i) absl::StrAppend(&dictionary, "2024-03-0", day, ",", day, "\n");
  }
  for (const std::string& text : {dates, dictionary}) {
    const Read read = Ingested(text + "n/a,a\n\"\",b\n  ,c\n,d\nNaN,e\nTBD,f\n");
    ASSERT_TRUE(read.store.ok()) << read.profile.status();
    ASSERT_EQ(read.type(0), "text");
    EXPECT_EQ(read.column(0).Find("nulls")->IntegerOr(0), 5);
    EXPECT_EQ(read.column(0).Find("distinct")->IntegerOr(0), 10);
    EXPECT_EQ(read.column(0).Find("max")->string(), "TBD");
    const uint64_t rows = read.store->rows();
    for (uint64_t row = rows - 6; row + 1 < rows; ++row) EXPECT_TRUE(read.store->column(0).IsNull(row)) << row;
    EXPECT_EQ(read.store->column(0).Text(rows - 1), "TBD");
    const std::string detail = absl::StrCat(rows - 6, " of ", rows - 5, " values are dates; kept as text because of \"TBD\"");
    EXPECT_EQ(read.column(0).Find("quirks")->items()[0].Find("detail")->string(), detail);
    EXPECT_EQ(read.quirks(), (Codes{"mixed_dates", "missing_marker", "mixed_types"}));
  }
}

// Both readings of every date are possible, so the column is text; "-" is no date in either.
TEST(IngestTest, WhatIsMissingStaysMissingAmongDatesOfNoCertainOrder) {
  const Read read = Ingested("day,n\n03/04/2020,1\n-,2\n05/06/2020,3\n");
  ASSERT_EQ(read.type(0), "text");
  EXPECT_EQ(read.column(0).Find("nulls")->IntegerOr(0), 1);
  EXPECT_EQ(read.quirks(), (Codes{"ambiguous_date", "missing_marker"}));
}

// In a column of names and codes "NA" may be one; then it is counted among them.
TEST(IngestTest, SpellingsOfMissingAreValuesOfAColumnThatIsRightlyText) {
  const Read read = Ingested("code,n\n1,1\n2,2\nNA,3\n4,4\nB7,5\n");
  ASSERT_EQ(read.type(0), "text");
  EXPECT_EQ(read.column(0).Find("nulls")->IntegerOr(0), 0);
  EXPECT_EQ(read.column(0).Find("quirks")->items()[0].Find("detail")->string(),
            "3 of 5 values are numbers; kept as text because of \"B7\"");
}

// Numbers of a question are read as the column is written, so the profile says how.
TEST(IngestTest, SaysWithWhichMarkNumbersAreWritten) {
  const auto mark = [](const std::string& cells) {
    const Read read = Ingested("id;v\n" + cells);
    const Json* found = read.column(1).Find("decimal_mark");
    return absl::StrCat(read.type(1), found == nullptr ? "" : found->string());
  };
  EXPECT_EQ(mark("a;1.234,50\nb;7,5\n"), "real,");
  EXPECT_EQ(mark("a;1 234,5\nb;7\n"), "real,");
  EXPECT_EQ(mark("a;1.234.567\nb;7\n"), "integer,");
  EXPECT_EQ(mark("a;1.5\nb;7\n"), "real.");
  EXPECT_EQ(mark("a;1,234.5\nb;7\n"), "real.");
  EXPECT_EQ(mark("a;1,234,567\nb;7\n"), "integer.");
  EXPECT_EQ(mark("a;12\nb;7\n"), "integer");
  EXPECT_EQ(mark("a;x\nb;1,5\n"), "text");
}

TEST(IngestTest, AColumnWithManyTextsAmongNumbersIsCountedToItsEnd) {
  std::string text = "v\n";
  for (int i = 0; i < 100; ++i) absl::StrAppend(&text, "word\n");
  for (int i = 0; i < 200; ++i) absl::StrAppend(&text, i, "\n");
  const Read read = Ingested(text);
  ASSERT_EQ(read.quirks(), Codes{"mixed_types"});
  EXPECT_EQ(read.column(0).Find("quirks")->items()[0].Find("count")->IntegerOr(0), 100);
}

TEST(IngestTest, ValuesThatDifferByCaseAndBlanksOnlyAreTold) {
  const Read read = Ingested("status,town\nOpen,Graz\nopen,graz2\nOPEN ,Linz\n\u00c9cole,Wels\n\u00e9cole,Ried\n");
  ASSERT_EQ(read.quirks(), Codes{"spellings"});
  const Json& quirk = read.column(0).Find("quirks")->items()[0];
  EXPECT_EQ(
      quirk.Find("detail")->string(),
      "5 values are 2 when case and blanks around them are ignored: 'OPEN ', 'Open' and 'open'; '\u00c9cole' and '\u00e9cole'");
  EXPECT_EQ(quirk.Find("count")->IntegerOr(0), 3);
  EXPECT_FALSE(quirk.Find("notable")->BooleanOr(true));
}

TEST(IngestTest, OneLateLeadingZeroMakesAnIdentifier) {
  std::string text = "zip\n";
  for (int i = 10000; i < 13000; ++i) absl::StrAppend(&text, i, "\n");
  const Read read = Ingested(text + "00501\n");
  EXPECT_EQ(read.type(0), "text");
  EXPECT_TRUE(read.column(0).Find("identifier")->BooleanOr(false));
  EXPECT_EQ(read.store->column(0).Text(3000), "00501");
}

TEST(IngestTest, WideTablesAreRead) {
  std::string header;
  std::string row;
  for (int i = 0; i < 2500; ++i) {
    absl::StrAppend(&header, i == 0 ? "" : ",", "c", i);
    absl::StrAppend(&row, i == 0 ? "" : ",", i);
  }
  const Read read = Ingested(header + "\n" + row + "\n");
  ASSERT_TRUE(read.store.ok()) << read.profile.status();
  EXPECT_EQ(read.store->columns(), 2500u);
  EXPECT_EQ(read.store->Find("c2499")->Integer(0), 2499);
}

TEST(IngestTest, TooManyColumnsAreRefused) { EXPECT_EQ(RefusalOf("a" + std::string(30'000, ',') + "b\n"), "TooManyColumns"); }

TEST(IngestTest, LongFieldsAreKept) {
  const std::string field(10'000'000, 'x');
  const Read read = Ingested("id,t\n1,\"" + field + "\"\n2,y\n");
  ASSERT_TRUE(read.store.ok()) << read.profile.status();
  EXPECT_EQ(read.store->column(1).Text(0), field);
  EXPECT_LT(read.column(1).Find("min")->string().size(), 300u);
}

// A cell that is longer than what the dialect is guessed from must not be judged by its first part.
TEST(IngestTest, ALongQuotedCellNearTheStartDoesNotMisleadTheDialect) {
  std::string letter;
  while (letter.size() < 300'000) letter += "a line, of text\nand, more of it, here\n";
  for (const std::string& rows : {"1;\"" + letter + "\";3\n2;x;4\n", "2;x;4\n1;\"" + letter + "\";3\n"}) {
    const Read read = Ingested("id;letter;n\n" + rows);
    ASSERT_TRUE(read.store.ok()) << read.profile.status();
    EXPECT_EQ(read.profile->Find("delimiter")->string(), ";");
    ASSERT_EQ(read.store->columns(), 3u);
    EXPECT_EQ(read.store->rows(), 2u);
    EXPECT_EQ(read.type(2), "integer");
    EXPECT_EQ(read.quirks(), Codes{});
  }
  // Quotes that never close are no cell, however much follows them.
  std::string open = "id,n\n1,\"x\n";
  while (open.size() < 600'000) open += "2,3\n";
  const Read read = Ingested(open);
  EXPECT_EQ(read.profile->Find("delimiter")->string(), ",");
  EXPECT_EQ(read.store->columns(), 2u);
}

TEST(IngestTest, WhenMemoryForCountingEndsItSaysSo) {
  std::string text = "name,n\n";
  for (int i = 0; i < 20000; ++i) absl::StrAppend(&text, "name number ", i, ",", i * 1000003LL, "\n");
  IngestOptions tight;
  tight.counting_bytes = 64 << 10;
  const Read read = Ingested(text, tight);
  ASSERT_TRUE(read.store.ok());
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_FALSE(read.column(i).Find("distinct_is_exact")->BooleanOr(true));
    EXPECT_GT(read.column(i).Find("distinct")->IntegerOr(0), 0);
    EXPECT_LT(read.column(i).Find("distinct")->IntegerOr(0), 20000);
    EXPECT_TRUE(read.column(i).Find("top")->items().empty());
  }
  EXPECT_EQ(read.store->column(0).layout(), StoredLayout::kPlain);
  EXPECT_EQ(read.store->column(0).Text(19999), "name number 19999");
  const Read roomy = Ingested(text);
  EXPECT_EQ(roomy.column(0).Find("distinct")->IntegerOr(0), 20000);
  EXPECT_TRUE(roomy.column(1).Find("distinct_is_exact")->BooleanOr(false));
}

TEST(IngestTest, RepeatedTextsBecomeADictionary) {
  std::string text = "city,note\n";
  for (int i = 0; i < 2000; ++i) absl::StrAppend(&text, i % 3 == 0 ? "Graz" : "Linz", ",text ", i, "\n");
  const Read read = Ingested(text);
  EXPECT_EQ(read.store->column(0).layout(), StoredLayout::kDictionary);
  EXPECT_EQ(read.store->column(1).layout(), StoredLayout::kPlain);
  EXPECT_EQ(read.column(0).Find("top")->items()[0].Find("value")->string(), "Linz");
  EXPECT_EQ(read.column(0).Find("top")->items()[0].Find("count")->IntegerOr(0), 1333);
}

TEST(IngestTest, TheWholeRangeOfIntegersIsExact) {
  const Read read = Ingested("a\n-9223372036854775808\n9223372036854775807\n");
  EXPECT_EQ(read.type(0), "integer");
  EXPECT_EQ(read.store->column(0).Integer(0), INT64_MIN);
  EXPECT_EQ(read.store->column(0).Integer(1), INT64_MAX);
}

TEST(IngestTest, DecimalsAreCorrectlyRounded) {
  const Read read = Ingested("a\n0.1\n2.2250738585072014e-308\n4.9e-324\n1e-400\n");
  EXPECT_EQ(read.store->column(0).Real(0), 0.1);
  EXPECT_EQ(read.store->column(0).Real(1), 2.2250738585072014e-308);
  EXPECT_EQ(read.store->column(0).Real(2), 4.9e-324);
  EXPECT_EQ(read.store->column(0).Real(3), 0.0);
}

TEST(IngestTest, NumbersInDress) {
  const Read read = Ingested("p;e;n\n12.5%;1.234,50;(5)\n7%;-3,25;7\n");
  ASSERT_TRUE(read.store.ok());
  EXPECT_EQ(read.column(0).Find("unit")->string(), "percent");
  EXPECT_EQ(read.store->column(0).Real(0), 12.5);
  EXPECT_EQ(read.store->column(1).Real(0), 1234.5);
  EXPECT_EQ(read.store->column(1).Real(1), -3.25);
  EXPECT_EQ(read.store->column(2).Integer(0), -5);
}

TEST(IngestTest, AnUndecidableNumberIsSaid) {
  const Read read = Ingested("k,v\na,\"1,234\"\nb,\"5,678\"\n");
  EXPECT_EQ(read.type(1), "integer");
  EXPECT_EQ(read.quirks(), Codes{"ambiguous_number"});
}

TEST(IngestTest, DatesByNameAndTimes) {
  const Read read = Ingested("d,t\n\"Jan 2, 2000\",2024-03-01 13:45:00\n\"Feb 29, 2000\",2024-03-01 13:45:00.25\n");
  EXPECT_EQ(read.type(0), "date");
  EXPECT_EQ(read.type(1), "timestamp");
  EXPECT_EQ(read.column(0).Find("max")->Find("$date")->string(), "2000-02-29");
  EXPECT_EQ(read.column(1).Find("max")->Find("$date")->string(), "2024-03-01T13:45:00.250000");
}

TEST(IngestTest, ADayThatDoesNotExistIsNoDate) {
  EXPECT_EQ(Ingested("d\n2024-02-28\n2024-02-30\n").type(0), "text");
  EXPECT_EQ(Ingested("d\n2023-02-29\n").type(0), "text");
}

TEST(IngestTest, TitlesAboveTheTableAreSkippedAndSaid) {
  const Read read = Ingested("Report of the year\n\nid,name,v\n1,Ann,2\n2,Bob,3\n3,Cy,4\n");
  EXPECT_EQ(read.store->column(1).name(), "name");
  EXPECT_EQ(read.store->rows(), 3u);
  EXPECT_EQ(read.quirks()[0], "skipped_lines");
}

TEST(IngestTest, ProseIsOneColumn) {
  const Read read = Ingested("title\nHello, world\nGood, bad\nThis, that\n");
  EXPECT_EQ(read.store->columns(), 1u);
  EXPECT_EQ(read.store->column(0).Text(0), "Hello, world");
}

TEST(IngestTest, BlankLinesOfAOneColumnTableAreMissingValues) {
  const Read read = Ingested("n\n1\n\n3\n\n\n");
  EXPECT_EQ(read.store->rows(), 3u);
  EXPECT_TRUE(read.store->column(0).IsNull(1));
  EXPECT_EQ(read.store->column(0).Integer(2), 3);
}

TEST(IngestTest, ColumnsWithoutValuesStay) {
  const Read read = Ingested("a,b,c\n1,,x\n2,,y\n");
  EXPECT_EQ(read.store->columns(), 3u);
  EXPECT_EQ(read.store->column(1).null_count(), 2u);
  EXPECT_EQ(read.column(1).Find("min"), nullptr);
}

TEST(IngestTest, EveryByteOrderMarkIsLeftOutAndMoreThanOneIsSaid) {
  const std::string mark = "\xEF\xBB\xBF";
  const Read read = Ingested(mark + mark + "id,n\n7,8\n");
  EXPECT_EQ(read.column(0).Find("name")->string(), "id");
  EXPECT_EQ(read.profile->Find("encoding")->string(), "utf-8-sig");
  EXPECT_EQ(read.quirks(), Codes{"repeated_mark"});
  EXPECT_EQ(read.profile->Find("quirks")->items()[0].Find("count")->IntegerOr(0), 2);
  EXPECT_EQ(Ingested(mark + mark + mark + "\"a, b\",n\n7,8\n").column(0).Find("name")->string(), "a, b");
  std::string wide = "\xFF\xFE\xFF\xFE";
  for (const char c : std::string("id,n\n7,8\n")) wide += {c, '\0'};
  EXPECT_EQ(Ingested(wide).column(0).Find("name")->string(), "id");
  EXPECT_EQ(Ingested(wide).quirks(), Codes{"repeated_mark"});
  EXPECT_EQ(Ingested(mark + "id,n\n7,8\n").quirks(), Codes{});
  EXPECT_EQ(RefusalOf(mark + mark + "\n"), "EmptyInput");
}

TEST(IngestTest, NulBytesAreReplacedAndSaid) {
  const Read read = Ingested(std::string("a,b\nx") + '\0' + "y,1\n" + std::string(300, 'z') + ",2\n");
  EXPECT_EQ(read.store->column(0).Text(0), "x\xEF\xBF\xBDy");
  EXPECT_EQ(read.quirks(), Codes{"nul_byte"});
}

// Quotes that never close cost a bounded amount of work.
TEST(IngestTest, ManyOpenQuotesDoNotTakeForEver) {
  std::string text = "a,b\n";
  for (int i = 0; i < 20000; ++i) text += "\"x,\"\"y\n";
  const Read read = Ingested(text);
  ASSERT_TRUE(read.profile.ok());
  EXPECT_GT(read.store->rows(), 0u);
}

}  // namespace
}  // namespace conclave::guest
