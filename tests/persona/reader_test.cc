#include "lib/persona/offline/reader.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/plan/describe.h"
#include "tests/support/tables.h"

namespace conclave::offline {
namespace {

struct Case {
  std::string table;
  std::string question;
  std::string expected;  // a sentence, or a part of the reason to decline
};

// Blocks of "= table: sentence" or "! table: part of the reason", each followed by the questions it holds for.
std::vector<Case> LoadCases(const std::string& file, char mark) {
  std::ifstream stream(absl::StrCat(CONCLAVE_SOURCE_DIR, "/tests/persona/", file));
  std::vector<Case> cases;
  std::string line, table, expected;
  while (std::getline(stream, line)) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == mark) {
      const std::pair<std::string, std::string> parts = absl::StrSplit(line.substr(2), absl::MaxSplits(": ", 1));
      table = parts.first;
      expected = parts.second;
    } else {
      cases.push_back({table, line, expected});
    }
  }
  return cases;
}

const v1::Profile& ProfileOf(const std::string& table) {
  static const auto* const kProfiles = [] {
    auto* profiles = new std::map<std::string, v1::Profile>;
    for (const char* name : {"titanic", "sales", "weather", "cars"}) (*profiles)[name] = tests::LoadTable(name).profile;
    return profiles;
  }();
  return kProfiles->at(table);
}

Reading Read(const std::string& table, const std::string& question) { return ReadQuestion(question, {ProfileOf(table)}); }

std::string Outcome(const Reading& reading) {
  return reading.plan ? Describe(*reading.plan) : absl::StrCat("declined: ", reading.decline->reason);
}

TEST(ReaderTest, DeclinesWithReason) {
  const std::vector<Case> cases = LoadCases("declined.txt", '!');
  EXPECT_GE(cases.size(), 40u);
  for (const Case& each : cases) {
    const Reading reading = Read(each.table, each.question);
    EXPECT_FALSE(reading.plan.has_value()) << each.question << "\n" << Outcome(reading);
    if (reading.decline) {
      EXPECT_TRUE(absl::StrContains(reading.decline->reason, each.expected)) << each.question << "\n"
                                                                             << reading.decline->reason;
    }
  }
}

TEST(ReaderTest, ReadsQuestions) {
  const std::vector<Case> cases = LoadCases("questions.txt", '=');
  EXPECT_GE(cases.size(), 150u);
  for (const Case& each : cases) EXPECT_EQ(Outcome(Read(each.table, each.question)), each.expected) << each.question;
}

// No word may be lost: wherever one is put into a question, the question is declined or means something else.
TEST(ReaderTest, NoWordIsLost) {
  std::ifstream stream(absl::StrCat(CONCLAVE_SOURCE_DIR, "/tests/persona/content_words.txt"));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  ASSERT_GE(words.size(), 200u);
  size_t step = 0;
  for (const Case& each : LoadCases("questions.txt", '=')) {
    const Reading whole = Read(each.table, each.question);
    ASSERT_TRUE(whole.plan.has_value()) << each.question;
    const std::vector<std::string> parts = absl::StrSplit(each.question, ' ');
    for (size_t at = 0; at <= parts.size(); ++at) {
      // Every word meets many questions and places; all with all would take minutes.
      for (size_t i = step++ % 61; i < words.size(); i += 61) {
        std::vector<std::string> longer = parts;
        longer.insert(longer.begin() + static_cast<ptrdiff_t>(at), words[i]);
        const std::string question = absl::StrJoin(longer, " ");
        const Reading reading = Read(each.table, question);
        EXPECT_FALSE(reading.plan == whole.plan) << question << "\nreads like: " << each.question;
      }
    }
  }
}

TEST(ReaderTest, NamesWordsThatAreLeftOver) {
  const Reading reading = Read("titanic", "What is the refunded mean fare of approximately men?");
  ASSERT_TRUE(reading.decline.has_value());
  EXPECT_EQ(reading.decline->not_understood, (std::vector<std::string>{"refunded", "approximately"}));
}

