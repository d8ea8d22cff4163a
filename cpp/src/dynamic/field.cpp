#include "pucker/dynamic/field.h"

#include "pucker/errors.h"

namespace pucker {

void compression(const Stretch& stretch, std::span<const std::uint8_t> inert, std::vector<double>& out) {
  require(inert.empty() || inert.size() == stretch.minimum.size(),
          "inert must have one entry a triangle: ", stretch.minimum.size(), ", got ", inert.size());
  out.resize(stretch.minimum.size());
  for (std::size_t t = 0; t < out.size(); ++t) {
    const bool flat = stretch.minimum[t] < kDegenerate || (!inert.empty() && inert[t]);
    out[t] = flat ? 1.0 : 1 / stretch.minimum[t];
  }
}

}  // namespace pucker
