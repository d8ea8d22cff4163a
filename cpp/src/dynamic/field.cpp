#include "pucker/dynamic/field.h"

#include "blocks.h"
#include "pucker/errors.h"
#include "pucker/threads.h"

namespace pucker {

void compression(const Stretch& stretch, std::span<const double> widths, std::vector<double>& out) {
  require(widths.empty() || widths.size() == stretch.minimum.size(),
          "widths must have one entry a triangle: ", stretch.minimum.size(), ", got ", widths.size());
  out.resize(stretch.minimum.size());
  parallel_blocks(out.size(), kTrianglesTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const bool flat = stretch.minimum[t] < kDegenerate || (!widths.empty() && widths[t] == 0);
      out[t] = flat ? 1.0 : 1 / stretch.minimum[t];
    }
  });
}

}  // namespace pucker