TEST(ReaderTest, SuggestsWhatIsClose) {
  EXPECT_EQ(Read("titanic", "mean farre").decline->suggestions, std::vector<std::string>{"Fare"});
  EXPECT_EQ(Read("sales", "total sales in Nroth").decline->suggestions, std::vector<std::string>{"North"});
  const std::vector<std::string> regions = Read("sales", "total sales where region is Nroth").decline->suggestions;
  EXPECT_EQ(std::set<std::string>(regions.begin(), regions.end()), (std::set<std::string>{"North", "South", "East", "West"}));
}

TEST(ReaderTest, NamesWhatLooksLikeADateAndSuggestsTheDaysItMayMean) {
  const Reading none = Read("sales", "total sales between 2023-02-29 and 13/45/2020");
  ASSERT_TRUE(none.decline.has_value());
  EXPECT_EQ(none.decline->not_understood, (std::vector<std::string>{"2023-02-29", "13/45/2020"}));
  EXPECT_EQ(Read("sales", "total sales on 3/4/2023").decline->suggestions,
            (std::vector<std::string>{"2023-03-04", "2023-04-03"}));
  EXPECT_EQ(Read("sales", "total sales on 31.12.2023").decline->suggestions, std::vector<std::string>{"2023-12-31"});
  EXPECT_TRUE(Read("sales", "total sales after 2024-02-29").plan.has_value());
  // A text of the table is no date, whatever it looks like.
  const v1::Profile parts = tests::ParseTable("parts", "code:text,n:integer\n13/45/2020,1\n14/45/2020,2\n").profile;
  EXPECT_TRUE(ReadQuestion("total n where code is 13/45/2020", {parts}).plan.has_value());
}

TEST(ReaderTest, PrintsWhatItTakesForGranted) {
  const Reading reading = Read("titanic", "standard deviation of age of men in class 1, 2 decimals");
  ASSERT_TRUE(reading.plan.has_value()) << reading.decline->reason;
  const std::string all = absl::StrJoin(reading.assumptions, "\n");
  for (const char* expected : {"\"men\" means `Sex` is 'male'", "\"class\" is the column `Pclass`", "divided by n - 1",
                               "missing values of `Age` are skipped", "shown to 2 decimals"}) {
    EXPECT_TRUE(absl::StrContains(all, expected)) << expected << " is not in\n" << all;
  }
}

TEST(ReaderTest, AmbiguousColumnsAreDeclinedWithCandidates) {
  const v1::Profile profile =
      tests::ParseTable("films", "imdb_rating:real,tomatoes_rating:real,title:text\n1.5,2.5,A\n3.5,4.5,B\n").profile;
  const Reading reading = ReadQuestion("average rating", {profile});
  ASSERT_TRUE(reading.decline.has_value());
  EXPECT_EQ(reading.decline->suggestions, (std::vector<std::string>{"imdb_rating", "tomatoes_rating"}));
}

TEST(ReaderTest, AmbiguousWordsForPeopleAreDeclined) {
  const v1::Profile profile =
      tests::ParseTable("titanic", "survived:integer,sex:text,who:text\n1,female,woman\n0,male,man\n1,female,child\n").profile;
  EXPECT_FALSE(ReadQuestion("How many women survived?", {profile}).plan.has_value());
  const Reading reading = ReadQuestion("How many female passengers survived?", {profile});
  ASSERT_TRUE(reading.plan.has_value()) << reading.decline->reason;
  EXPECT_EQ(reading.plan->filters.size(), 2u);
}

TEST(ReaderTest, UsesTheOneTableThatFits) {
  const std::vector<v1::Profile> both = {ProfileOf("titanic"), ProfileOf("cars")};
  const Reading reading = ReadQuestion("mean horsepower by origin", both);
  ASSERT_TRUE(reading.plan.has_value());
  EXPECT_EQ(reading.plan->table, "cars");
  const Reading unclear = ReadQuestion("How many rows are there?", both);
  ASSERT_TRUE(unclear.decline.has_value());
  EXPECT_EQ(unclear.decline->suggestions, (std::vector<std::string>{"titanic", "cars"}));
  const Reading named = ReadQuestion("How many rows are there in cars?", both);
  ASSERT_TRUE(named.plan.has_value());
  EXPECT_EQ(named.plan->table, "cars");
}

