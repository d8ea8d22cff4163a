#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pucker/dynamic/labelling.h"
#include "pucker/errors.h"

namespace pucker {
namespace {

void expect_formulas(bool verbatim) {
  const auto c = [&](double a, double b) {
    const double high = std::exp(-9 * (a - 1));
    const double low = std::exp(-90 * a);
    if (a > b) return (high - low) * std::exp(-0.5 * (a - b) * (a - b) / (2 * 0.05 * 0.05)) + low;
    return (verbatim ? b / a : a / b) * (high - 1) + 1;
  };
  for (const Norm norm : {Norm::one, Norm::two}) {
    Params params;
    params.verbatim = verbatim;
    params.label.norm = norm;
    for (double minimum = 0.3; minimum < 2; minimum += 0.07)
      for (double maximum = minimum; maximum < 3; maximum += 0.05) {
        const Array3 costs = label_costs(std::vector{minimum}, std::vector{maximum}, params);
        const double a = 1 / minimum;
        const double one = std::abs(a - 1) + std::abs(maximum - 1);
        const double squared = norm == Norm::one ? one * one : std::pow(a - 1, 2) + std::pow(maximum - 1, 2);
        const double scale = 1e-13 * std::max(a / maximum, maximum / a);
        EXPECT_NEAR(costs(0, kCompress), c(a, maximum), scale);
        EXPECT_NEAR(costs(0, kRest), 1 - std::exp(-squared / (2 * 0.05 * 0.05)), scale);
        EXPECT_NEAR(costs(0, kStretch), c(maximum, a), scale);
      }
  }
}

TEST(LabelCosts, AreTheFormulasOfTheThesisWithTheWeakerDeformationDearer) { expect_formulas(false); }

TEST(LabelCosts, AreTheFormulasOfTheThesisWhenVerbatim) { expect_formulas(true); }

TEST(LabelCosts, TheLargerDeformationIsTheCheaperLabel) {
  for (double a = 1.001; a < 2; a *= 1.02)
    for (double b = 1.001; b < a; b *= 1.02) {
      const Array3 costs = label_costs(std::vector{1 / a, 1 / b}, std::vector{b, a}, Params{});
      EXPECT_LT(costs(0, kCompress), costs(0, kStretch)) << a << ", " << b;
      EXPECT_LT(costs(1, kStretch), costs(1, kCompress)) << b << ", " << a;
      EXPECT_GT(costs.minCoeff(), 0);
    }
}

TEST(LabelCosts, TheFloorOfTheCompressCostIsKeptWhereItMatters) {
  Params params;
  params.label.beta = 1;
  const Array3 costs = label_costs(std::vector{0.5}, std::vector{1.0}, params);
  EXPECT_NEAR(costs(0, kCompress), std::exp(-2.0), 1e-15);
}

TEST(LabelCosts, AreContinuousWhereCompressionEqualsStretch) {
  for (const double stretch : {0.9, 1.0, 1.05, 1.3}) {
    const std::vector<double> minimum(3, 1 / stretch);
    const Array3 costs = label_costs(minimum, std::vector{stretch - 1e-12, stretch, stretch + 1e-12}, Params{});
    for (int label = 0; label < 3; ++label) {
      EXPECT_NEAR(costs(0, label), costs(1, label), 1e-10);
      EXPECT_NEAR(costs(2, label), costs(1, label), 1e-10);
    }
  }
}

TEST(LabelCosts, CompressAndStretchMirrorEachOther) {
  const std::vector<double> a = {0.8, 1.0, 1.125, 1.6, 2.0};
  for (const double x : a)
    for (const double y : a) {
      const Array3 costs = label_costs(std::vector{1 / x, 1 / y}, std::vector{y, x}, Params{});
      EXPECT_NEAR(costs(0, kCompress), costs(1, kStretch), 1e-13);
      EXPECT_NEAR(costs(0, kStretch), costs(1, kCompress), 1e-13);
    }
}

TEST(LabelCosts, RestIsFreeOnlyWithoutDeformation) {
  const Array3 costs = label_costs(std::vector{1.0}, std::vector{1.0}, Params{});
  EXPECT_EQ(costs, (Array3(1, 3) << 1, 0, 1).finished());
}

TEST(LabelCosts, AreNumbersForTheLeastAndTheLargestSpread) {
  for (const double sigma : {kLeastSpread, kLargestSpread})
    for (const double stretch : {1 + 1e-15, 1.1, 1e100, 1e160, 1e200}) {
      Params params;
      params.label.sigma = sigma;
      const Array3 costs = label_costs(std::vector{1.0, 1 / stretch}, std::vector{stretch, 1.0}, params);
      EXPECT_TRUE(costs.allFinite()) << sigma << ", " << stretch << ": " << costs;
      const double share = (stretch - 1) / sigma;
      EXPECT_NEAR(costs(0, kRest), -std::expm1(-0.5 * share * share), 1e-9) << sigma << ", " << stretch;
    }
}

TEST(LabelCosts, AnInertTriangleCostsNothingAndIsNotLookedAt) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::uint8_t> inert = {0, 1};
  const Array3 costs = label_costs(std::vector{0.9, 0.0}, std::vector{1.0, nan}, Params{}, inert);
  EXPECT_EQ(costs.row(1), Eigen::RowVector3d::Zero());
  EXPECT_EQ(costs.row(0), label_costs(std::vector{0.9}, std::vector{1.0}, Params{}).row(0));
}

TEST(LabelCosts, MemoryOfTheRightShapeIsReused) {
  Array3 costs(2, 3);
  const double* before = costs.data();
  label_costs(std::vector{0.9, 1.0}, std::vector{1.0, 1.1}, Params{}, costs);
  EXPECT_EQ(costs.data(), before);
}

TEST(LabelCosts, RefuseWhatIsNoStretch) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, inf, std::nan("")}) {
    EXPECT_THROW(label_costs(std::vector{1.0, bad}, std::vector{1.0, 1.0}, Params{}), InvalidArgument);
    EXPECT_THROW(label_costs(std::vector{1.0, 1.0}, std::vector{1.0, bad}, Params{}), InvalidArgument);
  }
  EXPECT_THROW(label_costs(std::vector{1.0}, std::vector{1.0, 1.0}, Params{}), InvalidArgument);
  const std::vector<std::uint8_t> mask(3, 0);
  EXPECT_THROW(label_costs(std::vector{1.0}, std::vector{1.0}, Params{}, mask), InvalidArgument);
  try {
    label_costs(std::vector{1.0, -2.5}, std::vector{1.0, 1.0}, Params{});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("minimum[1] is -2.5"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pucker
