// Any bytes as a SQL statement: refused with a place inside it, or rewritten into a statement of as many lines.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lib/guest/sql/statement_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using conclave::guest::ValueType;
  static const std::vector<conclave::guest::KnownTable> tables = {
      {"t", {{"i", ValueType::kInteger}, {"r", ValueType::kReal}, {"s", ValueType::kText}, {"b", ValueType::kBoolean}}},
      {"u", {{"i", ValueType::kInteger}, {"d", ValueType::kDate}, {"at", ValueType::kTimestamp}, {"z", ValueType::kInstant}}}};
  const std::string_view statement(reinterpret_cast<const char*>(bytes), size);
  const conclave::guest::CheckedStatement checked = conclave::guest::CheckStatement(statement, tables);
  if (checked.fault) {
    if (checked.fault->offset > size || checked.fault->message.empty()) std::abort();
    conclave::guest::Locate(statement, checked.fault->offset);
  } else if (std::count(statement.begin(), statement.end(), '\n') != std::count(checked.sql.begin(), checked.sql.end(), '\n')) {
    std::abort();
  }
  return 0;
}
