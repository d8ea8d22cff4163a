// Ends trimmed where the cloth relaxes and lengthened where it is compressed.
#include <algorithm>
#include <cmath>
#include <utility>

#include "pucker/dynamic/path.h"
#include "pucker/dynamic/persistence.h"

namespace pucker {

void Persistence::change_length(const CompressionField& field, double dt, SegmentIndex& occupied, std::int64_t& next_id,
                                Wrinkle& wrinkle, std::vector<Wrinkle>& cut_off) {
  arc_lengths(wrinkle, field.positions, arc_lengths_);
  const double length = arc_lengths_.back();
  const std::size_t segments = wrinkle.triangles.size();
  const auto compressed = [&](std::size_t i) {
    return field.compressed(wrinkle.triangles[i], params_.end_threshold());
  };
  std::size_t first = 0;
  while (first < segments && !compressed(first)) ++first;
  std::size_t last = segments;
  while (last > first && !compressed(last - 1)) --last;

  const double rate = params_.verbatim ? 1.0 : dt / params_.interval;
  const double change = params_.persistence.length_change;
  const double most_trimmed = length * (1 - std::pow(1 - change, rate));
  const double most_added = length * (std::pow(1 + change, rate) - 1);
  const double loose_front = first == segments ? length : arc_lengths_[first];
  const double loose_back = first == segments ? length : length - arc_lengths_[last];

  if (loose_front > 0 || loose_back > 0) {
    const double scale = most_trimmed / (loose_front + loose_back);
    // All that is loose ends at a point of the path: through its arc length, rounding would leave a sliver beside it.
    const double from = scale < 1 ? parameter_at(wrinkle, loose_front * scale) : double(first);
    const double to = scale < 1 ? parameter_at(wrinkle, length - loose_back * scale) : double(last);
    cut(field, from, to, next_id, wrinkle, cut_off);
    if (!wrinkle.alive) return;
  }
  const double share = loose_front == 0 && loose_back == 0 ? 0.5 : 1.0;
  // Cloth that a path comes to is flat. So is an end, unless the path was cut there: it first has to sink.
  const double sinks = params_.shape.height_rate * params_.least_width() * dt;
  const auto may_grow = [&](double end_height) { return params_.verbatim || end_height <= sinks; };
  if (loose_back == 0 && may_grow(wrinkle.knot_heights.back())) lengthen(field, occupied, share * most_added, wrinkle);
  if (loose_front == 0 && may_grow(wrinkle.knot_heights.front())) {
    reverse_path(wrinkle);
    lengthen(field, occupied, share * most_added, wrinkle);
    reverse_path(wrinkle);
  }
  // Old segments stay in the index: where a path was, another one may come next frame.
  insert_path(field, wrinkle, occupied);
}

double Persistence::parameter_at(const Wrinkle& wrinkle, double arc_length) const {
  const auto after = std::upper_bound(arc_lengths_.begin() + 1, arc_lengths_.end() - 1, arc_length);
  const std::size_t i = std::size_t(after - arc_lengths_.begin()) - 1;
  const double span = arc_lengths_[i + 1] - arc_lengths_[i];
  return double(std::min(i, wrinkle.triangles.size() - 1)) +
         (span > 0 ? std::clamp((arc_length - arc_lengths_[i]) / span, 0.0, 1.0) : 0.0);
}

void Persistence::lengthen(const CompressionField& field, const SegmentIndex& occupied, double length,
                           Wrinkle& wrinkle) {
  const std::size_t last = wrinkle.size() - 1;
  const PathPoint end = wrinkle.points.back();
  if (bend_.is_bounded()) kept_ = wrinkle;
  if (!(tracer_.extend(field, occupied, length, wrinkle) > 0)) return;
  if (bend_.is_bounded()) {
    // What it has slid to and what is added may bend too much together: it would be cut again, frame after frame.
    blocked_.clear();
    bends_.measure(field, wrinkle);
    bends_.find_sharp(bend_, blocked_);
    if (!blocked_.empty()) {
      std::swap(wrinkle, kept_);
      return;
    }
  }
  // Up to its last point the old path is part of the new one.
  arc_lengths(wrinkle, field.positions, arc_lengths_);
  sources_.assign(arc_lengths_.begin(), arc_lengths_.begin() + std::ptrdiff_t(last));
  sources_.push_back(sources_.back() +
                     (position(end, field.positions) - position(wrinkle.points[last - 1], field.positions)).norm());
  sizes_.take(wrinkle, sources_);
  sizes_.give(arc_lengths_, wrinkle);
}

}  // namespace pucker
