#include "lib/dataset/table_name.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace conclave {
namespace {

constexpr size_t kLongest = 60;

// Words that SQL engines or Python would not take as a name, and names that programs find defined.
constexpr std::string_view kReserved[] = {
    "abort",      "add",       "all",       "alter",     "analyze",   "and",     "any",         "as",         "asc",
    "assert",     "async",     "attach",    "await",     "begin",     "between", "both",        "break",      "by",
    "case",       "cast",      "check",     "class",     "collate",   "column",  "commit",      "constraint", "continue",
    "create",     "cross",     "current",   "data",      "database",  "date",    "def",         "default",    "del",
    "delete",     "desc",      "distinct",  "drop",      "elif",      "else",    "end",         "escape",     "except",
    "exists",     "explain",   "false",     "filter",    "finally",   "first",   "following",   "for",        "foreign",
    "from",       "full",      "glob",      "global",    "group",     "having",  "if",          "import",     "in",
    "index",      "inner",     "insert",    "intersect", "interval",  "into",    "is",          "isnull",     "join",
    "key",        "lambda",    "last",      "lateral",   "left",      "like",    "limit",       "load",       "match",
    "natural",    "no",        "none",      "nonlocal",  "not",       "notnull", "null",        "nulls",      "of",
    "offset",     "on",        "only",      "or",        "order",     "outer",   "over",        "partition",  "pass",
    "plan",       "pragma",    "preceding", "primary",   "print",     "query",   "raise",       "range",      "recursive",
    "references", "regexp",    "reindex",   "release",   "rename",    "replace", "restrict",    "result",     "return",
    "returning",  "right",     "rollback",  "row",       "rows",      "select",  "set",         "some",       "table",
    "temp",       "then",      "ties",      "time",      "timestamp", "to",      "transaction", "trigger",    "true",
    "try",        "unbounded", "union",     "unique",    "update",    "using",   "vacuum",      "values",     "view",
    "virtual",    "when",      "where",     "while",     "window",    "with",    "without",     "yield",
};

bool IsReserved(std::string_view name) {
  return std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved) || name.substr(0, 7) == "sqlite_";
}

// The last part of a path, without what follows its first point (unless that is all there is).
std::string_view Stem(std::string_view file_name) {
  while (!file_name.empty() && file_name.back() == '/') file_name.remove_suffix(1);
  if (const size_t slash = file_name.rfind('/'); slash != std::string_view::npos) file_name.remove_prefix(slash + 1);
  for (const std::string_view suffix : {".gz", ".csv", ".tsv", ".tab", ".psv", ".txt"}) {
    if (file_name.size() > suffix.size() && absl::EndsWithIgnoreCase(std::string(file_name), std::string(suffix))) {
      file_name.remove_suffix(suffix.size());
    }
  }
  return file_name;
}

std::string Simplified(std::string_view stem) {
  std::string name;
  bool gap = false;
  for (char c : stem) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      if (gap && !name.empty()) name += '_';
      gap = false;
      name += c;
    } else {
      gap = true;
    }
  }
  return name;
}

}  // namespace

std::string TableNames::Add(std::string_view file_name) {
  std::string base = Simplified(Stem(file_name)).substr(0, kLongest - 8);
  if (base.empty()) base = "table";
  if (base[0] < 'a' || base[0] > 'z' || IsReserved(base)) base = absl::StrCat("t_", base);
  std::string name = base;
  for (int number = 2; !given_.insert(name).second; ++number) name = absl::StrCat(base, "_", number);
  return name;
}

}  // namespace conclave
