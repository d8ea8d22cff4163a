// Which way a character faces, by the names of its joints.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pucker/io/clip.h"
#include "words.h"

namespace pucker::io {
namespace {

bool has_word(std::span<const std::string> words, std::initializer_list<std::string_view> any) {
  return std::ranges::any_of(words, [&](const std::string& word) { return std::ranges::find(any, word) != any.end(); });
}

// Where the nodes of a clip's skeleton are in the pose its skins were bound in, as far as these say, and whether all of
// them are mirrored: what is named left is then on the right.
struct BoundPlaces {
  std::vector<std::optional<Vector3>> places;
  bool mirrored = true;
};

BoundPlaces bound_places(const Clip& clip) {
  BoundPlaces found{.places = std::vector<std::optional<Vector3>>(clip.skeleton().nodes.size())};
  for (const std::optional<Skin>* skin : {&clip.body_skin(), &clip.skin()}) {
    if (!skin->has_value()) continue;
    for (std::size_t k = 0; k < (*skin)->joints.size(); ++k) {
      const Eigen::Map<const Eigen::Matrix<double, 3, 4, Eigen::RowMajor>> bind((*skin)->inverse_binds.data() + 12 * k);
      const Vector3 place = -bind.leftCols<3>().inverse() * bind.col(3);
      if (!place.allFinite()) continue;
      found.places[std::size_t((*skin)->nodes[k])] = place;
      found.mirrored = found.mirrored && bind.leftCols<3>().determinant() < 0.0;
    }
  }
  return found;
}

// The direction along the ground; none for one that has no such.
std::optional<Vector3> along_ground(const Vector3& direction) {
  const Vector3 along(direction.x(), 0.0, direction.z());
  return along.norm() > 0.1 * direction.norm() ? std::optional<Vector3>(along.normalized()) : std::nullopt;
}

Vector3 mean(std::span<const Vector3> places) {
  Vector3 sum = Vector3::Zero();
  for (const Vector3& place : places) sum += place;
  return sum / double(places.size());
}

}  // namespace

double front_of(const Clip& clip) {
  if (clip.data().front) return *clip.data().front;
  const Skeleton& skeleton = clip.skeleton();
  const auto [places, mirrored] = bound_places(clip);
  std::vector<Vector3> left, right;
  Vector3 toes = Vector3::Zero();
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (!places[k]) continue;
    const std::string& name = skeleton.nodes[k];
    const std::vector<std::string> words = words_of(name);
    const bool is_left = has_word(words, {"l", "left"}) || name.find("左") != std::string::npos;
    const bool is_right = has_word(words, {"r", "right"}) || name.find("右") != std::string::npos;
    if (is_left && !is_right) left.push_back(*places[k]);
    if (is_right && !is_left) right.push_back(*places[k]);
    std::int32_t foot = skeleton.parents[k];
    while (foot != kNone && !places[std::size_t(foot)]) foot = skeleton.parents[std::size_t(foot)];
    if (foot != kNone && has_word(words, {"toe", "toes", "ball"})) toes += *places[k] - *places[std::size_t(foot)];
  }
  std::optional<Vector3> front = along_ground(toes);
  if (mirrored) std::swap(left, right);
  if (!front && !left.empty() && !right.empty())
    front = along_ground((mean(left) - mean(right)).cross(Vector3::UnitY()));
  if (!front) return 0.0;
  const int quarter = int(std::lround(2.0 / std::numbers::pi * std::atan2(front->x(), front->z())));
  return quarter == -2 ? 180.0 : 90.0 * quarter;
}

}  // namespace pucker::io
