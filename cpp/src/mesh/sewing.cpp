#include "pucker/mesh/sewing.h"

#include "pucker/errors.h"

namespace pucker {

Sewing::Sewing(const LoopSubdivision& subdivision, std::span<const std::int32_t> shared, bool sewn)
    : places_(&subdivision.barycentrics()) {
  const std::int64_t count = subdivision.coarse()->vertex_count();
  std::vector<std::uint8_t> is_shared(std::size_t(count), 0);
  for (const std::int32_t v : shared) {
    require(v >= 0 && v < count, "shared vertices must lie in [0, ", count, "), got ", v);
    is_shared[std::size_t(v)] = sewn ? 1 : 0;
  }
  holds_.assign(std::size_t(places_->rows()), 0);
  fixed_.assign(holds_.size(), 1);
  for (std::int32_t v = 0; v < places_->rows(); ++v) {
    double& hold = holds_[std::size_t(v)];
    for (SparseRows::InnerIterator entry(*places_, v); entry; ++entry) {
      if (is_shared[std::size_t(entry.col())] != 0)
        hold += entry.value();
      else
        fixed_[std::size_t(v)] = 0;
    }
    if (hold > 0) sewn_.push_back(v);
  }
}

void Sewing::sew(const ConstArray3& coarse, Array3& fine) const {
  for (const std::int32_t v : sewn_) {
    Eigen::RowVector3d base = Eigen::RowVector3d::Zero();
    for (SparseRows::InnerIterator entry(*places_, v); entry; ++entry) base += entry.value() * coarse.row(entry.col());
    auto place = fine.row(v);
    place += holds_[std::size_t(v)] * (base - place);
  }
}

}  // namespace pucker
