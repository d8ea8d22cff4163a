/// A point near a mesh, for 32-bit floats.
#pragma once

#include "pucker/types.h"

namespace pucker {

/// The middle of the box round the points (n, 3); zero for none.
Vector3 middle_of(const ConstArray3& points);

/// The point that positions (n, 3) are handed on relative to where 32-bit floats are to be fine enough wherever in the
/// world they are.
///
/// It is the middle of the box round the positions, rounded to multiples of a power of two that is at least eight times
/// as long as the box's diagonal. So it rests while a character moves about, and is 0 for one near the origin.
Vector3 nearby_origin(const ConstArray3& positions);

}  // namespace pucker