TEST(ReaderTest, SurvivesAnyBytes) {
  for (const std::string& question : std::vector<std::string>{
           "", " ", "?", "\xff\xfe", std::string(5, '\0'), "\"", "''", "mean of \"", "how many how many how many how many rows",
           std::string(4000, 'a'), "mean " + std::string(2000, ','), "1 2 3 4 5 6 7 8 9", "= = = < > <>", "é à Ω Ж 漢字"}) {
    EXPECT_FALSE(Read("sales", question).plan.has_value()) << question;
  }
}

TEST(ReaderTest, WorksInOtherAlphabets) {
  const v1::Profile profile = tests::ParseTable("продажи", "Сумма:real,Город:text\n1.5,Киев\n2.5,Львов\n").profile;
  const Reading reading = ReadQuestion("average сумма by город", {profile});
  ASSERT_TRUE(reading.plan.has_value()) << reading.decline->reason;
  EXPECT_EQ(reading.plan->aggregates[0].term.column.name, "Сумма");
}

TEST(ReaderTest, SaysWhoseDaysAreMeant) {
  const v1::Profile visits =
      tests::ParseTable("visits", "seen:timestamptz,amount:integer\n2024-03-31T21:30:00Z,1\n2024-12-31T12:00:00Z,300\n")
          .profile;
  const auto assumes = [&](const std::string& question, const std::string& zone, const std::string& line) {
    const Reading reading = ReadQuestion(question, {visits}, zone);
    return absl::StrContains(absl::StrJoin(reading.assumptions, "\n"), line);
  };
  for (const char* question : {"How many rows on 2024-04-01?", "Total amount in April 2024", "Total amount in 2024",
                               "Count rows by month", "Which day had the most rows?"}) {
    EXPECT_TRUE(assumes(question, "UTC", "days are days in UTC")) << question;
    EXPECT_TRUE(assumes(question, "Europe/Berlin", "days are days in the time zone Europe/Berlin")) << question;
  }
  EXPECT_FALSE(assumes("Total amount", "Europe/Berlin", "days are"));
  // Where the year turns depends on the zone, so a year at the edge of what is known is asked for, not refused.
  EXPECT_TRUE(ReadQuestion("How many rows in 2025?", {visits}, "Asia/Tokyo").plan.has_value());
  EXPECT_FALSE(ReadQuestion("How many rows in 2026?", {visits}, "Asia/Tokyo").plan.has_value());
}

TEST(ReaderTest, SaysThatDatesCouldNotBeRead) {
  v1::Profile profile = tests::ParseTable("orders", "when:text,amount:integer\n03/04/2024,1\n05/06/2024,20\n").profile;
  v1::Quirk* quirk = profile.mutable_columns(0)->add_quirks();
  quirk->set_code("ambiguous_date");
  quirk->set_detail("every date fits both day/month/year and month/day/year; kept as text, because nothing decides");
  for (const char* question : {"Total amount in April 2024", "Total amount in 2024", "amount by month", "First and last when",
                               "How many rows on 2024-04-03?", "How many rows before 2024-04-03?", "latest when"}) {
    const Reading reading = ReadQuestion(question, {profile});
    ASSERT_TRUE(reading.decline.has_value()) << question;
    EXPECT_TRUE(absl::StartsWith(reading.decline->reason, "the question needs dates, and `when` could not be read"))
        << question;
    EXPECT_TRUE(absl::StrContains(reading.decline->reason, "Write them as 2024-01-31")) << question;
  }
  EXPECT_TRUE(ReadQuestion("Total amount", {profile}).plan.has_value());
  EXPECT_FALSE(absl::StrContains(ReadQuestion("Why so few?", {profile}).decline->reason, "when"));
}

