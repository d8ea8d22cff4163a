/// Random numbers that depend on nothing but a seed and an index.
#pragma once

#include <cstdint>

namespace pucker::waves {

/// SplitMix64 (Steele, Lea and Flood 2014).
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Uniform in [0, 1), a multiple of 2⁻⁵³.
inline double uniform(std::uint64_t seed, std::uint64_t index) {
  return double(mix(mix(seed) ^ index) >> 11) * 0x1p-53;
}

}  // namespace pucker::waves
