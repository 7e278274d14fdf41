#include "lib/guest/ingest/ingest.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/descriptor.h"
#include "lib/guest/columns/column_layout.h"
#include "lib/guest/ingest/column_names.h"
#include "lib/guest/ingest/column_writer.h"
#include "lib/guest/ingest/content.h"
#include "lib/guest/ingest/refusal.h"
#include "lib/guest/ingest/spellings.h"
#include "lib/guest/ingest/table_census.h"

namespace conclave::guest {
namespace {

constexpr size_t kWriteBuffers = 24u << 20;  // of all columns together
constexpr uint64_t kFewEntries = 256;
constexpr int64_t kProgressRows = 1 << 16;

std::string TypeName(StoredType type) {
  switch (type) {
    case StoredType::kInteger: return "integer";
    case StoredType::kReal: return "real";
    case StoredType::kBoolean: return "boolean";
    case StoredType::kText: return "text";
    case StoredType::kDate: return "date";
    case StoredType::kTimestamp: return "timestamp";
    case StoredType::kTimestampTz: return "timestamptz";
  }
  return "text";
}

// A dictionary pays when texts repeat.
bool WantsDictionary(const TextDictionary& texts) {
  return texts.keeping() && (texts.entries() <= kFewEntries || texts.entries() * 2 <= texts.added());
}

std::vector<ColumnPlan> PlanColumns(const std::vector<ColumnName>& names, TableCensus* census) {
  std::vector<ColumnPlan> plans;
  for (size_t i = 0; i < census->width; ++i) {
    ColumnDecision& decision = census->decisions[i];
    ColumnPlan plan{
        .name = names[i].name, .type = decision.type, .layout = StoredLayout::kFixed, .null_count = decision.null_count};
    if (decision.type == StoredType::kText) {
      TextDictionary& texts = census->columns[i]->texts();
      if (texts.keeping()) texts.Sort();
      if (std::optional<IngestQuirk> spellings = SpellingsQuirk(texts)) decision.quirks.push_back(*std::move(spellings));
      if (WantsDictionary(texts)) {
        plan.layout = StoredLayout::kDictionary;
        plan.entries = texts.entries();
        for (size_t entry = 0; entry < texts.entries(); ++entry) plan.bytes += texts.Entry(entry).size();
      } else {
        plan.layout = StoredLayout::kPlain;
        plan.bytes = texts.added_bytes();
      }
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

absl::Status PrepareOutput(int output, const ColumnFileLayout& layout) {
  if (::ftruncate(output, static_cast<off_t>(layout.header.file_size)) < 0) {
    return ErrnoStatus(errno, absl::StrCat("making room for a column store of ", layout.header.file_size, " bytes"));
  }
  PlacedOutput head(output, {0, layout.head.size()}, 1 << 16);
  if (absl::Status put = head.Append(layout.head); !put.ok()) return put;
  return head.Finish();
}

// The second reading: every cell becomes a value in its place.
absl::Status WriteRows(const Content& content, const TableCensus& census,
                       const std::vector<std::unique_ptr<ColumnWriter>>& writers, const IngestOptions& options) {
  TableReader reader(content, census.start, census.has_header);
  std::vector<Cell> cells;
  while (reader.Next(&cells)) {
    cells.resize(census.width);
    for (size_t i = 0; i < census.width; ++i) {
      if (absl::Status added = writers[i]->Add(cells[i]); !added.ok()) return added;
    }
    if (options.progress && reader.row() % kProgressRows == 0) {
      options.progress(2, reader.position(), static_cast<uint64_t>(reader.row()));
    }
  }
  if (static_cast<uint64_t>(reader.row()) != census.rows) {
    return Refuse("InputChanged", "the file changed while it was read: run again when nothing writes to it");
  }
  for (const auto& writer : writers) {
    if (absl::Status finished = writer->Finish(); !finished.ok()) return finished;
  }
  return absl::OkStatus();
}

Json QuirkJson(const IngestQuirk& quirk) {
  Json json = Json::Object();
  json.Set("code", Json::String(quirk.code));
  if (quirk.count > 0) json.Set("count", Json::Integer(quirk.count));
  Json rows = Json::Array();
  for (const int64_t row : quirk.rows) rows.Append(Json::Integer(row));
  if (!quirk.rows.empty()) json.Set("rows", std::move(rows));
  json.Set("detail", Json::String(quirk.detail));
  json.Set("notable", Json::Boolean(quirk.notable));
  return json;
}

Json ColumnJson(const ColumnName& name, const ColumnDecision& decision, const ColumnWriter& writer) {
  Json json = Json::Object();
  json.Set("name", Json::String(name.name));
  json.Set("label", Json::String(name.label));
  json.Set("type", Json::String(TypeName(decision.type)));
  json.Set("nulls", Json::Integer(static_cast<int64_t>(decision.null_count)));
  json.Set("distinct", Json::Integer(static_cast<int64_t>(writer.distinct())));
  json.Set("distinct_is_exact", Json::Boolean(writer.distinct_is_exact()));
  Json least = writer.Least();
  if (!least.is_null()) {
    json.Set("min", std::move(least));
    json.Set("max", writer.Greatest());
  }
  json.Set("top", writer.Top());
  if (!decision.unit.empty()) json.Set("unit", Json::String(decision.unit));
  if (!decision.decimal_mark.empty()) json.Set("decimal_mark", Json::String(decision.decimal_mark));
  if (decision.decimals > 0) json.Set("decimals", Json::Integer(decision.decimals));
  if (decision.identifier) json.Set("identifier", Json::Boolean(true));
  Json quirks = Json::Array();
  for (const auto* list : {&name.quirks, &decision.quirks}) {
    for (const IngestQuirk& quirk : *list) {
      Json one = QuirkJson(quirk);
      one.Set("column", Json::String(name.name));
      quirks.Append(std::move(one));
    }
  }
  json.Set("quirks", std::move(quirks));
  return json;
}

Json ProfileJson(const Content& content, const TableCensus& census, const std::vector<ColumnName>& names,
                 const std::vector<std::unique_ptr<ColumnWriter>>& writers) {
  const Dialect& dialect = census.start.dialect;
  Json json = Json::Object();
  json.Set("rows", Json::Integer(static_cast<int64_t>(census.rows)));
  json.Set("format", Json::String(dialect.delimiter == '\t' ? "tsv" : "csv"));
  json.Set("encoding", Json::String(content.encoding));
  json.Set("delimiter", Json::String(census.start.width == 1 && census.width == 1 ? "" : std::string(1, dialect.delimiter)));
  json.Set("quote", Json::String(dialect.quote == '\0' ? "" : std::string(1, dialect.quote)));
  json.Set("newline", Json::String(census.newline));
  json.Set("has_header", Json::Boolean(census.has_header));
  Json columns = Json::Array();
  for (size_t i = 0; i < census.width; ++i) columns.Append(ColumnJson(names[i], census.decisions[i], *writers[i]));
  json.Set("columns", std::move(columns));
  Json quirks = Json::Array();
  for (const IngestQuirk& quirk : census.quirks) quirks.Append(QuirkJson(quirk));
  json.Set("quirks", std::move(quirks));
  json.Set("reader", Json::String(kIngestReader));
  return json;
}

}  // namespace

absl::StatusOr<Json> Ingest(int input, int output, const IngestOptions& options) {
  absl::StatusOr<Content> content = OpenContent(input);
  if (!content.ok()) return content.status();
  MemoryBudget budget(options.counting_bytes);
  const ReadingProgress progress = [&options](uint64_t bytes, uint64_t rows) {
    if (options.progress) options.progress(1, bytes, rows);
  };
  absl::StatusOr<TableCensus> census = TakeCensus(*content, &budget, progress);
  if (!census.ok()) return census.status();
  const std::vector<ColumnName> names = NameColumns(census->header, census->width);
  absl::StatusOr<ColumnFileLayout> layout = LayOutColumns(PlanColumns(names, &*census), census->rows);
  if (!layout.ok()) return layout.status();
  if (absl::Status prepared = PrepareOutput(output, *layout); !prepared.ok()) return prepared;

  const size_t buffer = std::clamp<size_t>(kWriteBuffers / census->width / 4, 1024, 256u << 10);
  std::vector<std::unique_ptr<ColumnWriter>> writers;
  for (size_t i = 0; i < census->width; ++i) {
    writers.push_back(std::make_unique<ColumnWriter>(output, layout->records[i], census->decisions[i], *census->columns[i],
                                                     census->rows, buffer, &budget));
  }
  if (absl::Status written = WriteRows(*content, *census, writers, options); !written.ok()) return written;
  return ProfileJson(*content, *census, names, writers);
}

}  // namespace conclave::guest
