#include "standing.h"

#include <algorithm>
#include <array>
#include <cmath>
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

double height_of(const Array3& positions) {
  return positions.rows() == 0 ? 0 : positions.col(1).maxCoeff() - positions.col(1).minCoeff();
}

/// Whether the arms reach far out: a T-pose.
bool is_stretched(const Array3& positions) {
  if (positions.rows() == 0) return false;
  const Eigen::RowVector3d extents = positions.colwise().maxCoeff() - positions.colwise().minCoeff();
  constexpr double share = 0.8;
  return std::max(extents[0], extents[2]) >= share * extents[1];
}

/// Root mean square distance of the vertices from the vertical through their middle.
double spread_of(const Array3& positions) {
  if (positions.rows() == 0) return 0;
  const Eigen::RowVector3d middle = positions.colwise().mean();
  double sum = 0;
  for (const int axis : {0, 2}) sum += (positions.col(axis).array() - middle[axis]).square().mean();
  return std::sqrt(sum);
}

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

}  // namespace

StandingSearch::StandingSearch(const Source& source, const Array3& bind, double fps)
    : height_(height_of(bind)), spread_(spread_of(bind)), stretched_(is_stretched(bind)) {
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
