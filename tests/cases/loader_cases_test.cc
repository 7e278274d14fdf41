// Runs the loader, dialect and number cases of tests/cases: every case is written to a file, read by ingest, read back from
// the column store and the profile, and read a second time by recount, which must find nothing else.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "conclave/v1/profile.pb.h"
#include "lib/base/descriptor.h"
#include "lib/base/json.h"
#include "lib/base/proto_json.h"
#include "lib/guest/columns/column_store.h"
#include "lib/guest/ingest/date_lexeme.h"
#include "lib/guest/ingest/ingest.h"
#include "lib/guest/ingest/refusal.h"
#include "lib/guest/recount/recount.h"
#include "tests/support/pending_cases.h"

namespace conclave::guest {
namespace {

Descriptor TemporaryFile(const std::string& bytes) {
  std::string name = testing::TempDir() + "loader-XXXXXX";
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  ::unlink(name.c_str());
  EXPECT_TRUE(WriteAll(file.get(), bytes).ok());
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// What came out of a case.
struct Loaded {
  std::string error;  // a word of the cases: "empty_input"; empty when it was read
  std::string message;
  v1::Profile profile;
  Json profile_json;
  Descriptor input;
  Descriptor file;  // the column store
  absl::StatusOr<ColumnStoreView> store = absl::UnknownError("nothing was read");
};

std::string ErrorWord(const std::string& type) {
  if (type == "EmptyInput") return "empty_input";
  if (type == "UnsupportedFormat") return "format";
  if (type == "EncryptedOrXls") return "encrypted_or_xls";
  if (type == "Encoding") return "encoding";
  if (type == "TooManyColumns") return "too_many_columns";
  return type;
}

Loaded Load(const std::string& bytes) {
  Loaded loaded;
  loaded.input = TemporaryFile(bytes);
  loaded.file = TemporaryFile("");
  absl::StatusOr<Json> profile = Ingest(loaded.input.get(), loaded.file.get(), IngestOptions());
  if (!profile.ok()) {
    loaded.error = ErrorWord(RefusalType(profile.status()));
    loaded.message = std::string(profile.status().message());
    return loaded;
  }
  loaded.profile_json = *profile;
  const absl::Status decoded = JsonToMessage(*profile, &loaded.profile);
  EXPECT_TRUE(decoded.ok()) << decoded;
  loaded.store = ColumnStoreView::Map(loaded.file.get());
  if (loaded.store.ok()) {
    EXPECT_TRUE(loaded.store->Verify().ok()) << loaded.store->Verify();
  }
  return loaded;
}

std::string TypeWord(v1::ColumnType type) {
  switch (type) {
    case v1::COLUMN_INTEGER: return "integer";
    case v1::COLUMN_REAL: return "real";
    case v1::COLUMN_BOOLEAN: return "boolean";
    case v1::COLUMN_DATE: return "date";
    case v1::COLUMN_TIMESTAMP: return "timestamp";
    case v1::COLUMN_TIMESTAMPTZ: return "timestamptz";
    default: return "text";
  }
}

std::vector<const v1::Quirk*> AllQuirks(const v1::Profile& profile) {
  std::vector<const v1::Quirk*> quirks;
  for (const v1::Quirk& quirk : profile.quirks()) quirks.push_back(&quirk);
  for (const v1::ColumnProfile& column : profile.columns()) {
    for (const v1::Quirk& quirk : column.quirks()) quirks.push_back(&quirk);
  }
  return quirks;
}

// A warning is a code, or a code with a count, a row or a column: "short_row:2".
bool HasWarning(const v1::Profile& profile, const std::string& warning) {
  const size_t colon = warning.find(':');
  const std::string code = warning.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : warning.substr(colon + 1);
  for (const v1::Quirk* quirk : AllQuirks(profile)) {
    if (quirk->code() != code) continue;
    if (rest.empty() || rest == quirk->column() || rest == std::to_string(quirk->count())) return true;
    for (const int64_t row : quirk->rows()) {
      if (rest == std::to_string(row)) return true;
    }
  }
  return false;
}

bool IsNotable(const v1::Profile& profile) {
  for (const v1::Quirk* quirk : AllQuirks(profile)) {
    if (quirk->notable()) return true;
  }
  return false;
}

// The cell as JSON text, in the words of the cases.
std::string CellText(const ColumnView& column, uint64_t row) {
  if (column.IsNull(row)) return "null";
  switch (column.type()) {
    case StoredType::kInteger: return std::to_string(column.Integer(row));
    case StoredType::kReal: return absl::StrCat(column.Real(row));
    case StoredType::kBoolean: return column.Boolean(row) ? "true" : "false";
    case StoredType::kText: return Json::String(std::string(column.Text(row))).Text();
    case StoredType::kDate: return Json::String(DateText(column.Integer(row))).Text();
    case StoredType::kTimestamp: return Json::String(TimestampText(column.Integer(row), false)).Text();
    case StoredType::kTimestampTz: return Json::String(TimestampText(column.Integer(row), true)).Text();
  }
  return "";
}

bool CellIs(const ColumnView& column, uint64_t row, const Json& expected) {
  if (column.type() == StoredType::kReal && !column.IsNull(row) && expected.is_number()) {
    return column.Real(row) == std::strtod(expected.lexeme().c_str(), nullptr);
  }
  return CellText(column, row) == expected.Text();
}

bool RowIs(const ColumnStoreView& store, uint64_t row, const Json& expected) {
  if (expected.items().size() != store.columns()) return false;
  for (size_t i = 0; i < store.columns(); ++i) {
    if (!CellIs(store.column(i), row, expected.items()[i])) return false;
  }
  return true;
}

bool RowsAre(const ColumnStoreView& store, const Json& expected) {
  if (store.rows() != expected.items().size()) return false;
  for (uint64_t row = 0; row < store.rows(); ++row) {
    if (!RowIs(store, row, expected.items()[row])) return false;
  }
  return true;
}

std::string TableText(const ColumnStoreView& store) {
  std::string text;
  for (uint64_t row = 0; row < std::min<uint64_t>(store.rows(), 10); ++row) {
    for (size_t i = 0; i < std::min<size_t>(store.columns(), 10); ++i)
      absl::StrAppend(&text, CellText(store.column(i), row), " ");
    text += "\n";
  }
  return text;
}

std::string ColumnsFault(const Loaded& loaded, const Json& expect, bool* other_types) {
  const Json* columns = expect.Find("columns");
  if (columns == nullptr) return "";
  if (columns->items().size() != loaded.store->columns()) return absl::StrCat("has ", loaded.store->columns(), " columns");
  for (size_t i = 0; i < columns->items().size(); ++i) {
    const Json& column = columns->items()[i];
    const v1::ColumnProfile& found = loaded.profile.columns(static_cast<int>(i));
    const std::string name = column.Find("name")->string();
    if (loaded.store->column(i).name() != name) {
      return absl::StrCat("column ", i + 1, " is called ", std::string(loaded.store->column(i).name()));
    }
    if (found.name() != name) return absl::StrCat("the profile calls column ", i + 1, " ", found.name());
    if (TypeWord(found.type()) == column.Find("type")->string()) continue;
    const Json* alternatives = expect.Find("alt_types");
    const Json* alternative = alternatives == nullptr ? nullptr : alternatives->Find(name);
    if (alternative == nullptr || alternative->string() != TypeWord(found.type())) {
      return absl::StrCat("column ", name, " is ", TypeWord(found.type()));
    }
    *other_types = true;
  }
  return "";
}

std::string RowsFault(const Loaded& loaded, const Json& expect, bool other_types) {
  const ColumnStoreView& store = *loaded.store;
  if (const Json* count = expect.Find("n_rows");
      count != nullptr && count->IntegerOr(-1) != static_cast<int64_t>(store.rows())) {
    return absl::StrCat("has ", store.rows(), " rows");
  }
  if (const Json* count = expect.Find("n_columns");
      count != nullptr && count->IntegerOr(-1) != static_cast<int64_t>(store.columns())) {
    return absl::StrCat("has ", store.columns(), " columns");
  }
  if (const Json* least = expect.Find("min_rows");
      least != nullptr && static_cast<int64_t>(store.rows()) < least->IntegerOr(0)) {
    return absl::StrCat("has only ", store.rows(), " rows");
  }
  if (const Json* last = expect.Find("last_row"); last != nullptr && !RowIs(store, store.rows() - 1, *last)) {
    return "the last row differs";
  }
  const Json* rows = expect.Find("rows");
  if (rows == nullptr || other_types || RowsAre(store, *rows)) return "";
  if (const Json* others = expect.Find("alt_rows"); others != nullptr) {
    for (const Json& other : others->items()) {
      if (RowsAre(store, other)) return "";
    }
  }
  return absl::StrCat("the rows differ:\n", TableText(store));
}

std::string ProfileFault(const Loaded& loaded, const Json& expect) {
  if (static_cast<uint64_t>(loaded.profile.rows()) != loaded.store->rows()) return "profile and store differ in rows";
  for (int i = 0; i < loaded.profile.columns_size(); ++i) {
    const ColumnView& column = loaded.store->column(static_cast<size_t>(i));
    if (static_cast<uint64_t>(loaded.profile.columns(i).nulls()) != column.null_count())
      return "profile and store differ in nulls";
  }
  if (const Json* encoding = expect.Find("encoding"); encoding != nullptr && encoding->string() != loaded.profile.encoding()) {
    return absl::StrCat("the encoding is ", loaded.profile.encoding());
  }
  if (const Json* warnings = expect.Find("warnings"); warnings != nullptr) {
    for (const Json& warning : warnings->items()) {
      if (!HasWarning(loaded.profile, warning.string())) return absl::StrCat("no warning ", warning.string());
    }
  }
  if (const Json* units = expect.Find("units"); units != nullptr) {
    for (const auto& [name, unit] : units->members()) {
      bool found = false;
      for (const v1::ColumnProfile& column : loaded.profile.columns())
        found |= column.name() == name && column.unit() == unit.string();
      if (!found) return absl::StrCat("column ", name, " is not in ", unit.string());
    }
  }
  if (const Json* surplus = expect.Find("surplus"); surplus != nullptr) {
    for (const auto& [row, cells] : surplus->members()) {
      for (const Json& cell : cells.items()) {
        bool shown = false;
        for (const v1::Quirk& quirk : loaded.profile.quirks()) {
          shown |= quirk.code() == "long_row" &&
                   quirk.detail().find(absl::StrCat("row ", row, ": \"", cell.string(), "\"")) != std::string::npos;
        }
        if (!shown) return absl::StrCat("the surplus cell ", cell.string(), " is not shown");
      }
    }
  }
  return "";
}

// What the second reader finds differently; empty when both readers agree.
std::string SecondReaderFault(const Loaded& loaded) {
  Descriptor frames(::memfd_create("frames", MFD_CLOEXEC));
  const Json request = Json::Object({{"profile", loaded.profile_json}});
  if (Recount(request, loaded.input.get(), loaded.file.get(), frames.get()) != 0) return "the second reader wrote no frame";
  ::lseek(frames.get(), 0, SEEK_SET);
  const absl::StatusOr<std::string> written = ReadAll(frames.get(), 1 << 20);
  if (!written.ok() || written->size() < 4) return "the second reader's frame cannot be read";
  const absl::StatusOr<Json> frame = ParseJson(written->substr(4));
  if (!frame.ok()) return frame.status().ToString();
  for (const char* member : {"rows_differ", "cells_differ", "cells_lost"}) {
    const Json* count = frame->Find(member);
    if (count == nullptr || count->IntegerOr(-1) != 0) return absl::StrCat("the second reader disagrees: ", frame->Text());
  }
  return "";
}

// One of the other readings that the case allows: "error:encoding", "warn:truncated".
bool AllowedOtherwise(const Loaded& loaded, const Json& expect) {
  const Json* others = expect.Find("alt_outcomes");
  if (others == nullptr) return false;
  for (const Json& other : others->items()) {
    if (other.string() == absl::StrCat("error:", loaded.error)) return true;
    if (loaded.error.empty() && other.string().compare(0, 5, "warn:") == 0 && IsNotable(loaded.profile) &&
        HasWarning(loaded.profile, other.string().substr(5))) {
      return true;
    }
  }
  return false;
}

std::string Fault(const Loaded& loaded, const Json& expect) {
  // The readers may differ only where a notable quirk says that something is odd.
  if (loaded.error.empty() && loaded.store.ok() && !IsNotable(loaded.profile)) {
    if (std::string fault = SecondReaderFault(loaded); !fault.empty()) return fault;
  }
  if (AllowedOtherwise(loaded, expect)) return "";
  const std::string outcome = expect.Find("outcome")->string();
  if (outcome == "error") {
    if (loaded.error.empty()) return "it was read";
    const std::string wanted = expect.Find("error")->string();
    return wanted == loaded.error ? "" : absl::StrCat("the error is ", loaded.error, ": ", loaded.message);
  }
  if (!loaded.error.empty()) return absl::StrCat("error ", loaded.error, ": ", loaded.message);
  if (!loaded.store.ok()) return loaded.store.status().ToString();
  if (expect.Find("tables") != nullptr) return "several tables are not read";
  bool other_types = false;
  for (const std::string& fault :
       {ColumnsFault(loaded, expect, &other_types), RowsFault(loaded, expect, other_types), ProfileFault(loaded, expect)}) {
    if (!fault.empty()) return fault;
  }
  if (!other_types && (outcome == "warn") != IsNotable(loaded.profile)) {
    std::string quirks;
    for (const v1::Quirk* quirk : AllQuirks(loaded.profile))
      absl::StrAppend(&quirks, " ", quirk->code(), quirk->notable() ? "!" : "");
    return absl::StrCat("the outcome is ", IsNotable(loaded.profile) ? "warn" : "ok", ";", quirks);
  }
  return "";
}

struct NamedCase {
  Json json;
  std::string id() const { return json.Find("id")->string(); }
};

void PrintTo(const NamedCase& one, std::ostream* out) { *out << one.json.Find("expect")->Find("why")->string(); }

std::vector<NamedCase> NamedCases() {
  std::vector<NamedCase> cases;
  for (const char* name : {"loader_cases.jsonl", "dialect_cases.jsonl", "number_cases.jsonl"}) {
    std::ifstream lines(std::string(CONCLAVE_SOURCE_DIR "/tests/cases/") + name);
    EXPECT_TRUE(lines) << name;
    for (std::string line; std::getline(lines, line);) {
      absl::StatusOr<Json> parsed = ParseJson(line);
      EXPECT_TRUE(parsed.ok()) << parsed.status();
      if (parsed.ok()) cases.push_back({std::move(*parsed)});
    }
  }
  return cases;
}

TEST(SecondReader, AgreesOnEveryExampleFile) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CONCLAVE_SOURCE_DIR "/examples/data")) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".csv" && extension != ".tsv") continue;
    ++files;
    std::ifstream in(entry.path(), std::ios::binary);
    const Loaded loaded = Load(std::string(std::istreambuf_iterator<char>(in), {}));
    ASSERT_EQ(loaded.error, "") << entry.path() << ": " << loaded.message;
    ASSERT_TRUE(loaded.store.ok()) << entry.path();
    EXPECT_EQ(SecondReaderFault(loaded), "") << entry.path();
  }
  EXPECT_GE(files, 8);
}

class LoaderCase : public testing::TestWithParam<NamedCase> {};

TEST_P(LoaderCase, IsReadRight) {
  const Json& one = GetParam().json;
  std::string bytes;
  if (const Json* text = one.Find("text"); text != nullptr) {
    bytes = text->string();
  } else {
    ASSERT_TRUE(absl::Base64Unescape(one.Find("bytes_b64")->string(), &bytes));
  }
  const std::string fault = Fault(Load(bytes), *one.Find("expect"));
  PendingCases pending("loader");
  EXPECT_EQ(pending.Judge(GetParam().id(), fault.empty(), fault), "");
}

TEST(LoaderCases, EveryPendingLineNamesACase) {
  PendingCases pending("loader");
  for (const NamedCase& one : NamedCases()) pending.Judge(one.id(), false, "");
  EXPECT_EQ(pending.Unused(), "");
}

INSTANTIATE_TEST_SUITE_P(Loader, LoaderCase, testing::ValuesIn(NamedCases()),
                         [](const testing::TestParamInfo<NamedCase>& param) { return param.param.id(); });

}  // namespace
}  // namespace conclave::guest
