#include "pucker/io/load.h"
#include "pucker/io/smoothed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "files.h"
#include "layers.h"
#include "parts.h"
#include "pucker/io/source.h"
#include "pucker/mesh/weld.h"
#include "standing.h"
#include "whole.h"

namespace pucker::io {
namespace {

// Times closer than this are one: 1/30 s has no exact double, and a clip's end must not be missed for that.
constexpr double kTimeTolerance = 1e-9;
// The same, as a share, for durations that files store as floats.
constexpr double kFloatTolerance = 0x1p-22;

// When a frame is shown and the moment of the clip it shows.
struct Sample {
  double time = 0.0;
  double clip_time = 0.0;
};

// Frames in a run of the clip if these are a whole number to the precision of what files store, else none.
std::optional<std::int64_t> whole_frames(double duration, double fps) {
  const double frames = duration * fps;
  const double whole = std::round(frames);
  if (whole < 1.0 || std::abs(frames - whole) > std::max(kTimeTolerance, frames * kFloatTolerance)) return std::nullopt;
  return std::int64_t(whole);
}

// Throws Error if the clip, with the pose at rest and the bind pose, is beyond the limits.
void check_length(const Source& source, const Animation& animation, const LoadOptions& options) {
  const double frames = std::floor(options.loops * animation.duration() * options.fps) + 1.0;
  if (frames > double(options.limits.frames))
    fail(source.path(), "clip '", animation.name(), "' of ", animation.duration(), " s, run through ", options.loops,
         " times at ", options.fps, " frames per second, has more frames than the limit, ", options.limits.frames);
  const std::int64_t vertices = source.character().vertices << 2 * options.smooth;
  const double fps =
      std::floor((frames_within(vertices, options.limits) - 3.0) / (options.loops * animation.duration()));
  const double kept = options.beginning ? std::min(frames, double(*options.beginning)) : frames;
  check_frames(source.path(), kept + 2.0, vertices,
               {.memory = options.limits.memory, .frames = options.limits.frames + 2},
               fps >= 1.0 ? message("; those of ", fps, " frames per second (fps=, --fps) fit") : "");
}

std::vector<Sample> samples(double duration, const LoadOptions& options) {
  const double end = options.loops * duration;
  const std::optional<std::int64_t> frames = whole_frames(duration, options.fps);
  const std::int64_t last =
      frames ? options.loops * *frames : std::int64_t(std::floor(end * options.fps + kTimeTolerance));
  std::vector<Sample> result;
  for (std::int64_t k = 0; k <= last; ++k) {
    const double time = double(k) / options.fps;
    // A loop's end is the start of the next one; only the very last frame shows the clip's end.
    double clip_time = 0.0;
    if (frames)
      clip_time = k == last ? duration : std::min(double(k % *frames) / options.fps, duration);
    else if (duration > 0.0)
      clip_time = std::fmod(time, duration);
    if (!frames && duration - clip_time < kTimeTolerance) clip_time = 0.0;
    if (!frames && std::abs(time - end) < kTimeTolerance) clip_time = duration;
    result.push_back({time, clip_time});
  }
  return result;
}

// Leaves out each triangle whose three welded vertices an earlier one names the other way round: cloth that is modelled
// from both sides has one surface, and is drawn from both sides. Welded, the sides' normals would cancel.
void leave_other_sides(StoredSurface& surface) {
  std::set<std::array<std::int32_t, 3>> seen;
  std::vector<std::int64_t> kept;
  for (std::int64_t face = 0; face < surface.faces.rows(); ++face) {
    std::array<std::int32_t, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) corners[k] = surface.weld[std::size_t(surface.faces(face, std::int64_t(k)))];
    std::rotate(corners.begin(), std::ranges::min_element(corners), corners.end());
    if (seen.contains({corners[0], corners[2], corners[1]})) {
      surface.other_sides.push_back(std::int32_t(face));
      continue;
    }
    seen.insert(corners);
    kept.push_back(face);
  }
  if (surface.other_sides.empty()) return;
  surface.faces = Index3(surface.faces(kept, Eigen::all));
  std::vector<std::int32_t> materials(kept.size());
  std::ranges::transform(kept, materials.begin(),
                         [&](std::int64_t face) { return surface.materials[std::size_t(face)]; });
  surface.materials = std::move(materials);
}

// (n, 3) of the layer's welded vertices.
Array3 welded_pose(const Array3& stored, const Layer& layer, const Weld& weld) {
  Array3 result(std::int64_t(weld.representatives.size()), 3);
  for (std::int64_t k = 0; k < result.rows(); ++k)
    result.row(k) = stored.row(layer.vertices[std::size_t(weld.representatives[std::size_t(k)])]);
  return result;
}

void append(std::vector<double>& numbers, const Eigen::Affine3d& matrix) {
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 4; ++column) numbers.push_back(matrix.matrix()(row, column));
}

