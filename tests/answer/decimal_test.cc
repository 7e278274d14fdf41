#include "lib/answer/decimal.h"

#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace conclave {
namespace {

Decimal D(const std::string& lexeme) { return *Decimal::Parse(lexeme); }

TEST(Decimal, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "-", ".", "e5", "1e", "1e+", "1.2.3", "nan", "0x1", "1 ", "1e5x"}) {
    EXPECT_FALSE(Decimal::Parse(text)) << text;
  }
}

TEST(Decimal, EqualNumbersAreEqualHoweverWritten) {
  EXPECT_EQ(D("100"), D("1e2"));
  EXPECT_EQ(D("-0.0"), D("0"));
  EXPECT_EQ(D("1.50").Text(), "15e-1");
  EXPECT_LT(D("9.99"), D("10"));
  EXPECT_LT(D("-10"), D("-9.99"));
  EXPECT_LT(D("-1"), D("0"));
  EXPECT_LT(D("1e-999999999999999999"), D("1e-5"));
  EXPECT_FALSE(IsClose(D("1e999999999999999"), D("1e-999999999999999"), D("1e-9")));
}

TEST(Decimal, ArithmeticMatchesIntegers) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    const auto a = static_cast<int64_t>(random() >> (34 + random() % 29)) * (random() % 2 ? 1 : -1);
    const auto b = static_cast<int64_t>(random() >> (34 + random() % 29)) * (random() % 2 ? 1 : -1);
    EXPECT_EQ(Decimal(a) + Decimal(b), Decimal(a + b)) << a << " " << b;
    EXPECT_EQ(Decimal(a) - Decimal(b), Decimal(a - b)) << a << " " << b;
    EXPECT_EQ(Decimal(a) * Decimal(b), Decimal(a * b)) << a << " " << b;
    EXPECT_EQ(Decimal(a) <=> Decimal(b), a <=> b);
    const int64_t floor = a >= 0 ? a / 100 : -((-a + 99) / 100);
    EXPECT_EQ(Decimal(a).Shifted(-4).Floor(2), Decimal(floor).Shifted(-2)) << a;
  }
}

TEST(Decimal, HoldsDoublesExactly) {
  EXPECT_EQ(Decimal::FromDouble(0.1).Text(), "1000000000000000055511151231257827021181583404541015625e-55");
  EXPECT_EQ(Decimal::FromDouble(18446744073709551616.0), D("18446744073709551616"));
  EXPECT_EQ(D("0.1").approximate(), 0.1);
  EXPECT_EQ(D("-1.7976931348623157e308").approximate(), -1.7976931348623157e308);
  EXPECT_EQ(D("1e-400").approximate(), 0);
}

}  // namespace
}  // namespace conclave
