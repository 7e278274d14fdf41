#include "lib/guest/recount/recount.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/guest/columns/column_store.h"
#include "lib/guest/protocol/guest_protocol.h"
#include "lib/guest/recount/cell_check.h"
#include "lib/guest/recount/plain_records.h"

namespace conclave::guest {
namespace {

std::string TextOf(const Json& object, std::string_view name) {
  const Json* member = object.Find(name);
  return member == nullptr ? "" : member->StringOr("");
}

int64_t QuirkCount(const Json& profile, std::string_view code) {
  const Json* quirks = profile.Find("quirks");
  if (quirks == nullptr) return 0;
  for (const Json& quirk : quirks->items()) {
    if (TextOf(quirk, "code") != code) continue;
    const Json* count = quirk.Find("count");
    return count == nullptr ? 0 : count->IntegerOr(0);
  }
  return 0;
}

// iconv's name of an encoding the profile names Python's way.
std::string EncodingNamed(const std::string& name) {
  if (name == "utf-16-le") return "UTF-16LE";
  if (name == "utf-16-be") return "UTF-16BE";
  return name;
}

PlainDialect DialectOf(const Json& profile) {
  PlainDialect dialect;
  dialect.encoding = EncodingNamed(TextOf(profile, "encoding"));
  const std::string delimiter = TextOf(profile, "delimiter");
  const std::string quote = TextOf(profile, "quote");
  dialect.one_column = delimiter.empty();
  if (!delimiter.empty()) dialect.delimiter = delimiter[0];
  dialect.quote = quote.empty() ? '\0' : quote[0];
  dialect.cr_ends = TextOf(profile, "newline") == "cr";
  dialect.lines_to_skip = static_cast<int>(QuirkCount(profile, "skipped_lines"));
  return dialect;
}

absl::StatusOr<Json> Compare(const Json& profile, int file, int column_store) {
  absl::StatusOr<ColumnStoreView> store = ColumnStoreView::Map(column_store);
  if (!store.ok()) return store.status();
  const PlainDialect dialect = DialectOf(profile);
  absl::StatusOr<PlainRecords> records = PlainRecords::Open(file, dialect);
  if (!records.ok()) return records.status();
  const Json* has_header = profile.Find("has_header");
  if (has_header != nullptr && has_header->BooleanOr(false)) {
    if (absl::StatusOr<bool> header = records->Next(); !header.ok()) return header.status();
  }
  std::vector<ColumnCheck> checks;
  for (size_t i = 0; i < store->columns(); ++i) checks.emplace_back(store->column(i));
  uint64_t rows = 0;
  while (true) {
    absl::StatusOr<bool> more = records->Next();
    if (!more.ok()) return more.status();
    if (!*more) break;
    if (dialect.one_column && rows > 0) {
      for (uint64_t blank = 0; blank < records->blank_lines(); ++blank, ++rows) {
        if (rows < store->rows()) checks[0].Add(rows, std::string(), false);
      }
    }
    if (rows < store->rows()) {
      for (size_t i = 0; i < checks.size(); ++i) {
        const bool there = i < records->cells();
        checks[i].Add(rows, there ? records->cell(i).text : std::string(), there && records->cell(i).quoted);
      }
    }
    ++rows;
  }
  Json columns = Json::Array();
  uint64_t differ = 0;
  uint64_t lost = 0;
  for (size_t i = 0; i < checks.size(); ++i) {
    differ += checks[i].differences();
    lost += checks[i].lost();
    if (checks[i].differences() + checks[i].lost() == 0) continue;
    columns.Append(Json::Object({{"name", Json::String(std::string(store->column(i).name()))},
                                 {"differ", Json::Integer(static_cast<int64_t>(checks[i].differences()))},
                                 {"lost", Json::Integer(static_cast<int64_t>(checks[i].lost()))},
                                 {"example", Json::String(checks[i].example())}}));
  }
  const auto rows_differ = static_cast<int64_t>(rows > store->rows() ? rows - store->rows() : store->rows() - rows);
  return Json::Object({{"frame", Json::String("recount")},
                       {"rows", Json::Integer(static_cast<int64_t>(rows))},
                       {"rows_differ", Json::Integer(rows_differ)},
                       {"cells_differ", Json::Integer(static_cast<int64_t>(differ))},
                       {"cells_lost", Json::Integer(static_cast<int64_t>(lost))},
                       {"columns", std::move(columns)}});
}

}  // namespace

int Recount(const Json& request, int file, int column_store, int frames) {
  const Json* profile = request.Find("profile");
  absl::StatusOr<Json> result =
      profile == nullptr ? absl::InvalidArgumentError("the request has no profile") : Compare(*profile, file, column_store);
  const Json frame = result.ok() ? *result : ErrorFrame("RecountError", std::string(result.status().message()), false);
  return WriteFrame(frames, frame).ok() ? 0 : 1;
}

}  // namespace conclave::guest
