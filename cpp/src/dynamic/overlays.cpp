#include "pucker/dynamic/overlays.h"

#include "pucker/dynamic/glyphs.h"
#include "pucker/errors.h"

namespace pucker {

namespace {

constexpr draw::Colour kEllipseColour{0.0, 0.40, 0.36};
constexpr draw::Colour kReferenceColour{0.55, 0.10, 0.62};
constexpr draw::Colour kSeedColour{0.93, 0.30, 0.04};
constexpr double kSeedWidth = 5.0;

}  // namespace

std::vector<draw::Rgba8> label_tints(std::span<const std::int8_t> labels) {
  std::vector<draw::Rgba8> tints;
  tints.reserve(labels.size());
  for (const std::int8_t label : labels) {
    require(label >= 0 && std::size_t(label) < kLabelTints.size(), "labels must be 0, 1 or 2, but triangle ",
            tints.size(), " has ", int(label));
    tints.push_back(kLabelTints[std::size_t(label)]);
  }
  return tints;
}

draw::Lines ellipse_lines(const ConstIndex3& faces, const ConstArray3& positions, const LocalFrames& frames,
                          const Stretch& stretch, double width) {
  return draw::closed_lines(stretch_ellipses(faces, positions, frames, stretch), kEllipseCorners, kEllipseColour,
                            width);
}

draw::Lines reference_lines(const ConstIndex3& faces, const ConstArray3& positions, const LocalFrames& frames,
                            const Stretch& stretch, const Matrix2List& reference, double width) {
  return draw::closed_lines(reference_triangles(faces, positions, frames, stretch, reference), 3, kReferenceColour,
                            width);
}

draw::Lines seed_dots(const ConstArray3& points) { return draw::dots(points, kSeedColour, kSeedWidth); }

}  // namespace pucker
