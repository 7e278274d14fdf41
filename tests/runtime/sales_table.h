// A small table of every type, with nulls, for tests of runtimes.
#ifndef CONCLAVE_TESTS_RUNTIME_SALES_TABLE_H_
#define CONCLAVE_TESTS_RUNTIME_SALES_TABLE_H_

#include <memory>
#include <optional>

#include "conclave/dataset.h"
#include "lib/base/descriptor.h"
#include "tests/support/column_table.h"

namespace conclave {

inline DatasetPtr Sales() {
  v1::Profile profile;
  profile.set_name("sales");
  Descriptor store = guest::MakeColumnStore(
      {guest::TestColumn::Text("city", {"Graz", "Linz", std::nullopt, "Graz"}),
       guest::TestColumn::Text("code", {"00501", "7", "8", "9"}, guest::StoredLayout::kPlain),
       guest::TestColumn::Real("price", {1.5, 2.0, std::nullopt, 4.0}),
       guest::TestColumn::Integer("big", {9007199254740993, 9007199254740993, 1, 0}),
       guest::TestColumn::Integer("pieces", {3, std::nullopt, 5, 7}),
       guest::TestColumn::Boolean("paid", {true, false, std::nullopt, true}),
       guest::TestColumn::Date("day", {"2024-02-29", std::nullopt, "2024-03-01", "2024-03-31"}),
       guest::TestColumn::Timestamp("seen", {"2024-02-29 23:30:00", "2024-03-01 00:00:00", std::nullopt, "2024-03-01 00:00:01"},
                                    true)});
  return std::make_shared<const Dataset>(profile, store.Release());
}

}  // namespace conclave

#endif  // CONCLAVE_TESTS_RUNTIME_SALES_TABLE_H_
