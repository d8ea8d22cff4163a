/// In which pieces the threads of a frame share its triangles, vertices and paths.
#pragma once

#include <cstddef>

namespace pucker {

/// Triangles or vertices that a thread takes at a time: a multiple of those that are measured side by side.
inline constexpr std::size_t kTrianglesTaken = 1024;
/// Paths that a thread takes at a time.
inline constexpr std::size_t kPathsTaken = 16;

}  // namespace pucker
