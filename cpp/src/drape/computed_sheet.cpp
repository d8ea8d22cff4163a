#include "pucker/drape/computed_sheet.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "links.h"
#include "pucker/drape/sheet.h"
#include "pucker/drape/springs.h"
#include "pucker/mesh/vertex_frames.h"

namespace pucker::drape {

namespace {

/// Vertices of a work group.
constexpr std::int64_t kComputedGroup = 64;
/// Bytes of Solver and ClothVertex of cloth.glsl.
constexpr std::size_t kSolverSize = 240;
constexpr std::size_t kClothVertexSize = 288;
/// Beyond, nothing but a pull is seen, and its square leaves the range of single precision.
constexpr double kMostComputedPull = 1e15;

std::array<float, 3> vector_of(const Vector3& in) { return {float(in[0]), float(in[1]), float(in[2])}; }

std::int64_t groups_of(std::int64_t count) { return (count + kComputedGroup - 1) / kComputedGroup; }

}  // namespace

ComputedSheet::ComputedSheet(const Drape& start)
    : params_(start.params()),
      extent_(start.setting().lengths.extent),
      count_(start.setting().levels->whole().fine()->vertex_count()) {
  const Setting& setting = start.setting();
  const Levels& levels = *setting.levels;
  const Sheets sheets(levels, setting.cut, setting.lengths);
  vertices_.resize(std::size_t(count_));
  add_springs(levels, sheets, setting.lengths);
  add_places(levels);
  const std::vector<double> shares = mass_shares(setting.lengths, params_);
  const std::vector<std::uint8_t>& fixed = levels.sewing().fixed();
  std::vector<double> areas;
  vertex_areas(*levels.whole().fine(), sheets.cut, unit_, areas);
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    const double tightness = setting.lengths.tightness[v];
    const bool stays = fixed[v] != 0 || levels.whole().fine()->ring(std::int32_t(v)).empty();
    vertices_[v].free = stays ? 0.0F : 1.0F;
    vertices_[v].mass = float(shares[v]);
    vertices_[v].cut_area = float(areas[v] / (tightness * tightness));
    vertices_[v].sewn = float(levels.sewing().holds()[v]);
  }
  add_levels(levels, sheets);
  if (start.contact() != nullptr) add_body(*start.contact(), fixed);
  if (start.layers() != nullptr) add_layers(*start.layers());
}

void ComputedSheet::add_body(const Contact& contact, std::span<const std::uint8_t> fixed) {
  ComputedBody body(contact, unit_);
  if (body.empty()) return;
  body.add_links(links_);
  for (std::size_t v = 0; v < std::size_t(count_); ++v) {
    vertices_[v].cut_room = float(contact.cut_room()[v] / unit_);
    vertices_[v].cut_depth = float(contact.cut_depth()[v] / unit_);
    vertices_[v].kept_out = fixed[v] != 0 ? 0.0F : 1.0F;
    vertices_[v].touched = std::uint32_t(kNone);
  }
  body_ = std::move(body);
}

void ComputedSheet::add_layers(const Layers& layers) {
  layers_first_ = links_.size();
  covered_ = std::int64_t(layers.covered().size());
  between_ = layers.clearance() / unit_;
  for (const Covered& each : layers.covered()) {
    links_.push_back(std::uint32_t(each.vertex));
    links_.push_back(std::uint32_t(each.over.triangle));
    for (const double share : each.over.shares) links_.push_back(link_of(share));
    links_.push_back(link_of(each.share));
    links_.push_back(each.other_side ? 1U : 0U);
  }
  fine_first_ = links_.size();
  add_triangles(layers.mesh().faces(), layers.across(), links_);
}

std::uint32_t ComputedSheet::add_row(const SparseRows& rows, std::int64_t row) {
  for (SparseRows::InnerIterator entry(rows, row); entry; ++entry) {
    links_.push_back(std::uint32_t(entry.col()));
    links_.push_back(link_of(entry.value()));
  }
  return std::uint32_t(links_.size());
}

