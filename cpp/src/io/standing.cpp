#include "standing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "files.h"
#include "words.h"

namespace pucker::io {

namespace {

/// Whoever stands is about as high as in the bind pose, and his arms are clearly lower. Where no name says that he
/// stands, his knees must be straight as well.
constexpr double kUpright = 0.9;
constexpr double kStraight = 0.97;
constexpr double kArmsLow = 0.9;
/// So many clips are looked at whose names say nothing.
constexpr std::size_t kMostClips = 64;

/// 0 for the name of a clip in which one stands, 1 in which one walks, 2 for any other.
int rank_of(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 5> stand = {"idle", "stand", "standing", "apose", "relaxed"};
  constexpr std::array<std::string_view, 2> walk = {"walk", "walking"};
  const auto has = [&](const auto& list) {
    return std::ranges::any_of(words, [&](const std::string& word) { return std::ranges::count(list, word) > 0; });
  };
  constexpr std::array<std::string_view, 2> pose = {"a", "pose"};
  const bool a_pose = std::search(words.begin(), words.end(), pose.begin(), pose.end()) != words.end();
  if (has(stand) || a_pose) return 0;
  return has(walk) ? 1 : 2;
}

std::vector<std::vector<std::int32_t>> one_figure(std::int64_t vertices) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(vertices));
  std::iota(all.begin(), all.end(), 0);
  return {std::move(all)};
}

}  // namespace

std::vector<std::vector<std::int32_t>> figures_of(const Rig& rig, const std::vector<std::int32_t>& garment) {
  std::vector<std::size_t> figure(rig.joints.size());
  std::iota(figure.begin(), figure.end(), std::size_t(0));
  const auto of = [&](std::size_t joint) {
    while (figure[joint] != joint) joint = figure[joint] = figure[figure[joint]];
    return joint;
  };
  std::vector<std::int32_t> joint_at(rig.skeleton.size(), kNone);  // one that moves something, by node
  for (const std::vector<Influence>& influences : rig.influences)
    for (const Influence& influence : influences) {
      const std::size_t joint = std::size_t(influence.joint);
      figure[of(joint)] = of(std::size_t(influences.front().joint));
      if (rig.nodes[joint] == kNone) continue;
      std::int32_t& at = joint_at[std::size_t(rig.nodes[joint])];
      if (at == kNone) at = influence.joint;
      figure[of(joint)] = of(std::size_t(at));
    }
  for (std::size_t node = 0; node < joint_at.size(); ++node) {
    std::int32_t above = rig.parents[node];
    while (above != kNone && joint_at[std::size_t(above)] == kNone) above = rig.parents[std::size_t(above)];
    if (joint_at[node] != kNone && above != kNone)
      figure[of(std::size_t(joint_at[node]))] = of(std::size_t(joint_at[std::size_t(above)]));
  }
  const auto figure_at = [&](std::int32_t vertex) {
    return of(std::size_t(rig.influences[std::size_t(vertex)].front().joint));
  };
  std::map<std::size_t, std::vector<std::int32_t>> found;
  for (const std::int32_t vertex : garment)
    if (!rig.influences[std::size_t(vertex)].empty()) found.try_emplace(figure_at(vertex));
  for (std::int32_t vertex = 0; vertex < std::int32_t(rig.influences.size()); ++vertex)
    if (!rig.influences[std::size_t(vertex)].empty())
      if (const auto entry = found.find(figure_at(vertex)); entry != found.end()) entry->second.push_back(vertex);
  std::vector<std::vector<std::int32_t>> figures;
  figures.reserve(found.size());
  for (auto& [joint, vertices] : found) figures.push_back(std::move(vertices));
  return figures;
}

StandingSearch::StandingSearch(const Source& source, const Array3& bind, double fps,
                               std::vector<std::vector<std::int32_t>> figures)
    : figures_(figures.empty() ? one_figure(bind.rows()) : std::move(figures)),
      height_(height_of(bind)),
      spread_(spread_of(bind)),
      stretched_(is_stretched(bind)) {
  struct Candidate {
    std::string name;
    int rank = 0;
    std::size_t words = 0;
  };
  std::vector<Candidate> candidates;
  for (const ClipInfo& clip : source.clips(fps)) {
    const std::vector<std::string> words = words_of(clip.name);
    candidates.push_back({clip.name, rank_of(words), words.size()});
  }
  // "Idle" before "Idle_Gun", which says more than that one stands.
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
    return std::pair(a.rank, a.words) < std::pair(b.rank, b.words);
  });
  if (candidates.size() > kMostClips) candidates.resize(kMostClips);
  Array3 positions(source.character().vertices, 3);
  for (const Candidate& candidate : candidates) {
    constexpr int nameless = 2;
    if (candidate.rank == nameless && !stretched_) break;
    // What is wrong with another clip is reported when that one is loaded.
    try {
      source.animation(candidate.name, fps)->pose(0, positions);
    } catch (const Error&) {
      continue;
    }
    if (!positions.allFinite()) continue;
    take_if_best(positions, candidate.rank < nameless ? kUpright : kStraight,
                 message("the first frame of ", utf8(candidate.name)));
    if (best_ && candidate.rank < nameless) {
      named_ = true;
      return;
    }
  }
}

double StandingSearch::height_of(const Array3& positions) const {
  double least = std::numeric_limits<double>::infinity();
  double largest = -least;
  for (const std::vector<std::int32_t>& figure : figures_)
    for (const std::int32_t vertex : figure) {
      least = std::min(least, positions(vertex, 1));
      largest = std::max(largest, positions(vertex, 1));
    }
  return std::max(largest - least, 0.0);
}

/// Whether the arms of the largest figure reach far out: a T-pose.
bool StandingSearch::is_stretched(const Array3& positions) const {
  Eigen::RowVector3d largest = Eigen::RowVector3d::Zero();
  for (const std::vector<std::int32_t>& figure : figures_) {
    if (figure.empty()) continue;
    const Array3 own = positions(figure, Eigen::all);
    const Eigen::RowVector3d extents = own.colwise().maxCoeff() - own.colwise().minCoeff();
    if (extents[1] > largest[1]) largest = extents;
  }
  constexpr double share = 0.8;
  return largest[1] > 0.0 && std::max(largest[0], largest[2]) >= share * largest[1];
}

/// Root mean square distance of the vertices from the vertical through the middle of their figure.
double StandingSearch::spread_of(const Array3& positions) const {
  double sum = 0;
  std::size_t count = 0;
  for (const std::vector<std::int32_t>& figure : figures_) {
    if (figure.empty()) continue;
    const Array3 own = positions(figure, Eigen::all);
    const Eigen::RowVector3d middle = own.colwise().mean();
    for (const int axis : {0, 2}) sum += (own.col(axis).array() - middle[axis]).square().sum();
    count += figure.size();
  }
  return count == 0 ? 0 : std::sqrt(sum / double(count));
}

void StandingSearch::offer(const Array3& positions, double time, const std::string& clip) {
  if (stretched_ && !named_) take_if_best(positions, kStraight, message(time, " s of ", utf8(clip)));
}

void StandingSearch::take_if_best(const Array3& positions, double upright, std::string from) {
  const double spread = spread_of(positions);
  // What is found later must be better than the best one, and that better than the bind pose by far.
  if (!(height_of(positions) >= upright * height_ && spread < (best_ ? 1 : kArmsLow) * spread_)) return;
  spread_ = spread;
  best_ = {std::move(from), positions};
}

std::optional<Stood> StandingSearch::found() && { return std::move(best_); }

}  // namespace pucker::io
