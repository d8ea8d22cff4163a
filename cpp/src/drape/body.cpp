#include "pucker/drape/body.h"

#include <utility>

#include "pucker/errors.h"
#include "pucker/serial.h"

namespace pucker::drape {

Body::Body(Index3 faces, std::vector<double> positions, Array3 cut)
    : faces_(std::move(faces)), positions_(std::move(positions)), cut_(std::move(cut)) {
  const auto numbers = std::size_t(cut_.size());
  require(numbers > 0 && !positions_.empty() && positions_.size() % numbers == 0, "a body of ", cut_.rows(),
          " vertices must have some and whole frames, got ", positions_.size(), " numbers of positions");
  for (const std::int32_t v : faces_.reshaped())
    require(v >= 0 && v < cut_.rows(), "a body of ", cut_.rows(), " vertices has a triangle with vertex ", v);
  frames_ = std::int64_t(positions_.size() / numbers);
  require(cut_.allFinite(), "a body must be finite in the cut pose");
  for (std::int64_t frame = 0; frame < frames_; ++frame)
    require(this->positions(frame).allFinite(), "a body must be finite, frame ", frame, " is not");
}

std::uint64_t Body::checksum() const {
  std::call_once(summed_, [this] {
    ByteWriter bytes;
    bytes.matrix(faces_);
    bytes.matrix(cut_);
    bytes.list(positions_);
    checksum_ = pucker::checksum(bytes.take());
  });
  return checksum_;
}

Eigen::Map<const Array3> Body::positions(std::int64_t frame) const {
  require(frame >= 0 && frame < frames_, "a body of ", frames_, " frames has none for frame ", frame);
  return {positions_.data() + std::size_t(frame) * std::size_t(cut_.size()), cut_.rows(), 3};
}

void Body::require_positions(const ConstArray3& positions) const {
  require(positions.rows() == cut_.rows(), "a body of ", cut_.rows(), " vertices must have as many positions, not ",
          positions.rows());
  require(positions.allFinite(), "positions of a body must be finite");
}

}  // namespace pucker::drape