// The skin of the layer's welded vertices, without the joints that move none of them. `used`: the rig's number of each
// joint that is left.
Skin skin_of(const std::filesystem::path& path, const Rig& rig, const Layer& layer, const Weld& weld,
             std::vector<std::size_t>& used) {
  Skin skin;
  std::vector<std::int32_t> number(rig.joints.size(), kNone);
  skin.first = {0};
  for (const std::int32_t representative : weld.representatives) {
    for (const Influence& influence : rig.influences[std::size_t(layer.vertices[std::size_t(representative)])]) {
      std::int32_t& joint = number[std::size_t(influence.joint)];
      if (joint == kNone) {
        joint = std::int32_t(used.size());
        used.push_back(std::size_t(influence.joint));
        skin.joints.push_back(utf8(rig.joints[std::size_t(influence.joint)]));
        if (!rig.inverse_binds[std::size_t(influence.joint)].matrix().allFinite())
          fail(path, "what moves vertices must have a scale other than 0, but '", skin.joints.back(),
               "' or a node above it is stored with scale 0");
        skin.nodes.push_back(rig.nodes[std::size_t(influence.joint)]);
        append(skin.inverse_binds, rig.inverse_binds[std::size_t(influence.joint)]);
      }
      skin.joint.push_back(joint);
      skin.weight.push_back(influence.weight);
    }
    skin.first.push_back(std::int32_t(skin.joint.size()));
  }
  return skin;
}

using Joints = std::vector<Eigen::Affine3d>;

/// By how much frames may differ in size, and differ from the bind pose, and still be as large.
constexpr double kSameSize = 0.01;

/// The joints that move something, those with the fewest nodes above them first.
std::vector<std::size_t> moving_joints(const Rig& rig) {
  std::set<std::size_t> found;
  for (const auto& influences : rig.influences)
    for (const Influence& influence : influences) found.insert(std::size_t(influence.joint));
  std::vector<std::size_t> out(found.begin(), found.end());
  std::ranges::stable_sort(out, {}, [&](std::size_t joint) {
    std::int32_t above = 0;
    for (std::int32_t node = rig.nodes[joint]; node != kNone; node = rig.parents[std::size_t(node)]) ++above;
    return above;
  });
  return out;
}

/// The scale of a matrix; 0 if it is not uniform.
double enlargement(const Eigen::Matrix3d& matrix) {
  const double geometric = std::cbrt(std::abs(matrix.determinant()));
  const double quadratic = matrix.norm() / std::sqrt(3.0);
  // The means of the three stretches differ unless these are the same.
  return quadratic - geometric <= kSameSize * geometric ? geometric : 0;
}

/// How large the character is in all frames, as a multiple of the bind pose: the median over the joints that scale
/// uniformly; 1 where the frames differ, or are as large.
double size_of_frames(const Rig& rig, const std::vector<std::size_t>& moving, const std::vector<Joints>& frames) {
  double least = std::numeric_limits<double>::infinity();
  double largest = 0;
  std::vector<double> sizes;
  for (const Joints& joints : frames) {
    sizes.clear();
    for (const std::size_t j : moving)
      if (const double size = enlargement((joints[j] * rig.inverse_binds[j]).linear()); size > 0) sizes.push_back(size);
    if (sizes.empty()) return 1;
    std::ranges::nth_element(sizes, sizes.begin() + std::ptrdiff_t(sizes.size() / 2));
    least = std::min(least, sizes[sizes.size() / 2]);
    largest = std::max(largest, sizes[sizes.size() / 2]);
  }
  const double size = 0.5 * (least + largest);
  const bool steady = largest - least <= kSameSize * size;
  return steady && std::abs(size - 1) > kSameSize ? size : 1;
}

