/// What a triangle does between two frames.
#pragma once

#include <cstdint>

namespace pucker {

/// Ordered: the smoothness cost of two neighbours is their distance in this order.
enum Label : std::int8_t { kCompress = 0, kRest = 1, kStretch = 2 };

}  // namespace pucker
