#include "lib/guest/sql/sql_request.h"

#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/guest/protocol/guest_protocol.h"
#include "lib/guest/sql/result_rows.h"
#include "lib/guest/sql/statement_check.h"
#include "lib/guest/sql/strict_database.h"

namespace conclave::guest {
namespace {

// What is left of the run's memory for code, mappings of results and the C library.
constexpr int64_t kLeastMemory = 8 << 20;
constexpr double kSqliteShare = 0.6;

// An error on its way to its frame.
struct Failure {
  std::string type = "SqlError";
  std::string message;
  int line = 0;
  std::string source_line;
  bool repairable = true;
  std::string limit;
};

// SQLite's memory limit for the length of a request.
class MemoryLimit {
 public:
  explicit MemoryLimit(int64_t bytes) : before_(sqlite3_hard_heap_limit64(-1)) {
    if (bytes > 0)
      sqlite3_hard_heap_limit64(std::max(kLeastMemory, static_cast<int64_t>(static_cast<double>(bytes) * kSqliteShare)));
  }
  ~MemoryLimit() { sqlite3_hard_heap_limit64(before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  sqlite3_int64 before_;
};

struct StatementCloser {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, StatementCloser>;

class Run {
 public:
  Run(const Json& request, const std::vector<int>& stores, int frames) : request_(request), stores_(stores), frames_(frames) {}

  int Execute() {
    Send(EngineFrame(SqliteEngineName()));
    if (const Json* granted = request_.Find("canaries")) {
      for (const Json& canary : TryIsolation(kFirstDataDescriptor + static_cast<int>(stores_.size()), granted)) Send(canary);
    }
    std::optional<Json> answer = Compute();
    // Tables must outlive the connection, which has to be gone before the result is written: memory is short.
    database_.reset();
    if (answer) {
      Send(Json::Object({{"frame", Json::String("answer")}, {"answer", std::move(*answer)}}));
    } else {
      SendFailure();
    }
    return written_.ok() ? 0 : 1;
  }

 private:
  void Send(const Json& frame) {
    if (written_.ok()) written_ = WriteFrame(frames_, frame);
  }

  void SendFailure() {
    Json frame = ErrorFrame(failure_.type, failure_.message, failure_.repairable);
    if (failure_.line > 0) {
      frame.Set("line", Json::Integer(failure_.line));
      frame.Set("source_line", Json::String(RepairUtf8(failure_.source_line)));
    }
    if (!failure_.limit.empty()) frame.Set("limit", Json::String(failure_.limit));
    Send(frame);
  }

  std::nullopt_t Fail(Failure failure) {
    failure_ = std::move(failure);
    return std::nullopt;
  }

  std::optional<Json> Compute() {
    const Json* code = request_.Find("code");
    if (code == nullptr || !code->is_string()) {
      return Fail({.type = "RequestError", .message = "the request has no code", .repairable = false});
    }
    code_ = code->string();
    const Json* memory = request_.Find("memory_bytes");
    const MemoryLimit limit(memory == nullptr ? 0 : memory->IntegerOr(0));
    if (!OpenTables()) return std::nullopt;
    std::vector<KnownTable> known;
    for (const std::unique_ptr<ColumnTable>& table : tables_) known.push_back(table->Known());
    CheckedStatement checked = CheckStatement(code_, known);
    if (checked.fault) return FailAt(checked.fault->message, checked.fault->offset);
    std::optional<Json> answer = Step(checked);
    if (!answer) return std::nullopt;
    SendLoaded();
    AddShape(checked, &*answer);
    return answer;
  }

  bool OpenTables() {
    const Json* tables = request_.Find("tables");
    const size_t named = tables == nullptr ? 0 : tables->items().size();
    if (named != stores_.size()) {
      Fail({.type = "RequestError",
            .message = absl::StrCat("the request names ", named, " tables, but ", stores_.size(), " are there"),
            .repairable = false});
      return false;
    }
    for (size_t i = 0; i < named; ++i) {
      const Json* name = tables->items()[i].Find("name");
      absl::StatusOr<ColumnStoreView> store = ColumnStoreView::Map(stores_[i]);
      if (name == nullptr || !name->is_string() || name->string().empty() || !store.ok()) {
        const std::string why = store.ok() ? "it has no name" : std::string(store.status().message());
        Fail({.type = "DatasetError", .message = absl::StrCat("tables[", i, "]: ", why), .repairable = false});
        return false;
      }
      tables_.push_back(std::make_unique<ColumnTable>(name->string(), std::move(*store)));
    }
    absl::StatusOr<std::unique_ptr<StrictDatabase>> database = StrictDatabase::Open(tables_, code_);
    if (absl::IsOutOfRange(database.status())) {  // the statement asks for too much of a good dataset
      Fail({.message = std::string(database.status().message())});
      return false;
    }
    if (!database.ok()) {
      Fail({.type = "DatasetError", .message = std::string(database.status().message()), .repairable = false});
      return false;
    }
    database_ = std::move(*database);
    return true;
  }

  std::nullopt_t FailAt(std::string message, size_t offset) {
    SourcePlace place = Locate(code_, offset);
    return Fail({.message = std::move(message), .line = place.line, .source_line = std::move(place.text)});
  }

  std::optional<Json> Step(const CheckedStatement& checked) {
    sqlite3_stmt* prepared = nullptr;
    const char* rest = nullptr;
    const int size = static_cast<int>(checked.sql.size());
    int code = sqlite3_prepare_v2(database_->get(), checked.sql.data(), size, &prepared, &rest);
    const Statement statement(prepared);
    if (code != SQLITE_OK) return FailSqlite(code, checked.sql);
    if (prepared == nullptr || sqlite3_stmt_readonly(prepared) == 0) return FailAt("only one SELECT is run", 0);
    if (static_cast<size_t>(sqlite3_column_count(prepared)) != checked.columns.size()) {
      return FailAt("the result's columns could not be told beforehand: name them instead of *", 0);
    }
    ResultRows rows(checked.columns, ResultBounds());
    while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
      const ResultFault fault = rows.Add(prepared);
      if (!fault.type.empty()) return Fail({.type = fault.type, .message = fault.message});
    }
    if (code != SQLITE_DONE) return FailSqlite(code, checked.sql);
    return rows.Answer();
  }

  std::nullopt_t FailSqlite(int code, const std::string& sql) {
    sqlite3* db = database_->get();
    const std::string text = sqlite3_errmsg(db);
    switch (code & 0xff) {
      case SQLITE_NOMEM:
        return Fail({.type = "MemoryError",
                     .message = "the statement needs more memory than the run has: group or filter earlier",
                     .repairable = false,
                     .limit = "memory"});
      case SQLITE_FULL:
      case SQLITE_IOERR:
        return Fail({.type = "DiskError",
                     .message = absl::StrCat("sorting needs more room than the run's private folder has: ", text),
                     .repairable = false,
                     .limit = "disk"});
      case SQLITE_TOOBIG: return Fail({.message = absl::StrCat("a text or the statement grows too long: ", text)});
      case SQLITE_AUTH: return Fail({.message = absl::StrCat("not allowed: ", text)});
      default: break;
    }
    Failure failure;
    failure.message = Excerpt(text, 1000);
    // The rewritten statement has the same lines as the one written.
    if (const int offset = sqlite3_error_offset(db); offset >= 0) {
      const int line = Locate(sql, static_cast<size_t>(offset)).line;
      size_t begin = 0;
      for (int i = 1; i < line && begin < code_.size(); ++i) begin = std::min(code_.find('\n', begin), code_.size() - 1) + 1;
      failure.line = line;
      failure.source_line = Locate(code_, begin).text;
    }
    return Fail(std::move(failure));
  }

  void SendLoaded() {
    for (const std::unique_ptr<ColumnTable>& table : tables_) {
      const std::vector<std::string> used = table->UsedColumns();
      if (used.empty()) continue;
      Json columns = Json::Array();
      for (const std::string& name : used) columns.Append(Json::String(name));
      Send(Json::Object(
          {{"frame", Json::String("loaded")}, {"table", Json::String(table->name())}, {"columns", std::move(columns)}}));
    }
  }

  void AddShape(const CheckedStatement& checked, Json* answer) const {
    const Json* shape = request_.Find("shape");
    auto member = [&](const char* name) { return shape == nullptr ? nullptr : shape->Find(name); };
    if (const Json* unit = member("unit"); unit != nullptr && unit->is_string() && !unit->string().empty())
      answer->Set("unit", *unit);
    if (const Json* decimals = member("decimals"); decimals != nullptr && decimals->is_number())
      answer->Set("decimals", *decimals);
    const Json* ordered = member("ordered");
    const bool is_table = answer->Find("kind")->string() == "table";
    const bool in_order = ordered != nullptr && ordered->is_boolean() ? ordered->boolean() : checked.ordered && is_table;
    answer->Set("ordered", Json::Boolean(in_order));
  }

  const Json& request_;
  const std::vector<int>& stores_;
  int frames_;
  std::string code_;
  std::vector<std::unique_ptr<ColumnTable>> tables_;
  std::unique_ptr<StrictDatabase> database_;
  Failure failure_;
  absl::Status written_;
};

}  // namespace

int RunSqlRequest(const Json& request, const std::vector<int>& stores, int frames) {
  return Run(request, stores, frames).Execute();
}

}  // namespace conclave::guest
