/// One large cloth by each method.
#pragma once

#include <cstdint>

#include "pucker/byexample/by_example.h"
#include "pucker/drape/drape.h"
#include "pucker/dynamic/wrinkler.h"
#include "pucker/waves/wave_field.h"
#include "scenes.h"

namespace pucker::bench {

/// Levels by which the coarse sheets of by example and draped are subdivided.
inline constexpr int kSheetLevels = 3;

/// Frames of a run that begins with them. Waves are a fifth of a tile long.
waves::WaveField waves_over(const Scene& scene);
/// Of a pose space of eight poses, with random details.
byexample::ByExample by_example_over(const Scene& scene);
/// As shipped, over a ball that rises into the sheet.
drape::Drape draped_over(const Scene& scene);

/// Triangles of what a run makes: those of its mesh, or of the detail where that is a mesh of its own.
std::int64_t triangles_of(const Method& run);

}  // namespace pucker::bench