/// Makes the bind pose as large as all frames are, about the topmost joint, and takes the rig along.
void resize(Rig& rig, const std::vector<Joints>& frames, Array3& bind_pose) {
  const std::vector<std::size_t> moving = moving_joints(rig);
  if (moving.empty() || frames.empty()) return;
  const double size = size_of_frames(rig, moving, frames);
  if (size == 1) return;
  const Vector3 middle = rig.inverse_binds[moving.front()].inverse().translation();
  const Eigen::Affine3d larger = Eigen::Translation3d(middle) * Eigen::Scaling(size) * Eigen::Translation3d(-middle);
  for (Eigen::Affine3d& bind : rig.inverse_binds) bind = bind * larger.inverse();
  for (auto row : bind_pose.rowwise()) row = (larger * Vector3(row.transpose())).transpose();
}

// The skins of garment and body, where nothing but the rig moves them, and the skeleton of both.
void add_skins(const std::filesystem::path& path, ClipData& data, const Rig& rig, const Animation& animation,
               const std::vector<double>& times, const std::vector<Joints>& frames, const Layer& garment,
               const Weld& garment_weld, const Layer& body) {
  const auto follows_rig = [&](const Layer& layer) {
    return std::ranges::none_of(layer.vertices, [&](std::int32_t v) { return animation.leaves_rig(v); });
  };
  Weld apart;  // the body's vertices stay as they are stored
  apart.representatives.resize(body.vertices.size());
  std::iota(apart.representatives.begin(), apart.representatives.end(), 0);
  std::vector<std::size_t> used;
  std::vector<std::size_t> body_used;
  if (follows_rig(garment)) data.skin = skin_of(path, rig, garment, garment_weld, used);
  if (follows_rig(body)) data.body_skin = skin_of(path, rig, body, apart, body_used);
  for (const std::string& name : rig.skeleton) data.skeleton.nodes.push_back(utf8(name));
  data.skeleton.parents = rig.parents;
  for (std::size_t frame = 0; frame < times.size(); ++frame) {
    for (const std::size_t joint : used) append(data.skin->matrices, frames[frame][joint]);
    for (const std::size_t joint : body_used) append(data.body_skin->matrices, frames[frame][joint]);
    for (const Eigen::Affine3d& node : animation.skeleton(times[frame])) append(data.skeleton.matrices, node);
  }
}

void check_finite(const std::filesystem::path& path, const Array3& positions, const std::string& where) {
  for (std::int64_t vertex = 0; vertex < positions.rows(); ++vertex)
    if (!positions.row(vertex).allFinite())
      fail(path, "stored vertex ", vertex, " has a position that is not finite ", where);
}

}  // namespace

