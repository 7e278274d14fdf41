// Small column stores from literal values, for tests of whatever reads them.
//
//   Descriptor store = MakeColumnStore({TestColumn::Text("city", {"Graz", "Linz", std::nullopt}),
//                                       TestColumn::Real("price", {1.5, 2, 3}),
//                                       TestColumn::Date("day", {"2024-02-29", std::nullopt, "2024-03-01"})});
#ifndef CONCLAVE_TESTS_SUPPORT_COLUMN_TABLE_H_
#define CONCLAVE_TESTS_SUPPORT_COLUMN_TABLE_H_

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "lib/base/descriptor.h"
#include "lib/guest/columns/column_format.h"
#include "lib/guest/columns/column_layout.h"

namespace conclave::guest {

template <typename T>
using Cells = std::vector<std::optional<T>>;

struct TestColumn {
  std::string name;
  StoredType type = StoredType::kInteger;
  StoredLayout layout = StoredLayout::kFixed;
  Cells<int64_t> integers;  // also booleans, dates and timestamps
  Cells<double> reals;
  Cells<std::string> texts;

  static TestColumn Integer(std::string name, Cells<int64_t> cells) {
    return Fixed(std::move(name), StoredType::kInteger, cells);
  }
  static TestColumn Boolean(std::string name, Cells<bool> cells) {
    Cells<int64_t> integers;
    for (const std::optional<bool>& cell : cells) integers.push_back(cell ? std::optional<int64_t>(*cell) : std::nullopt);
    return Fixed(std::move(name), StoredType::kBoolean, integers);
  }
  static TestColumn Real(std::string name, Cells<double> cells) {
    TestColumn column;
    column.name = std::move(name);
    column.type = StoredType::kReal;
    column.reals = std::move(cells);
    return column;
  }
  static TestColumn Text(std::string name, Cells<std::string> cells, StoredLayout layout = StoredLayout::kDictionary) {
    TestColumn column;
    column.name = std::move(name);
    column.type = StoredType::kText;
    column.layout = layout;
    column.texts = std::move(cells);
    return column;
  }
  // "2024-02-29"
  static TestColumn Date(std::string name, Cells<std::string> days) {
    return Fixed(std::move(name), StoredType::kDate, Micros(days));
  }
  // "2024-02-29 13:45:00"; the same in UTC with `zoned`.
  static TestColumn Timestamp(std::string name, Cells<std::string> times, bool zoned = false) {
    return Fixed(std::move(name), zoned ? StoredType::kTimestampTz : StoredType::kTimestamp, Micros(times));
  }

  size_t rows() const { return std::max({integers.size(), reals.size(), texts.size()}); }

