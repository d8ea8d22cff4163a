/// Random numbers for the soak: every draw of an episode comes from its one generator, so that its number replays it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include "pucker/enum_names.h"
#include "pucker/params.h"
#include "pucker/types.h"

namespace pucker::soak {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}

  /// In [low, high).
  double uniform(double low = 0, double high = 1) { return std::uniform_real_distribution<double>(low, high)(random_); }
  /// In [low, high), even in the logarithm.
  double logarithmic(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  double normal() { return std::normal_distribution<double>()(random_); }
  /// In 0 … count − 1.
  std::int64_t below(std::int64_t count) { return std::uniform_int_distribution<std::int64_t>(0, count - 1)(random_); }
  bool chance(double probability) { return uniform() < probability; }
  Vector3 direction() {
    Vector3 out(normal(), normal(), normal());
    return out.norm() > 0 ? Vector3(out.normalized()) : Vector3(1, 0, 0);
  }
  Eigen::Matrix3d rotation() {
    return Eigen::Quaterniond(normal(), normal(), normal(), normal()).normalized().toRotationMatrix();
  }

 private:
  std::mt19937_64 random_;
};

/// Visitor of visit_params that gives every parameter a value of its whole range. Counts stay below a few hundred: what
/// is too much for them is time, not another path through the code.
class DrawParams {
 public:
  /// `wildness`: how many parameters of a hundred leave their default.
  DrawParams(Draws& draws, double wildness) : draws_(draws), wildness_(wildness) {}

  void field(const char*, double& value, const Range& range, const char*) {
    if (draws_.chance(wildness_)) value = drawn(value, range);
  }
  void field(const char*, std::optional<double>& value, const Range& range, const char*) {
    if (value && draws_.chance(wildness_)) value = drawn(*value, range);
  }
  template <class T>
  void field(const char*, T& value, const Range& range, const char*) {
    constexpr double most = 300;
    if (!draws_.chance(wildness_)) return;
    const double low = std::max(range.low, 1.0);
    const double high = std::min(range.high, most);
    value = range.low < 1 && draws_.chance(0.1) ? T(range.low) : T(draws_.logarithmic(low, high + 1));
  }
  template <class T>
  void choice(const char*, T& value, const char*) {
    if (!draws_.chance(std::max(wildness_, 0.3))) return;
    if constexpr (std::is_enum_v<T>) {
      value = T(draws_.below(std::int64_t(enum_names<T>().size())));
    } else {
      value = draws_.chance(0.5);
    }
  }
  void choice(const char*, std::string&, const char*) {}
  template <class Node>
  void node(const char*, Node& node, const char*) {
    visit_params(node, *this);
  }

 private:
  double drawn(double value, const Range& range) {
    if (draws_.chance(0.7)) return inside(value * draws_.logarithmic(0.03, 30), value, range);
    if (draws_.chance(0.2)) return inside(range.low, value, range);
    if (draws_.chance(0.2)) return inside(std::isfinite(range.high) ? range.high : 1e300, value, range);
    // Values, and distances from the lower end, of any size.
    return inside(range.low + draws_.logarithmic(1e-300, std::isfinite(range.high) ? range.high : 1e300), value, range);
  }
  static double inside(double drawn, double value, const Range& range) { return range.holds(drawn) ? drawn : value; }

  Draws& draws_;
  double wildness_;
};

}  // namespace pucker::soak
