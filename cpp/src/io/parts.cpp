#include "parts.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "files.h"

namespace pucker::io {
namespace {

constexpr std::string_view kJointPrefix = "joint:";

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

// The joint that governs each triangle: the one with the largest weight summed over its corners, the first of equals.
// kNone where nothing is skinned.
std::vector<std::int32_t> governing_joints(const Character& character) {
  std::vector<std::int32_t> governing(std::size_t(character.faces.rows()), kNone);
  if (character.joints.empty()) return governing;
  std::vector<double> weights(character.joints.size(), 0.0);
  for (std::int64_t face = 0; face < character.faces.rows(); ++face) {
    const auto for_each = [&](auto&& use) {
      for (const std::int32_t vertex : character.faces.row(face))
        for (const Influence& influence : character.influences[std::size_t(vertex)]) use(influence);
    };
    for_each([&](const Influence& influence) { weights[std::size_t(influence.joint)] += influence.weight; });
    double largest = 0.0;
    std::int32_t& joint = governing[std::size_t(face)];
    for_each([&](const Influence& influence) {
      const double weight = weights[std::size_t(influence.joint)];
      if (weight < largest || weight <= 0.0 || (weight == largest && influence.joint > joint)) return;
      largest = weight;
      joint = influence.joint;
    });
    for_each([&](const Influence& influence) { weights[std::size_t(influence.joint)] = 0.0; });
  }
  return governing;
}

bool names_face(std::string_view part, const Character& character, std::int64_t face, std::int32_t governing) {
  if (part.starts_with(kJointPrefix))
    return governing != kNone && matches(part.substr(kJointPrefix.size()), character.joints[std::size_t(governing)]);
  const Piece& piece = character.pieces[std::size_t(character.face_pieces[std::size_t(face)])];
  const Material& material = character.materials[std::size_t(character.face_materials[std::size_t(face)])];
  return matches(part, material.name) || matches(part, piece.node) || matches(part, piece.mesh);
}

std::string names_of(const std::vector<PartInfo>& parts) {
  const std::string names = join(parts, [](const PartInfo& part) { return part.name; });
  return names.empty() ? "none" : names;
}

[[noreturn]] void refuse(const Character& character, const std::string& part) {
  FileInfo info;
  describe_parts(character, info);
  throw InvalidArgument(message("part '", part, "' names no triangle; materials: ", names_of(info.materials),
                                "; nodes: ", names_of(info.nodes), "; meshes: ", names_of(info.meshes),
                                "; joints, asked for as joint:NAME: ", names_of(info.joints)));
}

// Counts triangles by name, in the order of first appearance.
class Counter {
 public:
  explicit Counter(std::vector<PartInfo>& parts) : parts_(parts) {}

  void add(const std::string& name) {
    if (name.empty()) return;
    const auto [entry, is_new] = numbers_.try_emplace(name, parts_.size());
    if (is_new) parts_.push_back({name, 0});
    ++parts_[entry->second].triangles;
  }

 private:
  std::vector<PartInfo>& parts_;
  std::unordered_map<std::string_view, std::size_t> numbers_;  // views of the character's names
};

}  // namespace

std::vector<bool> choose_parts(const Character& character, const std::vector<std::string>& parts) {
  const std::vector<std::int32_t> governing = governing_joints(character);
  std::vector<bool> chosen(std::size_t(character.faces.rows()), parts.empty());
  for (const std::string& part : parts) {
    bool found = false;
    for (std::int64_t face = 0; face < character.faces.rows(); ++face) {
      if (!names_face(part, character, face, governing[std::size_t(face)])) continue;
      chosen[std::size_t(face)] = true;
      found = true;
    }
    if (!found) refuse(character, part);
  }
  return chosen;
}

void describe_parts(const Character& character, FileInfo& info) {
  for (const std::string& joint : character.joints) info.joints.push_back({joint, 0});
  for (const std::int32_t joint : governing_joints(character))
    if (joint != kNone) ++info.joints[std::size_t(joint)].triangles;
  Counter nodes(info.nodes);
  Counter meshes(info.meshes);
  Counter materials(info.materials);
  for (std::int64_t face = 0; face < character.faces.rows(); ++face) {
    const Piece& piece = character.pieces[std::size_t(character.face_pieces[std::size_t(face)])];
    nodes.add(piece.node);
    meshes.add(piece.mesh);
    materials.add(character.materials[std::size_t(character.face_materials[std::size_t(face)])].name);
  }
  info.stored_vertices = character.vertices;
  info.triangles = character.faces.rows();
}

}  // namespace pucker::io
