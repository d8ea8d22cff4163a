#include "parts.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "files.h"
#include "pucker/nearest.h"

namespace pucker::io {
namespace {

constexpr std::string_view kJointPrefix = "joint:";
constexpr std::string_view kTrianglesPrefix = "triangles:";
constexpr char kLeftOut = '-';
constexpr char kAndBelow = '/';

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

// Marks the triangles of a part "triangles:12-40+55": ranges of them, both ends included, and single ones.
void mark_triangles(const Source& source, const std::string& part, std::vector<bool>& marked) {
  const char* at = part.data() + kTrianglesPrefix.size();
  const char* const end = part.data() + part.size();
  const auto read = [&] {
    std::size_t number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    require(error == std::errc{}, "part '", part, "' must list triangles as in triangles:12-40+55");
    require(number < marked.size(), "part '", part, "' names triangle ", number, ", but ", source.path().string(),
            " has ", marked.size(), " triangles, numbered from 0");
    at = after;
    return number;
  };
  for (bool more = true; more; ++at) {
    const std::size_t first = read();
    std::size_t last = first;
    if (at != end && *at == '-') {
      ++at;
      last = read();
    }
    more = at != end;
    require(first <= last && (!more || *at == '+'), "part '", part, "' must list triangles as in triangles:12-40+55");
    std::fill(marked.begin() + std::ptrdiff_t(first), marked.begin() + std::ptrdiff_t(last) + 1, true);
  }
}

// Which of the wanted parts a name is one of. Names of many thousand parts are looked up, not compared one by one.
class Wanted {
 public:
  Wanted(const Source& source, const std::vector<std::string>& parts)
      : parts_(parts), found_(parts.size(), false), triangles_(std::size_t(source.character().faces.rows()), false) {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      if (parts_[k].starts_with(kTrianglesPrefix)) {
        mark_triangles(source, parts_[k], triangles_);
        found_[k] = true;
      } else if (parts_[k].starts_with(kJointPrefix) && parts_[k].ends_with(kAndBelow)) {
        for (std::string& joint : joints_below(source, parts_[k])) {
          expanded_.push_back(std::move(joint));
          names_[expanded_.back()].push_back(k);
        }
      } else if (parts_[k].ends_with('*')) {
        patterns_.emplace_back(parts_[k], k);
      } else {
        names_[parts_[k]].push_back(k);
      }
    }
  }
  Wanted(const Wanted&) = delete;
  Wanted& operator=(const Wanted&) = delete;
  Wanted(Wanted&&) = delete;
  Wanted& operator=(Wanted&&) = delete;
  ~Wanted() = default;

  bool empty() const { return parts_.empty(); }

  /// Whether a part lists the triangle by its number.
  bool lists(std::size_t triangle) const { return triangles_[triangle]; }

  /// Whether any part is of that name; those that are count as found.
  bool is_chosen(std::string_view name) {
    bool chosen = false;
    const auto take = [&](std::size_t part) { found_[part] = chosen = true; };
    if (const auto same = names_.find(name); same != names_.end()) std::ranges::for_each(same->second, take);
    for (const auto& [pattern, part] : patterns_)
      if (matches(pattern, name)) take(part);
    return chosen;
  }

  /// The first part that named nothing, if there is one.
  std::optional<std::string> missing() const {
    const auto first = std::ranges::find(found_, false);
    if (first == found_.end()) return std::nullopt;
    return parts_[std::size_t(first - found_.begin())];
  }

 private:
  // "joint:NAME" of the joint of a part "joint:NAME/" and of all below it in the skeleton.
  static std::vector<std::string> joints_below(const Source& source, const std::string& part) {
    const std::optional<Rig> rig = source.rig();
    require(rig.has_value(), "part '", part, "' asks for the joints below one, but ", source.path().string(),
            " tells of no skeleton");
    const std::string name = part.substr(kJointPrefix.size(), part.size() - kJointPrefix.size() - 1);
    std::vector<std::string> out;
    std::vector<bool> below(rig->skeleton.size());
    // Parents come before their children.
    for (std::size_t k = 0; k < below.size(); ++k) {
      below[k] = rig->skeleton[k] == name || (rig->parents[k] != kNone && below[std::size_t(rig->parents[k])]);
      if (below[k]) out.push_back(std::string(kJointPrefix) + rig->skeleton[k]);
    }
    return out;
  }

  std::vector<std::string> parts_;
  std::deque<std::string> expanded_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> names_;
  std::vector<std::pair<std::string_view, std::size_t>> patterns_;
  std::vector<bool> found_;
  std::vector<bool> triangles_;
};

// Answers of a question about whole numbers from 0, each asked once.
class Answers {
 public:
  explicit Answers(std::size_t count) : answers_(count) {}

  template <class Ask>
  bool of(std::int32_t number, Ask ask) {
    std::optional<bool>& answer = answers_[std::size_t(number)];
    if (!answer) answer = ask();
    return *answer;
  }

 private:
  std::vector<std::optional<bool>> answers_;
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

// Which triangles are of a wanted part.
class Choice {
 public:
  Choice(const Source& source, const std::vector<std::string>& parts)
      : character_(source.character()),
        wanted_(source, parts),
        materials_(character_.materials.size()),
        pieces_(character_.pieces.size()),
        joints_(character_.joints.size()) {}

  bool empty() const { return wanted_.empty(); }
  std::optional<std::string> missing() const { return wanted_.missing(); }

  bool has(std::size_t face, std::int32_t governing) {
    const std::int32_t material = character_.face_materials[face];
    const std::int32_t piece = character_.face_pieces[face];
    const bool in_material =
        materials_.of(material, [&] { return wanted_.is_chosen(character_.materials[std::size_t(material)].name); });
    const bool in_piece = pieces_.of(piece, [&] {
      const bool node = wanted_.is_chosen(character_.pieces[std::size_t(piece)].node);
      return wanted_.is_chosen(character_.pieces[std::size_t(piece)].mesh) || node;
    });
    const bool of_joint = governing != kNone && joints_.of(governing, [&] {
      return wanted_.is_chosen(std::string(kJointPrefix) + character_.joints[std::size_t(governing)]);
    });
    return in_material || in_piece || of_joint || wanted_.lists(face);
  }

 private:
  const Character& character_;
  Wanted wanted_;
  Answers materials_, pieces_, joints_;
};

}  // namespace

std::vector<bool> choose_parts(const Source& source, const std::vector<std::string>& parts) {
  const Character& character = source.character();
  std::vector<std::string> taken;
  std::vector<std::string> left_out;
  for (const std::string& part : parts) {
    if (part.starts_with(kLeftOut))
      left_out.push_back(part.substr(1));
    else
      taken.push_back(part);
  }
  const std::vector<std::int32_t> governing = governing_joints(character);
  std::vector<bool> chosen(std::size_t(character.faces.rows()), true);
  if (parts.empty()) return chosen;
  Choice in(source, taken);
  Choice out(source, left_out);
  for (std::size_t face = 0; face < chosen.size(); ++face) {
    const bool is_in = in.has(face, governing[face]);
    const bool is_out = out.has(face, governing[face]);
    chosen[face] = (in.empty() || is_in) && !is_out;
  }
  for (const Choice* choice : {&in, &out})
    if (const std::optional<std::string> missing = choice->missing()) refuse(character, *missing);
  require(std::ranges::find(chosen, true) != chosen.end(), "parts ",
          join(parts, [](const std::string& part) { return part; }), " leave no triangle");
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
