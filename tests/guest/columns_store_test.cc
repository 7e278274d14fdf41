#include <gtest/gtest.h>

#include <cstring>

#include "lib/guest/columns/column_store.h"
#include "tests/support/column_table.h"

namespace conclave::guest {
namespace {

std::vector<TestColumn> Cities() {
  return {TestColumn::Text("city", {"Linz", std::nullopt, "Graz", "Linz"}),
          TestColumn::Text("note", {"", "b", std::nullopt, "dd"}, StoredLayout::kPlain),
          TestColumn::Integer("n", {9007199254740993, std::nullopt, -1, 0}),
          TestColumn::Real("x", {1.5, std::nullopt, 0.0, -2}),
          TestColumn::Boolean("ok", {true, false, std::nullopt, true}),
          TestColumn::Date("day", {"1970-01-02", "2024-02-29", std::nullopt, "1969-12-31"})};
}

TEST(ColumnStoreTest, ReadsWhatWasWritten) {
  const Descriptor file = MakeColumnStore(Cities());
  absl::StatusOr<ColumnStoreView> store = ColumnStoreView::Map(file.get());
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE(store->Verify().ok()) << store->Verify();
  ASSERT_EQ(store->rows(), 4u);
  ASSERT_EQ(store->columns(), 6u);
  const ColumnView& city = *store->Find("city");
  EXPECT_EQ(city.entries(), 2u);
  EXPECT_EQ(city.Entry(0), "Graz");
  EXPECT_EQ(city.Text(0), "Linz");
  EXPECT_TRUE(city.IsNull(1));
  EXPECT_EQ(city.Text(1), "");
  EXPECT_EQ(store->Find("note")->Text(3), "dd");
  EXPECT_FALSE(store->Find("note")->IsNull(0));
  EXPECT_TRUE(store->Find("note")->IsNull(2));
  EXPECT_EQ(store->Find("n")->Integer(0), 9007199254740993);
  EXPECT_EQ(store->Find("n")->null_count(), 1u);
  EXPECT_EQ(store->Find("x")->Real(3), -2);
  EXPECT_TRUE(store->Find("ok")->Boolean(3));
  EXPECT_EQ(store->Find("day")->Integer(0), 86'400'000'000);
  EXPECT_EQ(store->Find("day")->Integer(3), -86'400'000'000);
  EXPECT_EQ(store->Find("City"), nullptr);
}

TEST(ColumnStoreTest, RowsBeyondTheLastAreNull) {
  const Descriptor file = MakeColumnStore(Cities());
  absl::StatusOr<ColumnStoreView> store = ColumnStoreView::Map(file.get());
  ASSERT_TRUE(store.ok());
  for (size_t i = 0; i < store->columns(); ++i) {
    EXPECT_TRUE(store->column(i).IsNull(4));
    EXPECT_EQ(store->column(i).Text(uint64_t{1} << 63), "");
    EXPECT_EQ(store->column(i).Integer(4), 0);
  }
}

TEST(ColumnStoreTest, AnEmptyTableIsATable) {
  const Descriptor file = MakeColumnStore({TestColumn::Text("a", {}), TestColumn::Integer("b", {})});
  absl::StatusOr<ColumnStoreView> store = ColumnStoreView::Map(file.get());
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE(store->Verify().ok());
  EXPECT_EQ(store->rows(), 0u);
  EXPECT_EQ(store->column(1).name(), "b");
}

TEST(ColumnStoreTest, RefusesCutFilesAtEveryLength) {
  const std::string bytes = ColumnStoreBytes(Cities());
  for (size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_FALSE(ColumnStoreView::Over(std::string_view(bytes).substr(0, size)).ok()) << size;
  }
}

TEST(ColumnStoreTest, RefusesPlacesOutsideTheFile) {
  const std::string good = ColumnStoreBytes(Cities());
  ColumnFileHeader header;
  std::memcpy(&header, good.data(), sizeof header);
  const auto refuses = [&](auto change) {
    ColumnRecord record;
    std::string bad = good;
    std::memcpy(&record, bad.data() + header.records.offset, sizeof record);
    change(&record);
    std::memcpy(bad.data() + header.records.offset, &record, sizeof record);
    absl::StatusOr<ColumnStoreView> store = ColumnStoreView::Over(bad);
    return !store.ok() && std::string(store.status().message()).find("column 1") != std::string::npos;
  };
  EXPECT_TRUE(refuses([](ColumnRecord* record) { record->values.offset = ~uint64_t{63}; }));
  EXPECT_TRUE(refuses([](ColumnRecord* record) { record->values.offset += 8; }));
  EXPECT_TRUE(refuses([](ColumnRecord* record) { record->values.size = ~uint64_t{0}; }));
  EXPECT_TRUE(refuses([](ColumnRecord* record) { record->entries = ~uint64_t{0}; }));
  EXPECT_TRUE(refuses([](ColumnRecord* record) { record->entries = uint64_t{1} << 56; }));
  EXPECT_TRUE(refuses([](ColumnRecord* record) { record->bytes.size = uint64_t{1} << 40; }));
  EXPECT_TRUE(refuses([](ColumnRecord* record) { record->null_count = 5; }));
  EXPECT_TRUE(refuses([](ColumnRecord* record) { record->type = static_cast<StoredType>(9); }));
  EXPECT_TRUE(refuses([](ColumnRecord* record) { record->layout = StoredLayout::kFixed; }));
}

// Whatever single byte is changed, reading stays inside the file (a sanitizer watches) and Verify or Map may complain.
TEST(ColumnStoreTest, NoChangedByteLeadsOutside) {
  const std::string good = ColumnStoreBytes(Cities());
  size_t noticed = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(~bad[i]);
    absl::StatusOr<ColumnStoreView> store = ColumnStoreView::Over(bad);
    if (!store.ok() || !store->Verify().ok()) ++noticed;
    if (!store.ok()) continue;
    size_t length = 0;
    for (size_t column = 0; column < store->columns(); ++column) {
      for (uint64_t row = 0; row < std::min<uint64_t>(store->rows(), 8); ++row)
        length += store->column(column).Text(row).size();
      for (uint64_t entry = 0; entry < std::min<uint64_t>(store->column(column).entries(), 8); ++entry) {
        length += store->column(column).Entry(entry).size();
      }
    }
    EXPECT_LT(length, good.size() * 16);
  }
  EXPECT_GT(noticed, sizeof(ColumnFileHeader) / 2);
}

}  // namespace
}  // namespace conclave::guest