void ComputedSheet::add_springs(const Levels& levels, const Sheets& sheets, const Lengths& lengths) {
  const Mesh& mesh = *levels.whole().fine();
  const Sheet& sheet = sheets.levels.back();
  std::vector<std::int32_t> places(vertices_.size());
  for (std::size_t v = 0; v < places.size(); ++v) places[v] = std::int32_t(v);
  const Springs core(mesh, places, sheets.cut, lengths.tightness, {});
  unit_ = core.unit();
  if (core.squares() > 0) squares_ = core.squares() / (unit_ * unit_);
  std::vector<std::vector<Spring>> of(vertices_.size());
  for (Eigen::Index e = 0; e < mesh.edge_count(); ++e)
    for (int end = 0; end < 2; ++end) {
      const std::int32_t from = mesh.edges()(e, end);
      const std::int32_t to = mesh.edges()(e, 1 - end);
      const double tightness = (lengths.tightness[std::size_t(from)] + lengths.tightness[std::size_t(to)]) / 2;
      const double cut = (sheets.cut.row(to) - sheets.cut.row(from)).norm() / tightness;
      Spring spring{};
      spring.neighbour = std::uint32_t(to);
      spring.weight = sheet.cotangents[std::size_t(e)];
      spring.cut = float(cut / unit_);
      of[std::size_t(from)].push_back(spring);
    }
  for (std::size_t v = 0; v < of.size(); ++v) {
    std::ranges::sort(of[v], {}, &Spring::neighbour);
    vertices_[v].spring = std::uint32_t(springs_.size());
    springs_.insert(springs_.end(), of[v].begin(), of[v].end());
    vertices_[v].spring_end = std::uint32_t(springs_.size());
    vertices_[v].bend = sheet.bend[v];
    vertices_[v].diagonal = sheet.diagonal[v];
  }
}

void ComputedSheet::add_places(const Levels& levels) {
  const LoopSubdivision& whole = levels.whole();
  const Mesh& mesh = *whole.fine();
  const std::vector<std::int32_t> neighbours = frame_neighbours(mesh);
  for (std::int32_t v = 0; v < count_; ++v) {
    Vertex& at = vertices_[std::size_t(v)];
    double largest = 0;
    for (SparseRows::InnerIterator entry(whole.barycentrics(), v); entry; ++entry) {
      if (entry.value() <= largest) continue;
      largest = entry.value();
      at.anchor = std::uint32_t(entry.col());
    }
    at.row = std::uint32_t(links_.size());
    at.row_end = at.base_end = add_row(whole.matrix(), v);
    if (levels.sewing().holds()[std::size_t(v)] > 0) at.base_end = add_row(whole.barycentrics(), v);
    at.ring = std::uint32_t(links_.size());
    for (const std::int32_t t : mesh.ring(v))
      for (int k = 1; k < 3; ++k) links_.push_back(std::uint32_t(mesh.faces()(t, (mesh.corner(t, v) + k) % 3)));
    at.ring_end = std::uint32_t(links_.size());
    at.neighbour = std::uint32_t(neighbours[std::size_t(v)] == kNone ? v : neighbours[std::size_t(v)]);
  }
}

void ComputedSheet::add_levels(const Levels& levels, const Sheets& sheets) {
  const auto fill = [&](Vertex& at, int level, std::int64_t v) {
    at.own = sheets.levels[std::size_t(level)].stiffness.own[std::size_t(v)];
    at.hold = sheets.levels[std::size_t(level)].stiffness.hold[std::size_t(v)];
    at.up = at.up_end = std::uint32_t(links_.size());
    if (level > 0) at.up_end = add_row(sheets.steps.up(level - 1), v);
  };
  for (std::int64_t v = 0; v < count_; ++v) fill(vertices_[std::size_t(v)], levels.count(), v);
  for (int level = 0; level < levels.count(); ++level) {
    firsts_.push_back(std::int64_t(vertices_.size()));
    const SparseRows down = sheets.steps.up(level).transpose();
    for (std::int64_t v = 0; v < levels.vertex_count(level); ++v) {
      Vertex& at = vertices_.emplace_back();
      at = {};
      fill(at, level, v);
      at.down = std::uint32_t(links_.size());
      at.down_end = add_row(down, v);
    }
  }
  firsts_.push_back(std::int64_t(vertices_.size()));
}

std::int64_t ComputedSheet::evaluations(int iterations) {
  constexpr int few = 8;
  return std::int64_t(iterations) + iterations / 4 + few;
}

std::vector<draw::Buffer> ComputedSheet::buffers(bool kept) const {
  const auto once = [&](std::string_view block, const auto& values) {
    return kept ? draw::kept(block, std::as_bytes(std::span(values)).size()) : draw::buffer_of(block, values);
  };
  const std::size_t cloth = kSolverSize + kClothVertexSize * std::size_t(kComputedGroup * groups_of(count_));
  return {once("Sheet", vertices_), once("Links", links_), once("Springs", springs_),
          kept ? draw::kept("Cloth", cloth) : draw::room_of("Cloth", cloth)};
}

