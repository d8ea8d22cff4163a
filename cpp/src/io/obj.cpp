#include "obj.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "files.h"
#include "pucker/errors.h"

namespace pucker::io {
namespace {

constexpr std::string_view kBlank = " \t\r";

// Takes the next word off the front of `line`; empty at the end.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlank));
  line.remove_prefix(word.size());
  return word;
}

// One corner of a face: numbers of its `v` and `vt` lines.
struct Corner {
  std::int32_t point = 0;
  std::int32_t uv = kNone;

  bool operator<(const Corner& other) const { return std::pair(point, uv) < std::pair(other.point, other.uv); }
};

class Parser {
 public:
  explicit Parser(const std::string& file) : file_(file) {}

  Obj parse(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      const std::size_t end = std::min(text.find('\n'), text.size());
      read_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return finish();
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw Error(message(file_, ", line ", line_, ": ", parts...));
  }

  void read_line(std::string_view line) {
    const std::string_view keyword = next_word(line);
    if (keyword == "v") {
      for (int axis = 0; axis < 3; ++axis) points_.push_back(read_number(line, "position"));
    } else if (keyword == "vt") {
      for (int axis = 0; axis < 2; ++axis) uv_.push_back(read_number(line, "texture coordinate"));
    } else if (keyword == "f") {
      read_face(line);
    } else if (keyword == "o" || keyword == "g") {
      node_ = trimmed(line, kBlank);
      piece_.reset();
    } else if (keyword == "mtllib") {
      libraries_.emplace_back(trimmed(line, kBlank));
    } else if (keyword == "usemtl") {
      material_name_ = trimmed(line, kBlank);
      material_.reset();
    }
  }

  double read_number(std::string_view& line, const char* what) const {
    const std::string_view word = next_word(line);
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
      fail("expected a finite number for a ", what, ", got '", word, "'");
    return value;
  }

  void read_face(std::string_view line) {
    std::vector<Corner> corners;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line))
      corners.push_back(read_corner(word));
    if (corners.size() < 3) fail("a face needs at least 3 vertices, got ", corners.size());
    for (std::size_t k = 2; k < corners.size(); ++k) {
      corners_.insert(corners_.end(), {corners[0], corners[k - 1], corners[k]});
      face_pieces_.push_back(current_piece());
      face_materials_.push_back(current_material());
    }
  }

  Corner read_corner(std::string_view word) const {
    const std::size_t slash = word.find('/');
    Corner corner{read_index(word.substr(0, slash), points_.size() / 3, "vertex"), kNone};
    if (slash == std::string_view::npos) return corner;
    const std::string_view rest = word.substr(slash + 1);
    const std::string_view uv = rest.substr(0, rest.find('/'));
    if (!uv.empty()) corner.uv = read_index(uv, uv_.size() / 2, "texture coordinate");
    return corner;
  }

  // Numbers count from 1, negative ones back from the last line read.
  std::int32_t read_index(std::string_view word, std::size_t count, const char* what) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
      fail("expected a ", what, " number, got '", word, "'");
    const std::int64_t index = value < 0 ? std::int64_t(count) + value : value - 1;
    if (index < 0 || index >= std::int64_t(count)) fail(what, " ", value, " does not exist, there are ", count);
    return std::int32_t(index);
  }

  std::int32_t current_piece() {
    if (!piece_) {
      piece_ = std::int32_t(character_.pieces.size());
      character_.pieces.push_back({node_, {}});
    }
    return *piece_;
  }

  std::int32_t current_material() {
    if (!material_) {
      const auto [entry, is_new] =
          material_numbers_.try_emplace(material_name_, std::int32_t(character_.materials.size()));
      if (is_new) character_.materials.emplace_back().name = material_name_;
      material_ = entry->second;
    }
    return *material_;
  }

  Obj finish() {
    if (corners_.empty()) throw Error(message(file_, ": has no face"));
    Obj obj;
    obj.points = Eigen::Map<const Array3>(points_.data(), std::int64_t(points_.size()) / 3, 3);
    character_.faces.resize(std::int64_t(corners_.size()) / 3, 3);
    if (uv_.empty())
      number_by_point(obj);
    else
      number_by_pair(obj);
    character_.vertices = std::int64_t(obj.vertex_rows.size());
    character_.face_pieces = std::move(face_pieces_);
    character_.face_materials = std::move(face_materials_);
    obj.character = std::move(character_);
    obj.libraries = std::move(libraries_);
    return obj;
  }

  void number_by_point(Obj& obj) {
    obj.vertex_rows.resize(std::size_t(obj.points.rows()));
    std::iota(obj.vertex_rows.begin(), obj.vertex_rows.end(), 0);
    for (std::size_t k = 0; k < corners_.size(); ++k)
      character_.faces(std::int64_t(k / 3), std::int64_t(k % 3)) = corners_[k].point;
    character_.uv.resize(0, 2);
  }

  void number_by_pair(Obj& obj) {
    std::map<Corner, std::int32_t> numbers;
    for (std::size_t k = 0; k < corners_.size(); ++k) {
      const auto [entry, is_new] = numbers.try_emplace(corners_[k], std::int32_t(numbers.size()));
      if (is_new) obj.vertex_rows.push_back(corners_[k].point);
      character_.faces(std::int64_t(k / 3), std::int64_t(k % 3)) = entry->second;
    }
    character_.uv = UvArray::Zero(std::int64_t(numbers.size()), 2);
    for (const auto& [corner, number] : numbers)
      if (corner.uv != kNone)
        character_.uv.row(number) << uv_[2 * std::size_t(corner.uv)], uv_[2 * std::size_t(corner.uv) + 1];
  }

  const std::string& file_;
  std::int64_t line_ = 0;
  std::vector<double> points_;
  std::vector<double> uv_;
  std::vector<Corner> corners_;
  std::vector<std::int32_t> face_pieces_;
  std::vector<std::int32_t> face_materials_;
  std::vector<std::string> libraries_;
  std::string node_;
  std::string material_name_;
  std::optional<std::int32_t> piece_;
  std::optional<std::int32_t> material_;
  std::unordered_map<std::string, std::int32_t> material_numbers_;
  Character character_;
};

}  // namespace

Obj read_obj(std::string_view text, const std::string& file) { return Parser(file).parse(text); }

}  // namespace pucker::io