Clip load(const Source& source, const LoadOptions& options) {
  require(std::isfinite(options.fps) && options.fps > 0.0, "fps must be finite and > 0, got ", options.fps);
  require(options.loops >= 1, "loops must be >= 1, got ", options.loops);
  require(options.beginning.value_or(1) >= 1, "beginning must be >= 1, got ", options.beginning.value_or(1));
  require_smoothing(options.smooth);
  const std::filesystem::path& path = source.path();
  const Character& character = source.character();
  const std::unique_ptr<Animation> animation = source.animation(options.clip, options.fps);
  if (!(animation->duration() >= 0.0 && std::isfinite(animation->duration())))
    fail(path, "clip '", animation->name(), "' lasts ", animation->duration(), " s");

  check_length(source, *animation, options);

  const std::vector<bool> chosen = choose_parts(source, options.parts);
  Layer garment = cut(character, chosen, true);
  Layer body = cut(character, chosen, false);
  std::optional<Array3> bind_pose = source.bind_pose();
  std::optional<Rig> rig = source.rig();
  const std::vector<Sample> shown = samples(animation->duration(), options);
  const std::size_t kept = std::min(shown.size(), std::size_t(options.beginning.value_or(std::int64_t(shown.size()))));
  const bool passing = kept < shown.size();
  const auto cut_from_whole = [&] {
    LoadOptions all = options;
    all.beginning.reset();
    return load(source, all).beginning(std::int64_t(kept));
  };
  if (passing && options.smooth > 0) return cut_from_whole();
  std::vector<double> clip_times;
  std::vector<Joints> joints;  // of each frame, where there is a rig
  for (const Sample& sample : shown) {
    clip_times.push_back(sample.clip_time);
    if (rig) joints.push_back(animation->joints(sample.clip_time));
  }
  if (rig && bind_pose) resize(*rig, joints, *bind_pose);
  Poses garment_poses(garment, bind_pose ? 2 : 1, kept, passing);
  Poses body_poses(body, bind_pose ? 2 : 1, kept, passing);
  SewnSearch sewn(garment, body);
  const auto add = [&](const Array3& pose, const std::string& where, bool stays = true) {
    check_finite(path, pose, where);
    return garment_poses.add(pose, stays) && body_poses.add(pose, stays);
  };
  Array3 positions = source.rest();
  if (!add(positions, "at rest")) return cut_from_whole();
  for (Layer* layer : {&garment, &body}) {
    if (character.normals.rows() == 0) continue;
    layer->surface.normals = character.normals(layer->vertices, Eigen::all);
    layer->surface.normal_pose = positions(layer->vertices, Eigen::all);
  }
  if (bind_pose) add(*bind_pose, "in the bind pose");
  std::optional<StandingSearch> standing;
  if (bind_pose || source.clips(options.fps).size() > 1)
    standing.emplace(source, bind_pose ? *bind_pose : positions, options.fps,
                     rig ? figures_of(*rig, garment.vertices) : std::vector<std::vector<std::int32_t>>());

  ClipData data;
  for (std::size_t frame = 0; frame < shown.size(); ++frame) {
    const Sample& sample = shown[frame];
    animation->pose(sample.clip_time, positions);
    add(positions, message("at ", sample.clip_time, " s of clip '", animation->name(), "'"), frame < kept);
    if (passing && !sewn.add(positions)) return cut_from_whole();
    if (standing) standing->offer(positions, sample.clip_time, animation->name());
    if (frame < kept) data.times.push_back(sample.time);
  }
  clip_times.resize(kept);
  Weld garment_weld = garment_poses.weld();
  const std::vector<std::int32_t> representatives = garment_weld.representatives;
  data.name = message(path.stem().string(), " ", animation->name());
  data.vertices = std::int64_t(garment_weld.representatives.size());
  data.positions = garment_poses.frames(garment_weld.representatives);
  data.body_positions = body_poses.frames();
  if (bind_pose) {
    data.rest = welded_pose(*bind_pose, garment, garment_weld);
    data.body_rest = (*bind_pose)(body.vertices, Eigen::all);
  }
  if (std::optional<Stood> stood = standing ? std::move(*standing).found() : std::nullopt)
    data.standing = {std::move(stood->from), welded_pose(stood->positions, garment, garment_weld),
                     stood->positions(body.vertices, Eigen::all)};
  if (rig) add_skins(path, data, *rig, *animation, clip_times, joints, garment, garment_weld, body);
  garment.surface.weld = std::move(garment_weld.welded);
  body.surface.weld = body_poses.weld().welded;
  for (Layer* layer : {&garment, &body}) leave_other_sides(layer->surface);
  data.garment = std::move(garment.surface);
  data.body = std::move(body.surface);
  data.materials = character.materials;
  data.parts = options.parts;
  data.clips = source.clips(options.fps);
  Clip clip(std::move(data));
  if (passing && lies_flat(clip)) return cut_from_whole();
  if (passing) {
    ClipData beginning = clip.data();
    beginning.whole = sewn.whole(clip, representatives);
    return Clip(std::move(beginning));
  }
  if (options.smooth == 0) return clip;
  return smoothed(clip, options.smooth);
}

Clip load(const std::filesystem::path& path, const LoadOptions& options) {
  return load(*open_source(path, {.limits = options.limits}), options);
}

FileInfo inspect(const Source& source) {
  FileInfo info;
  info.format = source.format();
  info.clips = source.clips(LoadOptions{}.fps);
  info.prefixes = source.prefixes();
  describe_parts(source.character(), info);
  return info;
}

FileInfo inspect(const std::filesystem::path& path) { return inspect(*open_source(path)); }

std::vector<bool> select(const Source& source, const std::vector<std::string>& parts) {
  return choose_parts(source, parts);
}

std::vector<std::int32_t> part_numbers(const Source& source, std::string_view kind) {
  return part_numbers(source.character(), kind);
}

}  // namespace pucker::io
