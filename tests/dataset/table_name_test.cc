#include "lib/dataset/table_name.h"

#include <gtest/gtest.h>

namespace conclave {
namespace {

std::string NameOf(std::string_view file) { return TableNames().Add(file); }

TEST(TableNameTest, ComesFromTheFileName) {
  EXPECT_EQ(NameOf("sales 2024.csv"), "sales_2024");
  EXPECT_EQ(NameOf("SALES.CSV"), "sales");
  EXPECT_EQ(NameOf("/data/Sales-Report (final).CSV.csv"), "sales_report_final_csv");
  EXPECT_EQ(NameOf("archive.csv.gz"), "archive");
  EXPECT_EQ(NameOf("input"), "input");
}

TEST(TableNameTest, IsNeverReservedOrEmptyOrHostile) {
  EXPECT_EQ(NameOf("select.csv"), "t_select");
  EXPECT_EQ(NameOf("Order.csv"), "t_order");
  EXPECT_EQ(NameOf("sqlite_master.csv"), "t_sqlite_master");
  EXPECT_EQ(NameOf("2024.csv"), "t_2024");
  EXPECT_EQ(NameOf(""), "t_table");
  EXPECT_EQ(NameOf("../..//"), "t_table");
  EXPECT_EQ(NameOf("x\"; DROP TABLE y;--.csv"), "x_drop_table_y");
  EXPECT_EQ(NameOf("\xC3\xA9t\xC3\xA9.csv"), "t");
  EXPECT_LE(NameOf(std::string(500, 'a')).size(), 60u);
}

TEST(TableNameTest, IsUniqueInAJob) {
  TableNames names;
  EXPECT_EQ(names.Add("a/sales.csv"), "sales");
  EXPECT_EQ(names.Add("b/Sales.tsv"), "sales_2");
  EXPECT_EQ(names.Add("sales_2.csv"), "sales_2_2");
  EXPECT_EQ(names.Add("c/sales.csv"), "sales_3");
}

}  // namespace
}  // namespace conclave
