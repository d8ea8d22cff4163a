#include "pucker/waves/pleat.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "pucker/errors.h"

namespace pucker::waves {

namespace {

constexpr double kTolerance = 1e-9;
constexpr double kSpacing = 2 * std::numbers::pi / PleatTable::kSize;

/// Value and slope at a phase in [−π, π].
std::pair<double, double> pleat_at(Pleat pleat, double phase) {
  constexpr double pi = std::numbers::pi;
  switch (pleat) {
    case Pleat::cosine:
      return {std::cos(phase), -std::sin(phase)};
    case Pleat::accordion: {
      const double away = std::abs(phase);
      const bool fold = away == 0 || away == pi;
      return {1 - 2 * away / pi, fold ? 0 : std::copysign(2 / pi, -phase)};
    }
    case Pleat::pencil:
      return {2 * std::cos(phase / 2) - 1, std::abs(phase) == pi ? 0 : -std::sin(phase / 2)};
  }
  refuse("profile must be cosine, accordion or pencil, got ", int(pleat));
}

}  // namespace

PleatTable::PleatTable(Pleat pleat) {
  constexpr int half = int(kSize) / 2;
  for (int i = 0; i < int(kSize); ++i) {
    // The second half mirrors the first one to the bit.
    const int j = i <= half ? i : i - int(kSize);
    const auto [value, slope] = pleat_at(pleat, j == half ? std::numbers::pi : std::abs(j) * kSpacing);
    values_[std::size_t(i)] = value;
    slopes_[std::size_t(i)] = j < 0 ? -slope : slope;
  }
  if (pleat == Pleat::cosine) slopes_[kSize / 2] = 0;
  pack();
}

PleatTable::PleatTable(std::span<const double> values) {
  require(values.size() == kSize, "a profile must have ", kSize, " values, got ", values.size());
  for (std::size_t i = 0; i < kSize; ++i) {
    require(std::isfinite(values[i]) && std::abs(values[i]) <= 1 + kTolerance,
            "a profile must lie in [-1, 1], but value ", i, " is ", values[i]);
    const double mirrored = values[(kSize - i) % kSize];
    require(std::abs(values[i] - mirrored) <= kTolerance, "a profile must be even, f(-phase) = f(phase), but values ",
            i, " and ", (kSize - i) % kSize, " are ", values[i], " and ", mirrored);
    values_[i] = values[i];
  }
  for (std::size_t i = 0; i < kSize; ++i)
    slopes_[i] = (values_[(i + 1) % kSize] - values_[(i + kSize - 1) % kSize]) / (2 * kSpacing);
  pack();
}

void PleatTable::pack() {
  for (std::size_t i = 0; i < kSize; ++i) {
    packed_[2 * i] = float(values_[i]);
    packed_[2 * i + 1] = float(slopes_[i]);
  }
}

double PleatTable::sample(const Values& table, double phase) {
  // No whole number stands for the place of what is none.
  if (!std::isfinite(phase)) return std::numeric_limits<double>::quiet_NaN();
  const double place = phase / kSpacing;
  const double below = std::floor(place);
  const double share = place - below;
  // Phases of any size: the remainder is exact.
  const auto i = std::size_t(std::fmod(below, double(kSize)) + kSize) % kSize;
  return (1 - share) * table[i] + share * table[(i + 1) % kSize];
}

}  // namespace pucker::waves
