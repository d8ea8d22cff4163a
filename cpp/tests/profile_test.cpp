#include "pucker/dynamic/profile.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "pucker/errors.h"

namespace pucker {
namespace {

using std::numbers::pi;

constexpr std::array kProfiles = {Profile::quartic, Profile::sinusoidal, Profile::arcs,
                                  Profile::bspline, Profile::wave,       Profile::crease};
constexpr std::array kScales = {1e-8, 1.0, 1e8};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Heights over half the width to try; arcs end at 1.
std::vector<double> ratios(Profile profile) {
  if (profile == Profile::arcs) return {0, 1e-6, 0.03, 0.3, 0.7, 0.99, 1};
  return {0, 1e-6, 0.03, 0.3, 0.7, 1, 2.5, 4, 50, 3000};
}

/// ∫ √(1 + f′²) by Simpson's rule on the pieces between the profile's knots, in a variable that slows down at their
/// ends, where arcs may be upright: x = a + (b − a)(3s² − 2s³).
double simpson_length(Profile profile, double ratio) {
  const std::vector<double> knots = profile == Profile::bspline   ? std::vector{0.0, 1.0 / 3, 1.0}
                                    : profile::depth(profile) > 0 ? std::vector{0.0, std::acos(-0.25) / pi, 1.0}
                                                                  : std::vector{0.0, 0.5, 1.0};
  double sum = 0;
  for (std::size_t piece = 0; piece + 1 < knots.size(); ++piece) {
    const double a = knots[piece];
    const double b = knots[piece + 1];
    constexpr int steps = 20000;
    for (int i = 1; i < steps; ++i) {  // the ends weigh nothing: dx/ds is 0 there
      const double s = double(i) / steps;
      const double slope = profile::derivative(profile, a + (b - a) * s * s * (3 - 2 * s), 2, ratio);
      sum += (i % 2 == 1 ? 4 : 2) * std::hypot(1.0, slope) * 6 * s * (1 - s) * (b - a) / (3.0 * steps);
    }
  }
  return 2 * sum;
}

TEST(Profile, RisesFromLevelEndsToALevelTop) {
  for (const Profile profile : kProfiles)
    for (const double scale : kScales)
      for (const double ratio : {0.0, 0.2, 1.0}) {
        const double w = 1.5 * scale;
        const double height = ratio * w;
        EXPECT_DOUBLE_EQ(profile::value(profile, 0, 2 * w, height), profile == Profile::crease ? -height : height);
        EXPECT_EQ(profile::derivative(profile, 0, 2 * w, height), 0);
        for (const double end : {w, -w}) {
          EXPECT_EQ(profile::value(profile, end, 2 * w, height), 0);
          EXPECT_EQ(profile::derivative(profile, end, 2 * w, height), 0);
          const double inside = end * (1 - 1e-7);
          EXPECT_NEAR(profile::value(profile, inside, 2 * w, height), 0, 1e-12 * height);
          EXPECT_NEAR(profile::derivative(profile, inside, 2 * w, height), 0, 1e-5 * ratio);
        }
      }
}

TEST(Profile, IsZeroBeyondItsWidth) {
  for (const Profile profile : kProfiles)
    for (const double x : {1.0001, -3.0, kInfinity}) {
      EXPECT_EQ(profile::value(profile, x, 2, 0.7), 0);
      EXPECT_EQ(profile::derivative(profile, x, 2, 0.7), 0);
    }
}

TEST(Profile, HasTheValuesOfItsFormula) {
  const double w = 1.3;
  const double h = 0.9;
  for (double x = -w; x <= w; x += 0.01) {
    EXPECT_NEAR(profile::value(Profile::quartic, x, 2 * w, h), h * std::pow(1 - x * x / (w * w), 2), 1e-14);
    EXPECT_NEAR(profile::value(Profile::sinusoidal, x, 2 * w, h), 0.5 * h * (1 + std::cos(pi * x / w)), 1e-14);
    const double radius = (w * w + h * h) / (4 * h);
    const double arcs = std::abs(x) < w / 2 ? h - radius + std::sqrt(radius * radius - x * x)
                                            : radius - std::sqrt(radius * radius - std::pow(w - std::abs(x), 2));
    EXPECT_NEAR(profile::value(Profile::arcs, x, 2 * w, h), arcs, 1e-14);
    const double u = 1.5 * x / w;
    const double bspline =
        std::abs(u) <= 0.5 ? 4.0 / 3 * h * (0.75 - u * u) : 2.0 / 3 * h * std::pow(1.5 - std::abs(u), 2);
    EXPECT_NEAR(profile::value(Profile::bspline, x, 2 * w, h), bspline, 1e-14);
  }
}

TEST(Profile, AWaveHasMeanZeroAndIsNineSixteenthsAsDeepAsHigh) {
  constexpr int steps = 4000;
  double sum = 0;
  double deepest = 0;
  for (int i = 0; i < steps; ++i) {
    const double f = profile::value(Profile::wave, -0.65 + 1.3 * (i + 0.5) / steps, 1.3, 0.4);
    sum += f / steps;
    deepest = std::min(deepest, f);
  }
  EXPECT_NEAR(sum, 0, 1e-14);  // the midpoint rule is exact for its two cosines
  EXPECT_NEAR(deepest, -profile::depth(Profile::wave) * 0.4, 1e-6);
  EXPECT_EQ(profile::value(Profile::wave, 0.65 * std::acos(-0.25) / pi, 1.3, 0.4), -0.4 * 9 / 16);
  for (const Profile other : {Profile::quartic, Profile::sinusoidal, Profile::arcs, Profile::bspline})
    EXPECT_EQ(profile::depth(other), 0);
}

TEST(Profile, ACreaseIsAWaveUpsideDown) {
  EXPECT_EQ(profile::depth(Profile::crease), profile::rise(Profile::wave));
  EXPECT_EQ(profile::rise(Profile::crease), profile::depth(Profile::wave));
  EXPECT_EQ(profile::seen_share(Profile::crease), profile::seen_share(Profile::wave));
  for (double x = -0.7; x <= 0.7; x += 0.01)
    EXPECT_EQ(profile::value(Profile::crease, x, 1.3, 0.4), -profile::value(Profile::wave, x, 1.3, 0.4));
}

TEST(Profile, DerivativeIsThatOfTheValue) {
  for (const Profile profile : kProfiles)
    for (const double scale : kScales)
      for (double u = -0.995; u < 1; u += 0.03) {
        const double x = u * scale;
        const double step = 1e-6 * scale;
        const auto f = [&](double at) { return profile::value(profile, at, 2 * scale, 0.6 * scale); };
        EXPECT_NEAR(profile::derivative(profile, x, 2 * scale, 0.6 * scale), (f(x + step) - f(x - step)) / (2 * step),
                    1e-5);
      }
}

TEST(Profile, ArcsOfHalfTheWidthStandUprightInBetween) {
  EXPECT_EQ(profile::derivative(Profile::arcs, 0.5, 2, 1), -kInfinity);
  EXPECT_EQ(profile::derivative(Profile::arcs, -0.5, 2, 1), kInfinity);
  EXPECT_EQ(profile::value(Profile::arcs, 0.5, 2, 1), 0.5);
}

TEST(Profile, ArcLengthIsTheIntegral) {
  for (const Profile profile : kProfiles)
    for (const double ratio : ratios(profile)) {
      if (profile == Profile::arcs && ratio == 1) continue;  // infinite slopes; a test of its own below
      const double expected = simpson_length(profile, ratio);
      EXPECT_NEAR(profile::arc_length(profile, 2, ratio), expected, 1e-11 * expected) << int(profile) << " " << ratio;
    }
}

TEST(Profile, ArcLengthScalesWithItsUnit) {
  for (const Profile profile : kProfiles)
    for (const double ratio : ratios(profile))
      for (const double scale : kScales)
        EXPECT_NEAR(profile::arc_length(profile, 2 * scale, ratio * scale) / scale,
                    profile::arc_length(profile, 2, ratio), 1e-12 * (1 + ratio));
}

TEST(Profile, ArcLengthOfFullArcsIsThatOfACircle) { EXPECT_NEAR(profile::arc_length(Profile::arcs, 2, 1), pi, 1e-15); }

TEST(Profile, ArcLengthOfLevelClothIsItsWidth) {
  for (const Profile profile : kProfiles) EXPECT_EQ(profile::arc_length(profile, 0.37, 0), 0.37);
}

TEST(Profile, HeightForKeepsTheArcLength) {
  for (const Profile profile : kProfiles)
    for (const double scale : kScales)
      for (const double excess : {1e-12, 1e-9, 1e-4, 0.01, 0.2, 0.57, 1.0, 2.14, 100.0}) {
        const double width = 0.8 * scale;
        const double arc = (1 + excess) * width;
        if (profile == Profile::arcs && excess > 0.57) continue;
        const double height = profile::height_for(profile, width, arc);
        EXPECT_NEAR(profile::arc_length(profile, width, height), arc, 1e-13 * arc) << int(profile) << " " << excess;
      }
}

TEST(Profile, HeightForInvertsArcLength) {
  for (const Profile profile : kProfiles)
    for (const double ratio : {0.01, 0.3, 0.7, 0.99})
      EXPECT_NEAR(profile::height_for(profile, 2, profile::arc_length(profile, 2, ratio)), ratio, 1e-11);
}

TEST(Profile, HeightForIsZeroWithoutCompression) {
  for (const Profile profile : kProfiles) EXPECT_EQ(profile::height_for(profile, 0.3, 0.3), 0);
}

TEST(Profile, ArcsEndAtHalfACircle) {
  EXPECT_NEAR(profile::height_for(Profile::arcs, 2, pi), 1, 1e-15);
  EXPECT_THROW(profile::height_for(Profile::arcs, 2, 1.0001 * pi), InvalidArgument);
  EXPECT_THROW(profile::value(Profile::arcs, 0, 2, 1.0001), InvalidArgument);
}

TEST(Profile, RefusesWhatIsNoCrossSection) {
  for (const Profile profile : kProfiles) {
    for (const double bad : {0.0, -1.0, kInfinity, std::nan("")}) {
      EXPECT_THROW(profile::value(profile, 0, bad, 0.1), InvalidArgument);
      EXPECT_THROW(profile::derivative(profile, 0, bad, 0.1), InvalidArgument);
      EXPECT_THROW(profile::arc_length(profile, bad, 0.1), InvalidArgument);
      EXPECT_THROW(profile::height_for(profile, bad, 1), InvalidArgument);
      EXPECT_THROW(profile::height_for(profile, 1, bad), InvalidArgument);
    }
    for (const double bad : {-1e-9, kInfinity, std::nan("")})
      EXPECT_THROW(profile::arc_length(profile, 1, bad), InvalidArgument);
    EXPECT_THROW(profile::value(profile, std::nan(""), 1, 0.1), InvalidArgument);
    EXPECT_THROW(profile::height_for(profile, 1, 0.999), InvalidArgument);
  }
}

TEST(CircleHeight, IsThatOfTheArcOverTheChord) {
  for (const double phi : {1e-3, 0.1, 0.8, pi / 2, 2.0, 2.3}) {
    const double chord = std::sin(phi) / phi;
    EXPECT_NEAR(circle_height(chord, 1), (1 - std::cos(phi)) / (2 * phi), 1e-12) << phi;
  }
  EXPECT_EQ(circle_height(0.7, 0.7), 0);
  for (const double scale : kScales) EXPECT_NEAR(circle_height(2 * scale, pi * scale), scale, 1e-14 * scale);
}

TEST(CircleHeight, SolvesEquation61) {
  for (double ratio = 1 / pi; ratio < 1; ratio += 0.001) {
    // The triangle under half the arc gives φ back: tan(φ/2) = 2h/L.
    const double phi = 2 * std::atan(2 * circle_height(ratio, 1) / ratio);
    EXPECT_NEAR(std::sin(phi) - phi * ratio, 0, 1e-13);
  }
}

TEST(CircleHeight, RefusesRatiosOutsideItsRangeButNotRounding) {
  EXPECT_NO_THROW(circle_height(1.0, pi));
  EXPECT_NO_THROW(circle_height(0.01, pi * 0.01));
  EXPECT_NO_THROW(circle_height(0.1 + 0.2, 0.3));
  EXPECT_THROW(circle_height(0.9999, pi), InvalidArgument);
  EXPECT_THROW(circle_height(1.0001, 1), InvalidArgument);
  EXPECT_THROW(circle_height(0, 1), InvalidArgument);
  EXPECT_THROW(circle_height(1, kInfinity), InvalidArgument);
}

TEST(MeasuredHeight, IsThatOfSimulatedFoldsFromCrestToFloor) {
  for (const Profile profile : kProfiles)
    for (const double scale : kScales)
      for (const double excess : {0.0, 1e-6, 0.02, 0.1, 0.5}) {
        const double width = 0.7 * scale;
        const double height = profile::measured_height(profile, width, (1 + excess) * width);
        const bool valleys = profile == Profile::wave || profile == Profile::crease;
        const double between_floors = valleys ? width * std::acos(-0.25) / pi : width;
        const double from_floor = valleys ? height * 25 / 16 : height;
        EXPECT_NEAR(from_floor / between_floors, 0.56 * std::pow(excess, 0.8), 1e-8);
      }
}

TEST(MeasuredHeight, TakesUpAnEighthToAHalfOfTheCompression) {
  const auto taken = [](double excess) {
    const double height = profile::measured_height(Profile::sinusoidal, 1, 1 + excess);
    return (profile::arc_length(Profile::sinusoidal, 1, height) - 1) / excess;
  };
  EXPECT_NEAR(taken(0.035), 0.1, 0.01);
  EXPECT_NEAR(taken(0.6), 0.5, 0.05);
}

TEST(MeasuredHeight, RefusesWhatIsNoCrossSection) {
  EXPECT_THROW(profile::measured_height(Profile::bspline, 0, 1), InvalidArgument);
  EXPECT_THROW(profile::measured_height(Profile::bspline, 1, kInfinity), InvalidArgument);
  EXPECT_THROW(profile::measured_height(Profile::bspline, 1, 0.999), InvalidArgument);
}

constexpr std::array kRules = {HeightRule::circle, HeightRule::profile, HeightRule::measured};

double exact_height(HeightRule rule, Profile profile, double width, double arc) {
  if (rule == HeightRule::measured) return profile::measured_height(profile, width, arc);
  const bool circle = rule == HeightRule::circle && profile::depth(profile) == 0;
  return circle ? circle_height(width, arc) : profile::height_for(profile, width, arc);
}

TEST(HeightTable, IsWithinATenThousandthOfTheArc) {
  for (const HeightRule rule : kRules)
    for (const Profile profile : kProfiles) {
      const HeightTable table(rule, profile);
      for (const double arc : kScales)
        for (int i = 0; i < 5000; ++i) {
          // Quadratic spacing looks closely at where the height is steep.
          const double ratio = 1 - (1 - table.lowest_ratio()) * std::pow(i / 5000.0, 2);
          EXPECT_NEAR(table.height(ratio * arc, arc), exact_height(rule, profile, ratio * arc, arc), 1e-4 * arc)
              << int(rule) << " " << int(profile) << " " << ratio;
        }
    }
}

TEST(Section, IsTheProfileWithItsSlope) {
  for (const Profile profile : kProfiles)
    for (const double height : {0.01, 0.3, 0.9})
      for (double x = 0; x < 1.2; x += 0.0371) {
        const profile::Section at = profile::section(profile, x, 1, height);
        EXPECT_NEAR(at.value, profile::value(profile, x, 2, height), 1e-14);
        EXPECT_NEAR(at.slope_ratio * x, profile::derivative(profile, x, 2, height), 1e-13);
      }
}

TEST(Section, HasTheDerivativesOfItsValueByWidthAndHeight) {
  const double step = 1e-6;
  for (const Profile profile : kProfiles)
    for (const double height : {0.02, 0.4, 0.93, 1.7})
      for (const double x : {0.0, 0.1, 0.3, 0.61, 0.8, 0.95}) {
        const auto value = [&](double w, double h) { return profile::section(profile, x, w, h).value; };
        const profile::Section at = profile::section(profile, x, 1, height);
        EXPECT_NEAR(at.by_width, (value(1 + step, height) - value(1 - step, height)) / (2 * step), 1e-8);
        EXPECT_NEAR(at.by_height, (value(1, height + step) - value(1, height - step)) / (2 * step), 1e-8);
      }
}

TEST(Section, OfUprightArcsStaysFinite) {
  for (const double height : {1.0, 1.5, 40.0})
    for (const double x : {0.0, 0.25, 0.5, 0.75}) {
      const profile::Section at = profile::section(Profile::arcs, x, 1, height);
      EXPECT_LE(std::abs(at.slope_ratio * x), 64.01 * height);
      EXPECT_TRUE(std::isfinite(at.by_width) && std::isfinite(at.by_height));
    }
}

TEST(Section, IsZeroOutsideOfTheWrinkle) {
  for (const Profile profile : kProfiles)
    for (const auto& [x, height] : {std::pair{1.0, 0.5}, {2.0, 0.5}, {0.3, 0.0}}) {
      const profile::Section at = profile::section(profile, x, 1, height);
      EXPECT_EQ(at.value, 0);
      EXPECT_EQ(at.slope_ratio, 0);
    }
}

TEST(HeightTable, IsExactAtTheEndsOfItsRange) {
  for (const HeightRule rule : kRules)
    for (const Profile profile : kProfiles) {
      const HeightTable table(rule, profile);
      EXPECT_EQ(table.height(0.3, 0.3), 0);
      const double lowest = table.lowest_ratio();
      EXPECT_NEAR(table.height(lowest, 1), exact_height(rule, profile, lowest, 1), 1e-12);
    }
}

TEST(HeightTable, RisesAsTheWidthShrinks) {
  for (const HeightRule rule : kRules)
    for (const Profile profile : kProfiles) {
      const HeightTable table(rule, profile);
      double before = -1;
      for (int i = 0; i <= 1000; ++i) {
        const double height = table.height(1 - (1 - table.lowest_ratio()) * i / 1000, 1);
        EXPECT_GT(height, before);
        before = height;
      }
    }
}

TEST(HeightTable, RefusesRatiosOutsideItsRangeButNotRounding) {
  const HeightTable circle(HeightRule::circle, Profile::bspline);
  EXPECT_NO_THROW(circle.height(0.01, pi * 0.01));
  EXPECT_NO_THROW(circle.height(0.1 + 0.2, 0.3));
  EXPECT_THROW(circle.height(0.31, 1), InvalidArgument);
  EXPECT_THROW(circle.height(1.001, 1), InvalidArgument);
  EXPECT_THROW(circle.height(std::nan(""), 1), InvalidArgument);
  for (const HeightRule rule : kRules) {
    const HeightTable arcs(rule, Profile::arcs);
    EXPECT_NO_THROW(arcs.height(2, pi));
    EXPECT_THROW(arcs.height(0.63, 1), InvalidArgument);
    EXPECT_LE(arcs.height(2, pi), 1 + 1e-12);  // arcs of the table's heights can be drawn
  }
}

}  // namespace
}  // namespace pucker
