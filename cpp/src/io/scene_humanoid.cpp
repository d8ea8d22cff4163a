#include "scene_humanoid.h"

#include <cmath>
#include <functional>

#include "files.h"

namespace pucker::io {
namespace {

constexpr const char* kHips = "hips";

// Without scale, and without the mirror of a node that is scaled to its left and right exchanged.
Eigen::Quaterniond rotation_of(const Affine& transform) {
  Eigen::Matrix3d linear = transform.linear();
  if (linear.determinant() < 0.0) linear.col(0) *= -1.0;
  Affine proper = Affine::Identity();
  proper.linear() = linear;
  return Eigen::Quaterniond(proper.rotation()).normalized();
}

// Where the hips are in the world.
Vector3 hips_of(const SceneFile& scene) {
  const std::vector<Affine> globals = scene.globals_of(scene.stored_locals());
  return globals[std::size_t(scene.bone(kHips))].translation();
}

void check_hips(const SceneFile& scene) {
  const double height = hips_of(scene).y();
  if (!(std::isfinite(height) && height > 0.0))
    fail(scene.path(), "the hips at rest must be above y = 0, by which their way is scaled, got y = ", height);
}

}  // namespace

void check_humanoids(const SceneFile& model, const SceneFile& motion) {
  if (model.humanoid().extension.empty() || model.humanoid().is_motion())
    fail(motion.path(), "is a VRM Animation, which moves the humanoid bones of a VRM, but ", model.path().string(),
         " has neither the extension VRM nor VRMC_vrm");
  for (const SceneFile* scene : {&model, &motion})
    if (!scene->humanoid().fault.empty()) fail(scene->path(), scene->humanoid().fault);
  if (const std::vector<std::string> missing = missing_bones(model.humanoid()); !missing.empty())
    fail(model.path(), model.humanoid().extension,
         ".humanoid.humanBones lacks bones that VRM requires: ", join(missing, std::identity()));
  if (motion.bone(kHips) == kNone)
    fail(motion.path(), motion.humanoid().extension, ".humanoid.humanBones must name the hips");
  check_hips(model);
  check_hips(motion);
}

HumanoidMotion::Rest::Rest(const SceneFile& scene) : globals(scene.globals_of(scene.stored_locals())) {
  for (const Node& node : scene.nodes()) {
    own.push_back(rotation_of(node.local));
    world.push_back(node.parent == kNone ? own.back() : world[std::size_t(node.parent)] * own.back());
  }
}

HumanoidMotion::HumanoidMotion(const SceneFile& model, const SceneClip& clip)
    : model_(model),
      clip_(clip),
      rest_(model),
      source_rest_(clip.scene()),
      sources_(model.nodes().size(), kNone),
      is_bone_(clip.scene().nodes().size()) {
  check_humanoids(model, clip.scene());
  for (const auto& [bone, place] : model.humanoid().bones) {
    // Eyes follow what is looked at, not a rotation.
    if (bone == "leftEye" || bone == "rightEye") continue;
    sources_[std::size_t(model.bone(bone))] = clip.scene().bone(bone);
  }
  for (const auto& [bone, place] : clip.scene().humanoid().bones) is_bone_[std::size_t(clip.scene().bone(bone))] = true;
  hips_ = model.bone(kHips);
}

// By how much each of the clip's nodes is turned from its rest pose, in the world.
std::vector<Eigen::Quaterniond> HumanoidMotion::turns_at(const std::vector<Affine>& source_locals) const {
  const std::span<const Node> nodes = clip_.scene().nodes();
  std::vector<Eigen::Quaterniond> now;
  std::vector<Eigen::Quaterniond> turns;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Eigen::Quaterniond own = is_bone_[k] ? rotation_of(source_locals[k]) : source_rest_.own[k];
    now.push_back(nodes[k].parent == kNone ? own : now[std::size_t(nodes[k].parent)] * own);
    turns.push_back(now.back() * source_rest_.world[k].conjugate());
  }
  return turns;
}

std::vector<Affine> HumanoidMotion::locals_at(double time) const {
  const std::vector<Affine> source_locals = clip_.locals_at(time);
  const std::vector<Eigen::Quaterniond> turns = turns_at(source_locals);
  const std::span<const Node> nodes = model_.nodes();
  std::vector<Affine> locals = model_.stored_locals();
  std::vector<Eigen::Quaterniond> now;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Eigen::Quaterniond above =
        nodes[k].parent == kNone ? Eigen::Quaterniond::Identity() : now[std::size_t(nodes[k].parent)];
    if (sources_[k] == kNone) {
      now.push_back(above * rest_.own[k]);
      continue;
    }
    now.push_back(turns[std::size_t(sources_[k])] * rest_.world[k]);
    // What the node is scaled by stays.
    locals[k].linear() =
        (above.conjugate() * now.back() * rest_.own[k].conjugate()).toRotationMatrix() * locals[k].linear();
  }
  const auto space = [](const SceneFile& scene, const Rest& rest, std::int32_t node) {
    const std::int32_t parent = scene.nodes()[std::size_t(node)].parent;
    return parent == kNone ? Affine::Identity() : rest.globals[std::size_t(parent)];
  };
  const std::int32_t source = sources_[std::size_t(hips_)];
  const Vector3 start = source_rest_.globals[std::size_t(source)].translation();
  const Vector3 own_start = rest_.globals[std::size_t(hips_)].translation();
  const Vector3 way =
      space(clip_.scene(), source_rest_, source) * Vector3(source_locals[std::size_t(source)].translation()) - start;
  const Vector3 place = own_start + own_start.y() / start.y() * way;
  locals[std::size_t(hips_)].translation() = space(model_, rest_, hips_).inverse() * place;
  return locals;
}

}  // namespace pucker::io
