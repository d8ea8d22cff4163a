#include "pucker/byexample/kernels.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace pucker::byexample {
namespace {

std::vector<float> random_numbers(std::size_t count) {
  static std::mt19937_64 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> out(count);
  for (float& number : out) number = normal(random);
  return out;
}

// This file is compiled for every processor: one number after the other, in the order in which lanes are summed up.

TEST(Wide, squares_are_summed_up_to_the_same_bits_as_one_by_one) {
  constexpr std::size_t kSize = 7;
  for (const std::size_t width : {std::size_t(8), std::size_t(16), std::size_t(40)}) {
    const std::vector<float> numbers = random_numbers(kSize * width);
    const std::vector<float> values = random_numbers(kSize);
    const std::vector<float> counts = random_numbers(kSize);
    std::vector<const float*> rows;
    for (std::size_t k = 0; k < kSize; ++k) rows.push_back(numbers.data() + k * width);
    std::vector<float> found(width);
    sum_squares(rows.data(), values.data(), counts.data(), kSize, std::ptrdiff_t(width), found.data());
    for (std::size_t column = 0; column < width; ++column) {
      float sum = 0;
      for (std::size_t k = 0; k < kSize; ++k) {
        const float away = rows[k][column] - values[k];
        sum += counts[k] * (away * away);
      }
      EXPECT_EQ(found[column], sum);
    }
  }
}

TEST(Wide, rows_are_added_to_the_same_bits_as_one_by_one) {
  constexpr std::size_t kWidth = 24;
  for (const std::size_t size : {std::size_t(1), std::size_t(4), std::size_t(5), std::size_t(10)}) {
    const std::vector<float> rows = random_numbers(size * kWidth);
    const std::vector<float> factors = random_numbers(size);
    std::vector<float> found(kWidth);
    add_rows(rows.data(), std::ptrdiff_t(size), std::ptrdiff_t(kWidth), factors.data(), found.data());
    for (std::size_t column = 0; column < kWidth; ++column) {
      const auto part = [&](std::size_t k) { return factors[k - 1] * rows[k * kWidth + column]; };
      float sum = rows[column];
      std::size_t k = 1;
      for (; k + 4 <= size; k += 4) sum += (part(k) + part(k + 1)) + (part(k + 2) + part(k + 3));
      for (; k < size; ++k) sum += part(k);
      EXPECT_EQ(found[column], sum);
    }
  }
}

TEST(Wide, details_are_blended_to_the_same_bits_as_one_by_one) {
  constexpr std::size_t kCount = 16;
  const std::vector<std::int32_t> begins{0, 1, 3, 6};
  const std::vector<std::int32_t> columns{2, 0, 3, 1, 2, 3};
  const std::vector<double> shares{1, 0.25, 0.75, 0.5, 0.2, 0.3};
  const std::vector<float> weights = random_numbers(4 * kCount);
  const std::vector<float> details = random_numbers(3 * 3 * kCount);
  std::vector<double> found(9);
  const Spread spread{.begins = begins.data(), .columns = columns.data(), .shares = shares.data()};
  blend_single(spread, weights.data(), details.data(), kCount, 3, 1.5, found.data());
  for (std::size_t v = 0; v < 3; ++v)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      float lanes[kLanes] = {};
      double exact = 0;
      for (std::size_t q = 0; q < kCount; ++q) {
        const auto part = [&](std::size_t corner) -> float {
          const std::size_t entry = std::size_t(begins[v]) + corner;
          if (entry >= std::size_t(begins[v + 1])) return 0;
          return float(shares[entry]) * weights[std::size_t(columns[entry]) * kCount + q];
        };
        const float detail = details[(3 * v + axis) * kCount + q];
        lanes[q % kLanes] += (part(0) + (part(1) + part(2))) * detail;
        exact += (double(part(0)) + double(part(1)) + double(part(2))) * double(detail);
      }
      const float sum =
          ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
      EXPECT_EQ(found[3 * v + axis], 1.5 * double(sum));
      EXPECT_NEAR(found[3 * v + axis], 1.5 * exact, 1e-5);
    }
}

}  // namespace
}  // namespace pucker::byexample
