#include "pucker/buckling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "pucker/dynamic/params.h"
#include "pucker/dynamic/shape.h"
#include "pucker/errors.h"

namespace pucker {
namespace {

using std::numbers::pi;

TEST(Buckling, AStretchedSheetWrinklesAsTheAuthorsSay) {
  // Their equation 4, of a sheet of length L and thickness t under the strain γ: (2πLt)^½ / (3(1 − ν²)γ)^¼.
  for (const double thickness : {1e-5, 1e-3})
    for (const double poisson : {0.0, 0.3, 0.5})
      for (const double strain : {0.01, 0.2})
        for (const double length : {0.1, 3.0}) {
          const double young = 2e9;
          const double tension = young * thickness * strain;
          const double found = buckling_wavelength(bending_stiffness(young, thickness, poisson), tension, length);
          const double expected =
              std::sqrt(2 * pi * length * thickness) / std::pow(3 * (1 - poisson * poisson) * strain, 0.25);
          EXPECT_NEAR(found, expected, 1e-14 * expected);
        }
}

TEST(Buckling, TheWavelengthIsThatOfLeastEnergy) {
  // Waves A cos(kx) that take up a given excess, A²k²/4 = Δ, bend by B(Ak²)²/4 and are pulled straight by T(πA/L)²/4.
  const double bending = 3e-6;
  const double tension = 0.7;
  const double length = 0.4;
  const auto energy = [&](double wavelength) {
    const double k = 2 * pi / wavelength;
    const double square = 4e-3 / (k * k);  // A²
    return 0.25 * square * (bending * std::pow(k, 4) + tension * std::pow(pi / length, 2));
  };
  const double least = buckling_wavelength(bending, tension, length);
  for (const double factor : {0.5, 0.9, 0.999, 1.001, 1.1, 2.0}) EXPECT_GT(energy(factor * least), energy(least));
}

TEST(Buckling, RefusesWhatIsNoSheet) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(buckling_wavelength(bad, 1, 1), InvalidArgument);
    EXPECT_THROW(buckling_wavelength(1, bad, 1), InvalidArgument);
    EXPECT_THROW(buckling_wavelength(1, 1, bad), InvalidArgument);
    EXPECT_THROW(bending_stiffness(bad, 1, 0.3), InvalidArgument);
    EXPECT_THROW(bending_stiffness(1, bad, 0.3), InvalidArgument);
  }
  for (const double bad : {-0.1, 1.0, nan}) EXPECT_THROW(bending_stiffness(1, 1, bad), InvalidArgument);
}

Params linen() {
  Params params = Params::ridges();
  params.fabric = {.bending = 2e-5, .tension = 0.5, .length = 0.8};
  return params;
}

TEST(Fabric, AFlatWrinkleIsAsWideAsTheWavelengthWhateverTheHeight) {
  const Params params = linen();
  const double wavelength = buckling_wavelength(2e-5, 0.5, 0.8);
  EXPECT_NEAR(params.flat_width(), wavelength, 1e-15);
  for (const double height : {0.2, 1.7}) {
    const Params found = params.for_height(height);
    EXPECT_EQ(*found.min_width, params.least_width());
    EXPECT_DOUBLE_EQ(found.relative_width, *found.min_width / height);
  }
  EXPECT_EQ(*params.for_height(0).min_width, params.least_width());
  Params given = params;
  given.min_width = 0.03;
  EXPECT_EQ(given.for_height(1.7).least_width(), 0.03);
}

TEST(Fabric, RidgesOfWavesFollowEachOtherAtTheWavelength) {
  for (const Profile profile : {Profile::wave, Profile::crease}) {
    Params params = linen();
    params.shape.profile = profile;
    // At two thirds of its width a wave is in its valley's rim; its neighbour's ridge there is one wavelength away.
    EXPECT_NEAR(params.flat_width() * 2 / 3, buckling_wavelength(2e-5, 0.5, 0.8), 1e-15);
  }
}

TEST(Fabric, ShorterWrinklesAreNarrowerByTheRoot) {
  const Params params = linen().for_height(1.7);
  const Shaper shaper(params);
  const Size whole = shaper.target(0.8, 1.4, 0.5);
  EXPECT_NEAR(whole.width, params.flat_width() / 1.4, 1e-15);
  for (const double length : {0.05, 0.2, 0.45}) {
    const Size size = shaper.target(length, 1.4, 0.5);
    EXPECT_NEAR(size.width, buckling_wavelength(2e-5, 0.5, length) / 1.4, 1e-14);
    EXPECT_NEAR(size.height / whole.height, std::sqrt(length / 0.8), 1e-12);
  }
  EXPECT_EQ(shaper.target(1.7, 1.4, 0.5).width, whole.width);
  Params verbatim = params;
  verbatim.verbatim = true;
  EXPECT_NEAR(Shaper(verbatim).target(0.05, 1.4, 0.5).width, whole.width, 1e-15);
}

}  // namespace
}  // namespace pucker
