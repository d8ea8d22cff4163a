/// What a camera that shows the whole character leaves out of its picture: a ground, a sky, a backdrop.
#pragma once

#include <cstdint>
#include <vector>

#include "pucker/io/clip.h"

namespace pucker::scene {

/// (nb,): 1 for stored vertices of the body that are scenery, as of a ground that is many times as wide as the
/// character, else 0.
///
/// A connected piece of the body is scenery if it stands still in all frames, has no vertex that several joints move,
/// is not sewn to the garment, and reaches farther from the box round the character than that box's diagonal. The box
/// is that of the garment and of all pieces that move, that joints blend or that are sewn on. So a seat, a plinth, a
/// wall at the character's back and a second character are none.
std::vector<std::uint8_t> scenery_of(const io::Clip& clip);

}  // namespace pucker::scene