// A date column that a few cells made text must not give way to another one without a word.
TEST(ReaderTest, AnotherDateColumnDoesNotStandInForTheBetterNamedOne) {
  v1::Profile profile =
      tests::ParseTable("orders", "Date:text,Amount:integer,Paid On:date\n2024-01-05,10,2024-02-01\nTBD,20,2024-02-07\n")
          .profile;
  const std::vector<std::string> loose = {"Total amount in February 2024",  "Amount by month",
                                          "Total amount in 2024",           "Total amount between 2024-02-01 and 2024-02-29",
                                          "Total amount before 2024-02-03", "Which month had the highest amount?"};
  for (const std::string& question : loose) EXPECT_TRUE(ReadQuestion(question, {profile}).plan.has_value()) << question;
  v1::Quirk* quirk = profile.mutable_columns(0)->add_quirks();
  quirk->set_code("mixed_dates");
  quirk->set_detail("1 of 2 values are dates; kept as text because of \"TBD\"");
  quirk->add_rows(2);
  for (const std::string& question : loose) {
    const Reading reading = ReadQuestion(question, {profile});
    ASSERT_TRUE(reading.decline.has_value()) << question;
    for (const char* part : {"`Paid On`", "`Date`", "1 of 2 values are dates; kept as text because of \"TBD\" (row 2)"})
      EXPECT_TRUE(absl::StrContains(reading.decline->reason, part)) << question << reading.decline->reason;
  }
  for (const char* question : {"Total amount", "Amount by month of Paid On", "Total amount where Paid On is before 2024-02-03"})
    EXPECT_TRUE(ReadQuestion(question, {profile}).plan.has_value()) << question;
  EXPECT_TRUE(absl::StrContains(ReadQuestion("Latest Date", {profile}).decline->reason, "TBD"));
  // A column of neither such a name nor an earlier place is no rival.
  profile.mutable_columns(0)->set_name("Remark");
  EXPECT_FALSE(ReadQuestion("Total amount in February 2024", {profile}).plan.has_value());
  profile.mutable_columns()->SwapElements(0, 2);
  EXPECT_TRUE(ReadQuestion("Total amount in February 2024", {profile}).plan.has_value());
}

TEST(ReaderTest, NamesTheSpellingsOfAValue) {
  const v1::Profile shops =
      tests::ParseTable("shops", "region:text,sales:integer\nSouth,1\nSouth,20\nsouth,300\nNorth,4000\n").profile;
  const auto assumed = [&](const std::string& question) {
    return absl::StrJoin(ReadQuestion(question, {shops}).assumptions, "\n");
  };
  for (const char* question : {"Total sales in South", "Total sales in south", "Total sales where region is SOUTH",
                               "Total sales where region is \"SOUTH\""}) {
    EXPECT_TRUE(absl::StrContains(assumed(question), "'South' and 'south' of `region` are taken together")) << question;
    EXPECT_TRUE(absl::StrContains(assumed(question), "without regard to case and surrounding blanks")) << question;
  }
  EXPECT_TRUE(absl::StrContains(assumed("Total sales where region is \"south\""), "only the spelling in quotes is meant"));
  EXPECT_FALSE(absl::StrContains(assumed("Total sales in North"), "regard to case"));
  for (const char* question :
       {"Total sales by region", "How many distinct regions?", "List the distinct regions", "Least common region",
        "Most common region", "Which region has the highest total sales?", "Top 2 regions by total sales"}) {
    EXPECT_EQ(ReadQuestion(question, {shops}).notes,
              std::vector<std::string>{"'South' and 'south' of `region` are counted apart"})
        << question;
    EXPECT_EQ(ReadQuestion(question, {shops}).spellings, std::vector<std::string>{"region"}) << question;
    EXPECT_FALSE(absl::StrContains(assumed(question), "counted apart")) << question;
  }
  EXPECT_TRUE(ReadQuestion("Total sales", {shops}).notes.empty());
}

TEST(ReaderTest, NamesSpellingsBeyondTheMostFrequentValues) {
  std::string text = "status:text,sales:integer\n";
  for (int i = 0; i < 9; ++i) absl::StrAppend(&text, "s", i, ",1\n");
  v1::Profile profile = tests::ParseTable("orders", text + "x,1\nX,1\n").profile;
  v1::Quirk* quirk = profile.mutable_columns(0)->add_quirks();
  quirk->set_code("spellings");
  quirk->set_detail("11 values are 10 when case and blanks around them are ignored: 'X' and 'x'");
  EXPECT_EQ(ReadQuestion("Least common status", {profile}).notes,
            std::vector<std::string>{"spellings of `status` are counted apart: " + quirk->detail()});
}

