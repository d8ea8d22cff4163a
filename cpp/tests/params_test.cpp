#include "pucker/dynamic/params.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "pucker/errors.h"

namespace pucker {
namespace {

/// Collects what a tree holds; with `wanted` set, gives that number the value `replacement`.
class Numbers {
 public:
  struct Entry {
    std::string path;
    Range range;
    bool whole;
  };
  std::vector<Entry> entries;
  std::size_t wanted = std::numeric_limits<std::size_t>::max();
  double replacement = 0;

  template <class T>
  void field(const char* name, T& value, const Range& range, const char* doc) {
    EXPECT_NE(std::string(doc), "");
    if (entries.size() == wanted) value = T(replacement);
    entries.push_back({path_ + name, range, std::is_integral_v<T>});
  }
  template <class T>
  void choice(const char*, T&, const char* doc) {
    EXPECT_NE(std::string(doc), "");
  }
  template <class Node>
  void node(const char* name, Node& node, const char*) {
    path_ = std::string(name) + ".";
    visit_params(node, *this);
    path_.clear();
  }

 private:
  std::string path_;
};

std::vector<Numbers::Entry> all_numbers() {
  Params params;
  Numbers numbers;
  visit_params(params, numbers);
  return numbers.entries;
}

Params with(std::size_t index, double value) {
  Params params;
  Numbers numbers;
  numbers.wanted = index;
  numbers.replacement = value;
  visit_params(params, numbers);
  return params;
}

std::string complaint(const Params& params) {
  try {
    params.validate();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Params, defaults_are_valid) { EXPECT_EQ(complaint(Params()), ""); }

TEST(Params, every_number_is_refused_below_its_range_by_name_and_value) {
  const std::vector<Numbers::Entry> numbers = all_numbers();
  EXPECT_GT(numbers.size(), 20u);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& [path, range, whole] = numbers[i];
    if (path == "seed") continue;  // an unsigned number has no value below its range
    const double below = range.low_included ? range.low - 1 : range.low;
    const std::string text = complaint(with(i, below));
    EXPECT_NE(text.find("params." + path + " "), std::string::npos) << path << ": " << text;
    EXPECT_NE(text.find("must lie in " + std::string(range.low_included ? "[" : "(")), std::string::npos) << text;
    EXPECT_NE(text.find(message("got ", below)), std::string::npos) << text;
  }
}

TEST(Params, every_number_is_refused_above_its_range) {
  const std::vector<Numbers::Entry> numbers = all_numbers();
  std::size_t bounded = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& [path, range, whole] = numbers[i];
    if (!std::isfinite(range.high)) continue;
    ++bounded;
    EXPECT_NE(complaint(with(i, range.high + std::max(1.0, range.high))).find("params." + path + " "),
              std::string::npos)
        << path;
  }
  EXPECT_GE(bounded, 4u);
}

TEST(Params, every_number_may_lie_on_the_ends_its_range_includes) {
  const std::vector<Numbers::Entry> numbers = all_numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& [path, range, whole] = numbers[i];
    EXPECT_EQ(complaint(with(i, range.low)).empty(), range.low_included) << path;
    if (std::isfinite(range.high)) {
      EXPECT_EQ(complaint(with(i, range.high)), "") << path;
    }
  }
}

TEST(Params, no_number_may_be_infinite_or_no_number_at_all) {
  const std::vector<Numbers::Entry> numbers = all_numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& [path, range, whole] = numbers[i];
    if (whole) continue;
    for (const double value : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
      EXPECT_NE(complaint(with(i, value)).find(path), std::string::npos) << path;
  }
}

TEST(Params, a_range_without_an_upper_end_is_written_open) {
  Params params;
  params.relative_width = -1;
  EXPECT_NE(complaint(params).find("must lie in (0, inf), got -1"), std::string::npos) << complaint(params);
  params = Params();
  params.persistence.vertex_fraction = 0.75;
  EXPECT_NE(complaint(params).find("must lie in [0, 0.5], got 0.75"), std::string::npos) << complaint(params);
}

TEST(Params, without_a_width_are_good_for_a_height_only) {
  const Params params;
  EXPECT_NO_THROW(params.validate());
  EXPECT_THROW((void)params.least_width(), InvalidArgument);
  EXPECT_THROW((void)params.flat_width(), InvalidArgument);
  for (const double none : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW((void)params.for_height(none), InvalidArgument);
  for (const double height : {1e-8, 1.0, 1e8}) {
    const Params resolved = params.for_height(height);
    EXPECT_EQ(resolved.least_width(), params.relative_width * height);
    EXPECT_EQ(resolved.relative_width, params.relative_width);
  }
}

TEST(Params, keep_a_width_that_is_given_and_tell_its_share) {
  Params params;
  params.min_width = 0.5;
  EXPECT_EQ(params.for_height(20).least_width(), 0.5);
  EXPECT_EQ(params.for_height(20).relative_width, 0.5 / 20);
  EXPECT_EQ(params.for_height(0).least_width(), 0.5);
}

TEST(Params, flat_width_is_pi_times_the_smallest_width) {
  Params params;
  params.min_width = 2;
  EXPECT_DOUBLE_EQ(params.flat_width(), 2 * std::numbers::pi);
}

}  // namespace
}  // namespace pucker
