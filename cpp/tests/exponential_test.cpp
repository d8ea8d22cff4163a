#include "pucker/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace pucker {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Units in the last place of the true value, as the C library has it to 64 bits, by which `got` is off.
double units_off(double got, double x) {
  const long double truth = std::exp((long double)x);
  const double rounded = double(truth);
  const double unit = std::nextafter(rounded, kInfinity) - rounded;
  return double(std::fabs(((long double)got - truth) / (long double)unit));
}

TEST(Exponential, is_off_by_less_than_a_unit_in_the_last_place) {
  if constexpr (std::numeric_limits<long double>::digits <= 53) GTEST_SKIP() << "no wider numbers to compare with";
  std::mt19937_64 random(7);
  for (const double range : {1e-12, 1e-3, 1.0, 20.0, 700.0}) {
    std::uniform_real_distribution<double> numbers(-range, range);
    for (int i = 0; i < 200'000; ++i) {
      const double x = numbers(random);
      ASSERT_LT(units_off(exponential(x), x), 1) << x;
    }
  }
  // Where the reduced number changes sides, and where results have fewer digits.
  for (int k = -1000; k <= 1000; ++k)
    for (const double beside : {-1e-9, 0.0, 1e-9}) {
      const double x = (k + 0.5) * std::log(2.0) + beside;
      ASSERT_LT(units_off(exponential(x), x), 1) << x;
    }
  for (double x = -745.1; x < -700; x += 0.001) ASSERT_LT(units_off(exponential(x), x), 1) << x;
}

TEST(Exponential, is_exact_where_the_result_is_a_number_without_rounding) {
  EXPECT_EQ(exponential(0), 1);
  EXPECT_EQ(exponential(-0.0), 1);
  EXPECT_EQ(exponential(kInfinity), kInfinity);
  EXPECT_EQ(exponential(710), kInfinity);
  EXPECT_EQ(exponential(std::numeric_limits<double>::max()), kInfinity);
  EXPECT_EQ(exponential(-kInfinity), 0);
  EXPECT_EQ(exponential(-746), 0);
  EXPECT_EQ(exponential(std::numeric_limits<double>::lowest()), 0);
  EXPECT_TRUE(std::isnan(exponential(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Exponential, reaches_the_largest_and_the_smallest_number) {
  const double most = std::log(std::numeric_limits<double>::max());
  EXPECT_TRUE(std::isfinite(exponential(most)));
  EXPECT_GT(exponential(most), 0.999999 * std::numeric_limits<double>::max());
  EXPECT_EQ(exponential(-745), std::numeric_limits<double>::denorm_min());
}

TEST(Exponential, does_not_fall_where_its_argument_grows) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> numbers(-700, 700);
  for (int i = 0; i < 100'000; ++i) {
    const double x = numbers(random);
    const double step = std::fabs(x) * 1e-15;
    ASSERT_LE(exponential(x), exponential(x + step)) << x;
  }
}

}  // namespace
}  // namespace pucker