void ComputedSheet::add_iteration(const std::vector<draw::Uniform>& in_judge, bool last,
                                  std::vector<draw::Program>& out) const {
  const auto first = [&](std::size_t level) { return std::uint32_t(firsts_[level]); };
  const std::size_t levels = firsts_.size() - 1;
  const draw::Uniform groups{"groups", std::uint32_t(groups_of(count_))};
  out.push_back({"forces", count_});
  out.push_back({"gradient", count_});
  out.push_back({"judge", kComputedGroup, in_judge});
  out.push_back({"accept", count_});
  if (last) return;
  for (std::size_t level = levels; level-- > 0;)
    out.push_back({"down",
                   firsts_[level + 1] - firsts_[level],
                   {{"level_first", first(level)},
                    {"finer_first", level + 1 == levels ? 0U : first(level + 1)},
                    {"coarsest", std::int32_t(level == 0)}}});
  for (std::size_t level = 1; level < levels; ++level)
    out.push_back({"up",
                   firsts_[level + 1] - firsts_[level],
                   {{"level_first", first(level)}, {"coarser_first", first(level - 1)}}});
  out.push_back({"precondition", count_, {{"coarser_first", levels == 0 ? 0U : first(levels - 1)}}});
  out.push_back({"combine", kComputedGroup, {groups}});
  out.push_back({"step", count_});
}

void ComputedSheet::add_programs(const ComputedStep& step, std::vector<draw::Program>& out) const {
  const bool started = !step.passed;
  const double passed = step.passed.value_or(0);
  const draw::Uniform coarse_first{"coarse_first", std::uint32_t(step.coarse_first)};
  const draw::Uniform moved{"moved", vector_of(step.moved / unit_)};
  const draw::Uniform depth{"depth", float(params_.depth * extent_ / unit_)};
  const auto pull = [&](double seconds) {
    return started ? 0.0F : float(std::min(seconds / passed, kMostComputedPull));
  };
  out.push_back({"begin",
                 1,
                 {{"started", std::int32_t(started)},
                  {"passed", float(passed)},
                  {"passed_before", float(step.passed_before)},
                  {"swing", float(params_.swing)}}});
  out.push_back({"guide", count_, {coarse_first, moved, {"farthest", float(extent_ / unit_)}}});
  out.push_back(
      {"start", count_, {coarse_first, moved, depth, {"lag", pull(params_.lag)}, {"memory", pull(params_.memory)}}});
  std::vector<draw::Uniform> of_body{coarse_first};
  if (body_) {
    const std::vector<draw::Uniform> own = body_->uniforms(step.body_first);
    of_body.insert(of_body.end(), own.begin(), own.end());
    out.push_back({"look", count_, of_body});
    out.push_back({"regions", kComputedGroup, body_->of_regions()});
    out.push_back({"touch", count_, of_body});
  }
  out.push_back({"springs",
                 count_,
                 {coarse_first, {"creep", float(params_.creep)}, {"compression", float(params_.compression)}}});
  const int iterations = params_.iterations * (started ? params_.settling : 1);
  const std::vector<draw::Uniform> in_judge{{"groups", std::uint32_t(groups_of(count_))},
                                            {"iterations", std::int32_t(iterations)},
                                            {"tolerance", float(params_.tolerance)},
                                            {"squares", float(squares_)}};
  const std::int64_t evaluated = evaluations(iterations);
  for (std::int64_t k = 0; k < evaluated; ++k) add_iteration(in_judge, k + 1 == evaluated, out);
  if (!body_) of_body.push_back({"nodes", 0U});
  out.push_back({"lift", count_, of_body});
  const auto add_under = [&](bool gained) {
    if (covered_ == 0) return;
    std::vector<draw::Uniform> in_under = of_body;
    in_under.insert(in_under.end(), {{"layers_first", std::uint32_t(layers_first_)},
                                     {"fine_first", std::uint32_t(fine_first_)},
                                     {"between", float(between_)},
                                     {"gained", std::int32_t(gained)}});
    out.push_back({"under", covered_, std::move(in_under)});
  };
  add_under(false);
  const draw::Uniform gain{"gain", float(params_.gain)};
  if (params_.gain > 1) out.push_back({"raise", count_, {coarse_first, gain}});
  std::vector<draw::Uniform> in_finish = of_body;
  in_finish.insert(in_finish.end(), {moved, {"passed", float(passed)}, gain});
  out.push_back({"finish", count_, std::move(in_finish)});
  if (params_.gain != 1) add_under(true);
}

void ComputedSheet::add_drawing(std::size_t coarse_first, const Vector3& middle,
                                std::vector<draw::Program>& out) const {
  const draw::Uniform first{"coarse_first", std::uint32_t(coarse_first)};
  out.push_back({"place", count_, {first, {"unit", float(unit_)}, {"middle", vector_of(middle)}}});
  out.push_back({"normals", count_, {first}});
}

}  // namespace pucker::drape
