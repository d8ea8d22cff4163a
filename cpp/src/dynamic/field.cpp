#include "pucker/dynamic/field.h"

#include "blocks.h"
#include "pucker/errors.h"
#include "pucker/threads.h"

namespace pucker {

void compression(const Stretch& stretch, std::span<const std::uint8_t> inert, std::vector<double>& out) {
  require(inert.empty() || inert.size() == stretch.minimum.size(),
          "inert must have one entry a triangle: ", stretch.minimum.size(), ", got ", inert.size());
  out.resize(stretch.minimum.size());
  parallel_blocks(out.size(), kTrianglesTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const bool flat = stretch.minimum[t] < kDegenerate || (!inert.empty() && inert[t]);
      out[t] = flat ? 1.0 : 1 / stretch.minimum[t];
    }
  });
}

}  // namespace pucker