TEST(ReaderTest, NumbersOfTheCalendarAreNotAddedUp) {
  const v1::Profile rates =
      tests::ParseTable("rates",
                        "year:integer,month:integer,weeks_per_year:integer,count:integer\n2000,1,1500,10\n"
                        "2000,2,1501,20\n2001,1,1502,30\n")
          .profile;
  for (const char* question : {"total year", "average month", "sum of month", "standard deviation of year"}) {
    const Reading reading = ReadQuestion(question, {rates});
    ASSERT_TRUE(reading.decline.has_value()) << question << Outcome(reading);
    EXPECT_TRUE(absl::StrContains(reading.decline->reason, "of the calendar")) << reading.decline->reason;
  }
  for (const char* question : {"highest year", "lowest month", "how many distinct years?", "average weeks_per_year"})
    EXPECT_TRUE(ReadQuestion(question, {rates}).plan.has_value()) << question;

  const auto together = [&](const std::string& question) {
    return absl::StrContains(absl::StrJoin(ReadQuestion(question, {rates}).assumptions, "\n"),
                             "of all years are taken together");
  };
  EXPECT_TRUE(together("total count by month"));
  EXPECT_FALSE(together("total count by year and month"));
  EXPECT_FALSE(together("total count by month in 2000"));
}

TEST(ReaderTest, BackticksNameOneColumn) {
  v1::Profile doubled = tests::ParseTable("t", "a:integer,a_2:integer\n1,2\n3,4\n").profile;
  doubled.mutable_columns(1)->set_label("a");
  const Reading reading = ReadQuestion("sum of `a`", {doubled});
  ASSERT_TRUE(reading.plan.has_value()) << reading.decline->reason;
  EXPECT_EQ(reading.plan->aggregates[0].term.column.name, "a");
  EXPECT_TRUE(ReadQuestion("sum of `a_2`", {doubled}).plan.has_value());
  EXPECT_FALSE(ReadQuestion("sum of a", {doubled}).plan.has_value());
}

TEST(ReaderTest, SpeaksOfYesAndNoInWords) {
  const v1::Profile staff = tests::ParseTable("staff", "name:text,remote:boolean\nann,true\nbo,false\nann,true\n").profile;
  const Reading reading = ReadQuestion("How many rows are remote?", {staff});
  ASSERT_TRUE(reading.plan.has_value()) << reading.decline->reason;
  EXPECT_EQ(Describe(*reading.plan), "Number of rows where `remote` is true.");
  EXPECT_TRUE(absl::StrContains(absl::StrJoin(reading.assumptions, "\n"), "`remote` is true"));
  const Reading none = ReadQuestion("mean name", {staff});
  ASSERT_TRUE(none.decline.has_value());
  EXPECT_TRUE(absl::StrContains(none.decline->reason, "no column of the table holds numbers")) << none.decline->reason;
  const Reading one = Read("titanic", "Mean of fare, 1 decimal");
  ASSERT_TRUE(one.plan.has_value()) << one.decline->reason;
  EXPECT_TRUE(absl::StrContains(absl::StrJoin(one.assumptions, "\n") + "\n", "shown to 1 decimal\n"));
}

// Reads against one small table, given as a file of tests/persona/tables would be.
Reading ReadOver(const std::string& table, const std::string& question) {
  return ReadQuestion(question, {tests::ParseTable("marks", table).profile});
}

constexpr char kMarks[] =
    "id:integer,grade:text,sales:real,note:text\n1,A,10,x\n2,A,20,\n3,B,30,y\n4,B,40,\n5,C,50,A level\n6,C,60,z\n";

TEST(ReaderTest, WithoutAValueMeansAnotherValue) {
  for (const char* question : {"how many rows without grade A", "how many rows with no grade A", "rows that have no grade A"}) {
    EXPECT_TRUE(absl::StrContains(Outcome(ReadOver(kMarks, question)), "where `grade` is not 'A'"))
        << question << "\n"
        << Outcome(ReadOver(kMarks, question));
  }
  EXPECT_EQ(Outcome(ReadOver(kMarks, "how many rows without sales 10")), "Number of rows where `sales` is not 10.");
  EXPECT_EQ(Outcome(ReadOver(kMarks, "how many rows without note")), "Number of rows where `note` is missing.");
  EXPECT_EQ(Outcome(ReadOver(kMarks, "how many rows without note and with grade A")),
            "Number of rows where `note` is missing and `grade` is 'A'.");
}

TEST(ReaderTest, WithoutAValueIsDeclinedWhereMissingValuesLeaveItOpen) {
  const Reading reading = ReadOver(kMarks, "how many rows without note x");
  ASSERT_TRUE(reading.decline.has_value()) << Outcome(reading);
  EXPECT_TRUE(absl::StrContains(reading.decline->reason, "leaves open whether rows in which `note` is missing are meant"));
  EXPECT_EQ(reading.decline->suggestions, std::vector<std::string>{"note is not x"});
}

