#include "pucker/draw/style.h"

#include <cmath>

#include "pucker/errors.h"

namespace pucker::draw {

std::uint8_t srgb_from_linear(double linear) {
  require(linear >= 0.0 && linear <= 1.0, "linear colour must lie in [0, 1], not ", linear);
  const double encoded = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1.0 / 2.4) - 0.055;
  return std::uint8_t(std::nearbyint(255.0 * encoded));
}

Rgba8 srgb_from_linear(const std::array<double, 4>& colour) {
  const double alpha = colour[3];
  require(alpha >= 0.0 && alpha <= 1.0, "alpha must lie in [0, 1], not ", alpha);
  return {srgb_from_linear(colour[0]), srgb_from_linear(colour[1]), srgb_from_linear(colour[2]),
          std::uint8_t(std::nearbyint(255.0 * alpha))};
}

double linear_from_srgb(double encoded) {
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

Colour linear_from_srgb(const Colour& colour) {
  return {linear_from_srgb(colour[0]), linear_from_srgb(colour[1]), linear_from_srgb(colour[2])};
}

}  // namespace pucker::draw
