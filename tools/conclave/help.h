// Help: what `conclave --help` and `conclave COMMAND --help` say besides the list of options.
//
// Thread safety: constants.
#ifndef CONCLAVE_TOOLS_CONCLAVE_HELP_H_
#define CONCLAVE_TOOLS_CONCLAVE_HELP_H_

#include <string_view>

namespace conclave::cli {

struct CommandHelp {
  std::string_view name;
  std::string_view usage;    // what follows "conclave NAME"
  std::string_view purpose;  // one line
  std::string_view details;  // below the options: examples and exit codes
};

inline constexpr std::string_view kOverview =
    R"(Conclave answers questions about data files with programs that it writes, runs in isolation, and
checks against each other.

Usage: conclave COMMAND ... [options]

  ask FILE... "QUESTION"   answer a question about files
  profile FILE...          describe what is in files
  run --code CODE FILE...  run a program of your own over files, in isolation
  show ID                  show an earlier answer with its evidence
  doctor                   check what this machine offers, and say how to get what is missing

  --help                   this page; conclave COMMAND --help tells more
  --version                the version

Examples:
  conclave ask titanic.csv "What is the mean fare by class?"
  curl -s https://example.org/sales.csv | conclave ask - "How many rows are there?"
  conclave profile titanic.csv
  conclave run --code top.sql titanic.csv

Exit codes: 0 answered, 1 something else failed, 2 wrong usage, 3 not agreed, 4 declined, 5 isolation missing,
6 the input cannot be used, 130 cancelled.
)";

inline constexpr CommandHelp kAskHelp = {
    "ask", "FILE... \"QUESTION\" [options]",
    "Answers a question about files. The last argument is the question; FILE may be - for standard input.",
    R"(DURATION is a number with ms, s, m or h; SIZE one with kB, MB or GB. LEVELS of isolation are 0 to 3: 2 is that level and no
other, 1-3 the strongest there is from 1 to 3; `conclave doctor` says what each denies and which this machine has.

Examples:
  conclave ask titanic.csv "What is the mean fare by class?"
  conclave ask orders.csv customers.csv "How many orders are there?"
  zcat sales.csv.gz | conclave ask - "total amount by month" --json
  conclave ask --wall 10s --memory 256MB big.csv "median price"

Questions that are read, in the words of your own columns and values; a question with words that fit none is declined:
  rows                              How many rows are there?
  rows with a value                 How many days had rain?
  rows under a condition            How many days with precipitation > 10?
  columns                           What are the columns and their types?
  a figure                          What is the average temp_max?
  several figures                   Minimum, maximum and range of temp_max
  decimals                          Mean and standard deviation of wind, 2 decimals
  quantiles                         90th percentile of wind
  distinct values                   How many distinct weather values are there?
  the most frequent value           Most common weather
  missing values                    Missing values per column
  a figure by group                 Average temp_max by weather
  by group, sorted                  Total precipitation by weather, highest first
  the group that leads              Which weather has the highest average wind?
  the row that leads                Date with the highest temp_max
  the first or last few             Top 5 products by quantity
  groups under a condition          Regions with more than 10 orders
  by year, quarter, month, weekday  Precipitation by month
  the period that leads             Which month had the highest precipitation?
  in a period                       Average temp_max in 2014
  between dates                     Total precipitation between 2014-01-01 and 2014-03-31
  first and last date               First and last date
  percentages                       What percent of days had rain?
  shares by group                   Share of precipitation by weather
  rows listed                       Show days with wind > 9
  texts                             How many rows have a product containing "pro"?

Exit codes: 0 confirmed or supported, 2 wrong usage, 3 the programs did not agree, only one ran or the deadline
passed, 4 declined, 5 isolation missing, 6 the file cannot be used, 130 cancelled.)"};

inline constexpr CommandHelp kProfileHelp = {
    "profile", "FILE... [options]", "Describes files: columns, types, ranges, frequent values, and everything odd about them.",
    R"(DURATION is a number with ms, s, m or h; SIZE one with kB, MB or GB. LEVELS of isolation are 0 to 3: 2 is that level and no
other, 1-3 the strongest there is from 1 to 3; `conclave doctor` says what each denies and which this machine has.

Examples:
  conclave profile titanic.csv
  conclave profile - --json < titanic.csv

Exit codes: 0 described, 2 wrong usage, 3 the deadline passed, 5 isolation missing, 6 the file cannot be used,
130 cancelled.)"};

inline constexpr CommandHelp kRunHelp = {
    "run", "--code CODE [--language sql|python] FILE... [options]",
    "Runs a program of your own over files, in isolation and under limits.",
    R"(SQL is one SELECT over the table names that `conclave profile` shows. Python calls load() for the table as a pandas
DataFrame, load(["a", "b"]) for some columns, and assigns `result`.
DURATION is a number with ms, s, m or h; SIZE one with kB, MB or GB. LEVELS of isolation are 0 to 3: 2 is that level and no
other, 1-3 the strongest there is from 1 to 3; `conclave doctor` says what each denies and which this machine has.

Examples:
  conclave run --code top.sql titanic.csv
  echo 'SELECT count(*) FROM titanic' | conclave run --language sql --code - titanic.csv
  conclave run --code fares.py --memory 1GB titanic.csv

Exit codes: 0 an answer came, 2 wrong usage, 3 no answer came, 5 isolation missing, 6 the file cannot be used,
130 cancelled.)"};

inline constexpr CommandHelp kShowHelp = {"show", "ID [options]",
                                          "Shows an earlier answer with its evidence. `conclave ask` prints the id.",
                                          R"(Example:
  conclave show 3f2a9c

Exit codes: 0 shown, 2 wrong usage, 6 no such id in this store and scope.)"};

inline constexpr CommandHelp kDoctorHelp = {
    "doctor", "[options]", "Checks everything Conclave depends on, and says how to get what is missing.",
    R"(LEVELS of isolation are 0 to 3: 2 is that level and no other, 1-3 the strongest there is from 1 to 3. All are tried,
whatever is asked for.

Examples:
  conclave doctor
  conclave doctor --isolation 3 --json

Exit codes: 0 questions can be answered, 1 a part they need is missing, 5 isolation missing.)"};

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_HELP_H_