TEST(ReaderTest, AValueRightAfterAMissingColumnIsDeclined) {
  constexpr char kOpen[] = "leaves open what that value belongs to";
  for (const auto& [question, reason] : std::vector<std::pair<std::string, std::string>>{
           {"how many rows with no note A", kOpen},
           {"how many rows missing grade A", kOpen},
           {"how many rows missing note B", kOpen},
           {"total sales without note 2024-01-31", "no value \"2024-01-31\" occurs in `note`"},
           {"how many rows with note missing B", "left over after \"how many rows with note\": \"missing B\""}}) {
    const std::string outcome = Outcome(ReadOver(kMarks, question));
    EXPECT_TRUE(absl::StrContains(outcome, reason)) << question << "\n" << outcome;
  }
}

TEST(ReaderTest, ConditionsThatExcludeEachOtherAreDeclined) {
  for (const char* question :
       {"how many rows where grade is missing and grade is A", "how many rows with sales above 30 and sales below 20",
        "how many rows with grade A and sales above 30 and sales at most 30", "average sales without sales",
        "how many rows with grade A and grade not equal to A", "how many missing values in sales with sales above 3"}) {
    const std::string outcome = Outcome(ReadOver(kMarks, question));
    EXPECT_TRUE(absl::StrContains(outcome, "no row can meet") || absl::StrContains(outcome, "which have none"))
        << question << "\n"
        << outcome;
  }
}

constexpr char kWords[] = "count:integer,average:real,by:text,*:integer\n1,10,x,5\n2,20,y,4\n2,30,x,3\n7,,count,1\n";

TEST(ReaderTest, TheNameOfAColumnBeatsAValueOfAnotherColumn) {
  for (const char* question : {"count of count", "total count by by", "number of rows with count", "how many count"}) {
    const Reading reading = ReadOver(kWords, question);
    EXPECT_FALSE(absl::StrContains(Outcome(reading), "is 'count'.")) << question << "\n" << Outcome(reading);
  }
  const Reading reading = ReadOver(kWords, "how many rows with count");
  ASSERT_TRUE(reading.decline.has_value()) << Outcome(reading);
  EXPECT_TRUE(absl::StrContains(reading.decline->reason, "\"count\" is the column `count` and also a value of `by`"))
      << reading.decline->reason;
  EXPECT_EQ(Outcome(ReadOver(kWords, "how many rows where by is count")), "Number of rows where `by` is 'count'.");
}

TEST(ReaderTest, AColumnNamedByASignIsNamedInBackticks) {
  EXPECT_EQ(Outcome(ReadOver(kWords, "total `*`")), "Total `*`.");
  EXPECT_EQ(Outcome(ReadOver(kWords, "total of \"*\"")), "Total `*`.");
}

// More values than the profile names: "East" may be one of them, and the answer must say how to ask for it.
TEST(ReaderTest, AValueBeyondTheMostFrequentIsAskedForInQuotes) {
  std::string text = "region:text,code:text,sales:integer\n";
  for (int i = 0; i < 40; ++i) absl::StrAppend(&text, "Area", i % 10, ",", i % 9, ",1\n");
  v1::Profile orders = tests::ParseTable("orders", text + "West,9,1\nEast,x,1\n").profile;
  const Reading loose = ReadQuestion("How many orders in East?", {orders});
  ASSERT_TRUE(loose.decline.has_value());
  EXPECT_TRUE(absl::StrContains(loose.decline->reason, "in quotes: where region is \"East\"")) << loose.decline->reason;
  EXPECT_TRUE(absl::StrContains(absl::StrJoin(loose.decline->suggestions, ";"), "where region is \"East\""));
  const Reading beyond = ReadQuestion("How many orders in Zulu?", {orders});
  EXPECT_FALSE(absl::StrContains(beyond.decline->reason, "in quotes")) << beyond.decline->reason;
  const Reading quoted = ReadQuestion("How many orders where region is \"East\"?", {orders});
  ASSERT_TRUE(quoted.plan.has_value());
  EXPECT_FALSE(absl::StrContains(absl::StrJoin(quoted.assumptions, "\n"), "may not occur"));

  v1::Quirk* quirk = orders.mutable_columns(1)->add_quirks();
  quirk->set_code("mixed_types");
  quirk->set_detail("41 of 42 values are numbers; kept as text because of \"x\"");
  quirk->add_rows(42);
  const Reading number = ReadQuestion("How many orders where code is 77?", {orders});
  ASSERT_TRUE(number.decline.has_value());
  EXPECT_EQ(
      number.decline->reason,
      "`code` holds text (41 of 42 values are numbers; kept as text because of \"x\" (row 42)), and 77 is not among its most "
      "frequent values; to look for it all the same, write it in quotes: where code is \"77\"");
  const Reading more = ReadQuestion("How many orders where code is more than 0?", {orders});
  ASSERT_TRUE(more.decline.has_value());
  EXPECT_TRUE(absl::StrContains(more.decline->reason, "`code` holds text")) << more.decline->reason;
}