 private:
  static TestColumn Fixed(std::string name, StoredType type, Cells<int64_t> cells) {
    TestColumn column;
    column.name = std::move(name);
    column.type = type;
    column.integers = std::move(cells);
    return column;
  }
  static Cells<int64_t> Micros(const Cells<std::string>& texts) {
    Cells<int64_t> out;
    for (const std::optional<std::string>& text : texts) {
      int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
      if (text) std::sscanf(text->c_str(), "%d-%d-%d%*[ T]%d:%d:%d", &year, &month, &day, &hour, &minute, &second);
      const absl::CivilSecond civil(year, month, day, hour, minute, second);
      out.push_back(text ? std::optional<int64_t>((civil - absl::CivilSecond(1970, 1, 1)) * 1'000'000) : std::nullopt);
    }
    return out;
  }
};

// The bytes of a column store with these columns, all of the same number of rows.
inline std::string ColumnStoreBytes(const std::vector<TestColumn>& table) {
  const uint64_t rows = table.empty() ? 0 : table[0].rows();
  std::vector<ColumnPlan> plans;
  std::vector<std::vector<std::string>> entries(table.size());
  for (size_t i = 0; i < table.size(); ++i) {
    const TestColumn& column = table[i];
    EXPECT_EQ(column.rows(), rows) << column.name;
    ColumnPlan plan{.name = column.name, .type = column.type, .layout = column.layout};
    const auto count_nulls = [&plan](const auto& cells) {
      for (const auto& cell : cells) plan.null_count += cell.has_value() ? 0 : 1;
    };
    count_nulls(column.integers);
    count_nulls(column.reals);
    count_nulls(column.texts);
    for (const std::optional<std::string>& text : column.texts) {
      if (text) entries[i].push_back(*text);
    }
    if (column.layout == StoredLayout::kDictionary) {
      std::sort(entries[i].begin(), entries[i].end());
      entries[i].erase(std::unique(entries[i].begin(), entries[i].end()), entries[i].end());
      plan.entries = entries[i].size();
    }
    for (const std::string& entry : entries[i]) plan.bytes += entry.size();
    plans.push_back(plan);
  }
  absl::StatusOr<ColumnFileLayout> layout = LayOutColumns(plans, rows);
  EXPECT_TRUE(layout.ok()) << layout.status();
  std::string file(layout->header.file_size, '\0');
  std::memcpy(file.data(), layout->head.data(), layout->head.size());
  const auto put = [&file](const StoredBuffer& buffer, uint64_t index, auto value) {
    std::memcpy(file.data() + buffer.offset + index * sizeof value, &value, sizeof value);
  };
  for (size_t i = 0; i < table.size(); ++i) {
    const TestColumn& column = table[i];
    const ColumnRecord& record = layout->records[i];
    int64_t end = 0;
    for (uint64_t row = 0; row < rows; ++row) {
      bool present = false;
      if (column.type == StoredType::kReal) {
        present = column.reals[row].has_value();
        put(record.values, row, column.reals[row].value_or(std::numeric_limits<double>::quiet_NaN()));
      } else if (column.type == StoredType::kBoolean) {
        present = column.integers[row].has_value();
        put(record.values, row, static_cast<uint8_t>(column.integers[row].value_or(0)));
      } else if (column.type != StoredType::kText) {
        present = column.integers[row].has_value();
        put(record.values, row, column.integers[row].value_or(0));
      } else if (column.layout == StoredLayout::kDictionary) {
        present = column.texts[row].has_value();
        const auto at = std::lower_bound(entries[i].begin(), entries[i].end(), column.texts[row].value_or(""));
        put(record.values, row, present ? static_cast<int32_t>(at - entries[i].begin()) : int32_t{-1});
      } else {
        present = column.texts[row].has_value();
        const std::string text = column.texts[row].value_or("");
        std::memcpy(file.data() + record.bytes.offset + end, text.data(), text.size());
        end += static_cast<int64_t>(text.size());
        put(record.offsets, row + 1, end);
      }
      if (present && record.validity.size > 0) {
        file[record.validity.offset + row / 8] = static_cast<char>(file[record.validity.offset + row / 8] | 1 << (row % 8));
      }
    }
    if (column.layout != StoredLayout::kDictionary) continue;
    for (size_t entry = 0; entry < entries[i].size(); ++entry) {
      std::memcpy(file.data() + record.bytes.offset + end, entries[i][entry].data(), entries[i][entry].size());
      end += static_cast<int64_t>(entries[i][entry].size());
      put(record.offsets, entry + 1, end);
    }
  }
  return file;
}

// Writes such a column store to an open file, from its start.
inline absl::Status WriteColumnStore(int fd, const std::vector<TestColumn>& table) {
  const std::string bytes = ColumnStoreBytes(table);
  if (::lseek(fd, 0, SEEK_SET) < 0 || ::ftruncate(fd, 0) < 0) return ErrnoStatus(errno, "rewinding");
  return WriteAll(fd, bytes);
}

// Such a column store in an anonymous file, ready to be granted to a run as its descriptor.
inline Descriptor MakeColumnStore(const std::vector<TestColumn>& table) {
  absl::StatusOr<Descriptor> memory = SealedMemory("column-store", ColumnStoreBytes(table));
  EXPECT_TRUE(memory.ok()) << memory.status();
  return memory.ok() ? std::move(*memory) : Descriptor();
}

}  // namespace conclave::guest

#endif  // CONCLAVE_TESTS_SUPPORT_COLUMN_TABLE_H_
