#include "parts.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "files.h"
#include "pucker/nearest.h"

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

// Which of the wanted parts a name is one of. Names of many thousand parts are looked up, not compared one by one.
class Wanted {
 public:
  explicit Wanted(const std::vector<std::string>& parts) : found_(parts.size(), false) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].ends_with('*'))
        patterns_.emplace_back(parts[k], k);
      else
        names_[parts[k]].push_back(k);
    }
  }

  /// Whether any part is of that name; those that are count as found.
  bool is_chosen(std::string_view name) {
    bool chosen = false;
    const auto take = [&](std::size_t part) { found_[part] = chosen = true; };
    if (const auto same = names_.find(name); same != names_.end()) std::ranges::for_each(same->second, take);
    for (const auto& [pattern, part] : patterns_)
      if (matches(pattern, name)) take(part);
    return chosen;
  }

  const std::vector<bool>& found() const { return found_; }

 private:
  std::unordered_map<std::string_view, std::vector<std::size_t>> names_;
  std::vector<std::pair<std::string_view, std::size_t>> patterns_;
  std::vector<bool> found_;
};

// Answers of a question about whole numbers from 0, each asked once.
template <class Ask>
class Answers {
 public:
  Answers(std::size_t count, Ask ask) : answers_(count), ask_(std::move(ask)) {}

  bool of(std::int32_t number) {
    std::optional<bool>& answer = answers_[std::size_t(number)];
    if (!answer) answer = ask_(std::size_t(number));
    return *answer;
  }

 private:
  std::vector<std::optional<bool>> answers_;
  Ask ask_;
};

std::string names_of(const std::vector<PartInfo>& parts) {
  const std::string names = join(parts, [](const PartInfo& part) { return part.name; });
  return names.empty() ? "none" : names;
}

[[noreturn]] void refuse(const Character& character, const std::string& part) {
  FileInfo info;
  describe_parts(character, info);
  std::vector<std::string> known;
  for (const auto* list : {&info.materials, &info.nodes, &info.meshes})
    for (const PartInfo& each : *list) known.push_back(each.name);
  for (const PartInfo& joint : info.joints) known.push_back(std::string(kJointPrefix) + joint.name);
  throw InvalidArgument(message("part '", part, "'", did_you_mean(part, known),
                                " names no triangle; materials: ", names_of(info.materials),
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
  Wanted wanted(parts);
  Answers materials(character.materials.size(),
                    [&](std::size_t k) { return wanted.is_chosen(character.materials[k].name); });
  Answers pieces(character.pieces.size(), [&](std::size_t k) {
    const bool node = wanted.is_chosen(character.pieces[k].node);
    return wanted.is_chosen(character.pieces[k].mesh) || node;
  });
  Answers joints(character.joints.size(),
                 [&](std::size_t k) { return wanted.is_chosen(std::string(kJointPrefix) + character.joints[k]); });
  for (std::size_t face = 0; !parts.empty() && face < chosen.size(); ++face) {
    const bool material = materials.of(character.face_materials[face]);
    const bool piece = pieces.of(character.face_pieces[face]);
    const bool joint = governing[face] != kNone && joints.of(governing[face]);
    chosen[face] = material || piece || joint;
  }
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (!wanted.found()[k]) refuse(character, parts[k]);
  return chosen;
}

std::vector<std::int32_t> part_numbers(const Character& character, std::string_view kind) {
  if (kind == "joints") return governing_joints(character);
  require(kind == "nodes" || kind == "meshes" || kind == "materials",
          "parts must be materials, nodes, meshes or joints, got '", kind, "'");
  std::unordered_map<std::string_view, std::int32_t> numbers;
  std::vector<std::int32_t> result;
  for (std::size_t face = 0; face < std::size_t(character.faces.rows()); ++face) {
    const Piece& piece = character.pieces[std::size_t(character.face_pieces[face])];
    const std::string& material = character.materials[std::size_t(character.face_materials[face])].name;
    const std::string_view name = kind == "nodes" ? piece.node : kind == "meshes" ? piece.mesh : material;
    result.push_back(name.empty() ? kNone : numbers.try_emplace(name, std::int32_t(numbers.size())).first->second);
  }
  return result;
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