TEST(ReaderTest, NumbersMayCarryTheUnitOfTheirColumn) {
  v1::Profile profile = tests::ParseTable("deals", "rate:real,price:integer,qty:integer\n10,5,1\n20,7,2\n").profile;
  profile.mutable_columns(0)->set_unit("percent");
  profile.mutable_columns(1)->set_unit("\xE2\x82\xAC");
  const auto read = [&](const std::string& question) { return Outcome(ReadQuestion(question, {profile})); };
  EXPECT_EQ(read("How many rows where rate is above 10%?"), read("How many rows where rate is above 10?"));
  EXPECT_EQ(read("How many rows where rate is 10 percent?"), read("How many rows where rate is 10?"));
  EXPECT_EQ(read("How many rows where price > \xE2\x82\xAC"
                 "5?"),
            read("How many rows where price > 5?"));
  EXPECT_EQ(read("How many rows where price > 5\xE2\x82\xAC?"), read("How many rows where price > 5?"));
  EXPECT_EQ(read("How many rows where price is between \xE2\x82\xAC"
                 "5 and \xE2\x82\xAC"
                 "6?"),
            read("How many rows where price is between 5 and 6?"));
  EXPECT_TRUE(absl::StrContains(read("How many rows where price > $5?"), "holds numbers in \xE2\x82\xAC"));
  EXPECT_TRUE(absl::StrContains(read("How many rows where qty > 10%?"), "holds numbers without a unit"));
}

// A value is meant in every spelling that the engines fold alike, also in those beyond ASCII.
TEST(ReaderTest, CaseDoesNotMatterInOtherAlphabetsEither) {
  for (const auto& [first, second, asked] : {std::array{"Łódź", "łódź", "ŁÓDŹ"}, std::array{"İzmir", "izmir", "IZMIR"}}) {
    const std::string cells = absl::StrCat("city:text,n:integer\n", first, ",1\n", second, ",2\nX,3\n");
    const Reading reading =
        ReadQuestion(absl::StrCat("How many rows where city is ", asked, "?"), {tests::ParseTable("shops", cells).profile});
    ASSERT_TRUE(reading.plan.has_value()) << Outcome(reading);
    EXPECT_TRUE(reading.plan->filters[0].folded) << asked;
    EXPECT_TRUE(absl::StrContains(absl::StrJoin(reading.assumptions, "\n"), "are taken together")) << asked;
  }
}

TEST(ReaderTest, SpellingsOfOneValueAreSuggestedOnce) {
  const v1::Profile profile =
      tests::ParseTable("shops", "city:text,n:integer\nGraz,1\ngraz,2\nGraz ,3\nWien,4\nWien,5\n").profile;
  const Reading reading = ReadQuestion("How many rows where city is Gratz?", {profile});
  ASSERT_TRUE(reading.decline.has_value());
  EXPECT_EQ(reading.decline->suggestions.size(), 2u) << absl::StrJoin(reading.decline->suggestions, "|");
}

TEST(ReaderTest, AnUnfinishedQuestionNamesItsWords) {
  const Reading reading = Read("titanic", "mean");
  ASSERT_TRUE(reading.decline.has_value());
  EXPECT_TRUE(absl::StrContains(reading.decline->reason, "\"mean\"")) << reading.decline->reason;
}

}  // namespace
}  // namespace conclave::offline
