#include "lib/guest/sql/strict_database.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/guest/sql/functions_aggregate.h"
#include "lib/guest/sql/functions_date.h"
#include "lib/guest/sql/functions_number.h"
#include "lib/guest/sql/functions_text.h"
#include "lib/guest/sql/statement_functions.h"
#include "lib/guest/sql/statement_tokens.h"

namespace conclave::guest {
namespace {

// How the names of tables begin that SQLite brings along and that any statement could name.
constexpr const char* kOfTheEngine[] = {"sqlite_", "pragma_", "json_",    "jsonb_",         "fts",
                                        "rtree",   "dbstat",  "bytecode", "generate_series"};

struct Limit {
  int which;
  int value;
};

// A rewritten statement is longer than the one written; the check bounds depth before SQLite does.
constexpr Limit kLimits[] = {
    {SQLITE_LIMIT_LENGTH, 32 << 20},   {SQLITE_LIMIT_SQL_LENGTH, 2 << 20},  {SQLITE_LIMIT_COLUMN, kMostColumns},
    {SQLITE_LIMIT_EXPR_DEPTH, 1000},   {SQLITE_LIMIT_COMPOUND_SELECT, 100}, {SQLITE_LIMIT_VDBE_OP, 5'000'000},
    {SQLITE_LIMIT_FUNCTION_ARG, 100},  {SQLITE_LIMIT_ATTACHED, 0},          {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 0}, {SQLITE_LIMIT_TRIGGER_DEPTH, 0},     {SQLITE_LIMIT_WORKER_THREADS, 0}};

// Whatever in a statement may be the name of a column, in ASCII lower case. A statement that cannot be split is not run.
std::set<std::string> NamesIn(std::string_view statement) {
  std::set<std::string> names;
  for (const Token& token : Tokenize(statement).tokens) {
    if (token.kind == TokenKind::kWord || token.kind == TokenKind::kQuotedName) names.insert(absl::AsciiStrToLower(token.text));
  }
  return names;
}

}  // namespace

std::string SqliteEngineName() { return absl::StrCat("sqlite ", sqlite3_libversion()); }

StrictDatabase::~StrictDatabase() { sqlite3_close_v2(db_); }

absl::StatusOr<std::unique_ptr<StrictDatabase>> StrictDatabase::Open(const std::vector<std::unique_ptr<ColumnTable>>& tables,
                                                                     std::string_view statement) {
  std::unique_ptr<StrictDatabase> database(new StrictDatabase());
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  if (sqlite3_open_v2(":memory:", &database->db_, kFlags, nullptr) != SQLITE_OK) {
    return absl::InternalError(absl::StrCat("SQLite could not start: ", sqlite3_errmsg(database->db_)));
  }
  if (absl::Status status = database->Harden(); !status.ok()) return status;
  if (absl::Status status = database->AddFunctions(); !status.ok()) return status;
  const std::set<std::string> named = NamesIn(statement);
  for (const std::unique_ptr<ColumnTable>& table : tables) {
    const std::string folded = absl::AsciiStrToLower(table->name());
    if (std::find(database->tables_.begin(), database->tables_.end(), folded) != database->tables_.end() ||
        absl::StartsWith(folded, "sqlite_") || absl::StartsWith(folded, "pragma_")) {
      return absl::InvalidArgumentError(absl::StrCat("table name \"", Excerpt(table->name(), 60), "\" is taken"));
    }
    if (absl::Status status = table->Attach(database->db_, named); !status.ok()) return status;
    database->tables_.push_back(folded);
  }
  sqlite3_set_authorizer(database->db_, Authorize, database.get());
  return database;
}

absl::Status StrictDatabase::Harden() {
  constexpr std::pair<int, int> kSwitches[] = {{SQLITE_DBCONFIG_DQS_DDL, 0},
                                               {SQLITE_DBCONFIG_DQS_DML, 0},
                                               {SQLITE_DBCONFIG_DEFENSIVE, 1},
                                               {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                               {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                               {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                               {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
                                               {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0}};
  for (const auto& [which, value] : kSwitches) {
    int now = -1;
    if (sqlite3_db_config(db_, which, value, &now) != SQLITE_OK || now != value) {
      return absl::InternalError(absl::StrCat("SQLite did not take the setting ", which));
    }
  }
  for (const Limit& limit : kLimits) sqlite3_limit(db_, limit.which, limit.value);
  // Sorts spill to the private folder (TMPDIR) instead of memory: as fast, and several times smaller.
  constexpr char kPragmas[] = "PRAGMA temp_store=FILE; PRAGMA case_sensitive_like=ON; PRAGMA cell_size_check=ON;";
  if (sqlite3_exec(db_, kPragmas, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return absl::InternalError(absl::StrCat("SQLite refused its settings: ", sqlite3_errmsg(db_)));
  }
  return absl::OkStatus();
}

absl::Status StrictDatabase::AddFunctions() {
  for (auto add : {AddAggregateFunctions, AddDateFunctions, AddNumberFunctions, AddTextFunctions}) {
    if (absl::Status status = add(db_); !status.ok()) return status;
  }
  return absl::OkStatus();
}

int StrictDatabase::Authorize(void* self, int action, const char* first, const char* second, const char*, const char*) {
  const auto& database = *static_cast<const StrictDatabase*>(self);
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_READ: {
      // A source none of whose columns is used is asked for by its name in the statement, with no column: it may be one of the
      // statement's own. Tables that SQLite brings along are not.
      const std::string table = absl::AsciiStrToLower(first == nullptr ? "" : first);
      if (second == nullptr || *second == '\0') {
        const bool engine = std::any_of(std::begin(kOfTheEngine), std::end(kOfTheEngine),
                                        [&](const char* prefix) { return absl::StartsWith(table, prefix); });
        return engine ? SQLITE_DENY : SQLITE_OK;
      }
      return std::find(database.tables_.begin(), database.tables_.end(), table) == database.tables_.end() ? SQLITE_DENY
                                                                                                          : SQLITE_OK;
    }
    case SQLITE_FUNCTION: {
      const std::string name = absl::AsciiStrToLower(second == nullptr ? "" : second);
      const bool rewrite =
          std::find(std::begin(kRewriteFunctions), std::end(kRewriteFunctions), name) != std::end(kRewriteFunctions);
      const bool pattern = name == "like" || name == "glob";
      return rewrite || pattern || FindSqlFunction(name) != nullptr ? SQLITE_OK : SQLITE_DENY;
    }
    default: return SQLITE_DENY;
  }
}

}  // namespace conclave::guest
