#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <span>

#include "soak/checks.h"

namespace pucker::soak {

namespace {

constexpr double kRounding = 1e-9;

/// A path segment in the plane of its triangle, by two barycentric coordinates of its ends.
struct Piece {
  Vector2 from;
  Vector2 to;
  std::int64_t wrinkle;
  std::size_t segment;
};

/// On which side of the line of `piece` a point lies: −1, 1, or 0 for one that rounding could put on either.
int side(const Piece& piece, const Vector2& point) {
  const double area = cross(piece.to - piece.from, point - piece.from);
  return area > kRounding ? 1 : area < -kRounding ? -1 : 0;
}

bool cross_each_other(const Piece& a, const Piece& b) {
  return side(a, b.from) * side(a, b.to) < 0 && side(b, a.from) * side(b, a.to) < 0;
}

/// By then cloth that has stopped is at rest. Most is after 60 frames; but a path that grows makes others give way, and
/// where they leave room a new one starts and grows in turn.
constexpr int kFramesToRest = 91;

class DynamicChecks final : public Checks {
 public:
  DynamicChecks(const Wrinkler& run, bool usual) : params_(run.params()), usual_(usual) {
    const Index3& faces = run.mesh()->faces();
    for (Eigen::Index t = 0; t < faces.rows(); ++t) {
      degenerate_.push_back(faces(t, 0) == faces(t, 1) || faces(t, 1) == faces(t, 2) || faces(t, 2) == faces(t, 0));
      if (degenerate_.back()) continue;
      for (int k = 0; k < 3; ++k) edges_[std::minmax(faces(t, k), faces(t, (k + 1) % 3))].push_back(std::int32_t(t));
    }
  }

 protected:
  void method_frame(const Method& run, double dt, int still) override {
    const auto& state = dynamic_cast<const WrinklerState&>(run.state());
    triangles(state);
    if (dt == 0) hold(state.wrinkles.empty(), "the first frame has ", state.wrinkles.size(), " wrinkles");
    wrinkles(state, dt);
    crossings(state);
    curves(state);
    packed(state);
    if (usual_ && still > kFramesToRest) at_rest(state);
    before_ = state.wrinkles;
  }
  double seam(const State& state) const override {
    double widest = 0;
    for (const PackedPoint& p : dynamic_cast<const WrinklerState&>(state).packed.points)
      widest = std::max({widest, double(p.width), double(p.mid_width)});
    return 1e-3 * widest;
  }

 private:
  void triangles(const WrinklerState& state) const {
    const std::size_t count = degenerate_.size();
    hold(state.labels.size() == count && state.reference.size() == count && state.compression.size() == count &&
             std::size_t(state.costs.rows()) == count && state.stretch.minimum.size() == count,
         "a stage has not one entry a triangle");
    hold(state.costs.allFinite(), "a label cost is not finite");
    for (std::size_t t = 0; t < count; ++t) {
      const int label = state.labels[t];
      hold(label >= 0 && label <= 2, "triangle ", t, " has the label ", label);
      hold(!degenerate_[t] || label == kRest, "triangle ", t, " names a vertex twice and has the label ", label);
      const RowMatrix2& reference = state.reference[t];
      hold(reference.allFinite() && reference.determinant() >= -1e-9 * reference.squaredNorm(),
           "the reference of triangle ", t, " is turned over or not finite");
      const double least = state.stretch.minimum[t];
      const double most = state.stretch.maximum[t];
      hold(std::isfinite(most) && least >= 0 && least <= most, "the stretches of triangle ", t, " are ", least, ", ",
           most);
      hold(std::isfinite(state.compression[t]) && state.compression[t] > 0, "the compression of triangle ", t, " is ",
           state.compression[t]);
      hold(least < 1e-6 || std::abs(state.compression[t] * least - 1) < kRounding, "triangle ", t, " is stretched to ",
           least, " and compressed by ", state.compression[t]);
      for (const Rotation& turn : {state.stretch.left[t], state.stretch.right[t]})
        hold(std::abs(turn.first().norm() - 1) < kRounding, "directions of triangle ", t, " are not of unit length");
    }
  }

  /// The weights of a point in a triangle; it must lie there.
  static Vector3 weights(const Mesh& mesh, const PathPoint& p, std::int32_t triangle) {
    Vector3 out = Vector3::Zero();
    int found = 0;
    for (int k = 0; k < 3; ++k) {
      const std::int32_t vertex = mesh.faces()(triangle, k);
      if (vertex == p.v0) out[k] = (1 - p.depth) * p.t;
      if (vertex == p.v1) out[k] = (1 - p.depth) * (1 - p.t);
      if (vertex == p.v0 || vertex == p.v1) ++found;
      if (p.depth > 0 && vertex == p.apex) out[k] = p.depth;
    }
    hold(found == 2 && p.v0 != p.v1, "edge (", p.v0, ", ", p.v1, ") is none of triangle ", triangle);
    hold(std::abs(out.sum() - 1) < kRounding, "a point lies beside triangle ", triangle);
    return out;
  }

  void path(const Mesh& mesh, const Wrinkle& w) const {
    const std::size_t k = w.points.size();
    hold(k >= 2 && w.triangles.size() == k - 1, "wrinkle ", w.id, " has ", k, " points and ", w.triangles.size(),
         " triangles");
    for (std::size_t i = 0; i < k; ++i) {
      const PathPoint& p = w.points[i];
      hold(p.t >= 0 && p.t <= 1 && p.depth >= 0 && p.depth < 1, "point ", i, " of wrinkle ", w.id, " has t ", p.t,
           ", depth ", p.depth);
      const bool end = i == 0 || i + 1 == k;
      hold(end || p.depth == 0, "inner point ", i, " of wrinkle ", w.id, " has depth ", p.depth);
      hold(end || (p.t > 0 && p.t < 1), "inner point ", i, " of wrinkle ", w.id, " lies on a vertex");
      if (i > 0) weights(mesh, p, w.triangles[i - 1]);
      if (i + 1 < k) weights(mesh, p, w.triangles[i]);
      if (end || w.triangles[i - 1] == w.triangles[i]) continue;  // a path may touch an edge and turn back
      const auto& sides = edges_.at(std::minmax(p.v0, p.v1));
      hold(sides.size() == 2, "wrinkle ", w.id, " crosses an edge of ", sides.size(), " triangles");
    }
    for (const std::int32_t t : w.triangles)
      hold(t >= 0 && std::size_t(t) < degenerate_.size() && !degenerate_[std::size_t(t)], "wrinkle ", w.id,
           " runs through triangle ", t);
  }

  static double highest(const std::vector<Wrinkle>& wrinkles) {
    double out = 0;
    for (const Wrinkle& w : wrinkles)
      for (const double height : w.knot_heights) out = std::max(out, height);
    return out;
  }

  void wrinkles(const WrinklerState& state, double dt) const {
    const Mesh& mesh = state.detail().mesh();
    const double flat = std::numbers::pi * *params_.min_width;
    std::int64_t last = -1;
    std::int64_t alive = 0;
    for (const Wrinkle& w : state.wrinkles) {
      hold(w.id > last, "wrinkle ", w.id, " follows wrinkle ", last);
      last = w.id;
      alive += w.alive ? 1 : 0;
      hold(std::isfinite(w.age) && w.age >= 0, "wrinkle ", w.id, " is ", w.age, " s old");
      path(mesh, w);
      const std::size_t knots = 2 * w.points.size() - 1;
      hold(w.knot_widths.size() == knots && w.knot_heights.size() == knots, "wrinkle ", w.id, " has ",
           w.knot_widths.size(), " widths and ", w.knot_heights.size(), " heights for ", knots, " knots");
      for (const double width : w.knot_widths)
        hold(width > 0 && width <= flat * (1 + kRounding), "wrinkle ", w.id, " is ", width, " wide, flat ones ", flat);
      // No curve over a chord is higher than half its length.
      for (const double height : w.knot_heights)
        hold(height >= 0 && height <= flat / 2 * (1 + kRounding), "wrinkle ", w.id, " is ", height,
             " high, its cross-section ", flat, " long");
    }
    hold(alive <= std::max<std::int64_t>(params_.tracing.max_wrinkles, count_alive(before_)), alive,
         " wrinkles live, params.tracing.max_wrinkles is ", params_.tracing.max_wrinkles);
    if (params_.verbatim) return;
    const double rise = params_.shape.height_rate * *params_.min_width * dt;
    growth(state, rise, params_.shape.width_rate * *params_.min_width * dt);
    hold(highest(state.wrinkles) <= (highest(before_) + rise) * (1 + kRounding), "the highest wrinkle rose from ",
         highest(before_), " to ", highest(state.wrinkles), " in ", dt, " s, at a rate of at most ",
         params_.shape.height_rate * *params_.min_width);
  }

  /// Each wrinkle is the one of its number before, and grows no faster than its rates; a new one begins flat. What is
  /// cut off one has a new number, but does not live.
  void growth(const WrinklerState& state, double rise, double widen) const {
    const auto largest = [](const std::vector<double>& sizes) { return *std::ranges::max_element(sizes); };
    auto was = before_.begin();
    for (const Wrinkle& w : state.wrinkles) {
      while (was != before_.end() && was->id < w.id) ++was;
      const bool known = was != before_.end() && was->id == w.id;
      if (!known && !w.alive) continue;
      const double height = known ? largest(was->knot_heights) : 0;
      hold(largest(w.knot_heights) <= (height + rise) * (1 + kRounding), "wrinkle ", w.id, " rose from ", height,
           " to ", largest(w.knot_heights), " where ", rise, " is the most");
      // One that was flat, or of which a flat part is left, takes its width at once; it then is no higher than a rise.
      if (largest(w.knot_heights) <= rise * (1 + kRounding)) continue;
      hold(largest(w.knot_widths) <= (largest(was->knot_widths) + widen) * (1 + kRounding), "wrinkle ", w.id,
           " widened from ", largest(was->knot_widths), " to ", largest(w.knot_widths), " where ", widen,
           " is the most");
    }
  }

  static std::int64_t count_alive(const std::vector<Wrinkle>& wrinkles) {
    return std::count_if(wrinkles.begin(), wrinkles.end(), [](const Wrinkle& w) { return w.alive; });
  }

  /// No living path crosses another or itself.
  void crossings(const WrinklerState& state) const {
    const Mesh& mesh = state.detail().mesh();
    // Paths are told apart by their distance, which must be more than rounding and than what keeps points off vertices.
    const double distance = params_.persistence.merge_distance * *params_.min_width;
    const Array3& positions = state.positions;
    if (positions.rows() == 0) return;
    const double extent = (positions.colwise().maxCoeff() - positions.colwise().minCoeff()).norm();
    if (distance < std::max(2 * kVertexMargin * extent, 1e-9 * positions.cwiseAbs().maxCoeff())) return;
    std::map<std::int32_t, std::vector<Piece>> pieces;
    for (const Wrinkle& w : state.wrinkles) {
      if (!w.alive) continue;
      for (std::size_t i = 0; i < w.triangles.size(); ++i) {
        const Vector3 from = weights(mesh, w.points[i], w.triangles[i]);
        const Vector3 to = weights(mesh, w.points[i + 1], w.triangles[i]);
        pieces[w.triangles[i]].push_back({from.head<2>(), to.head<2>(), w.id, i});
      }
    }
    for (const auto& [triangle, inside] : pieces)
      for (std::size_t a = 0; a < inside.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
          hold(!cross_each_other(inside[a], inside[b]), "segment ", inside[a].segment, " of wrinkle ",
               inside[a].wrinkle, " crosses segment ", inside[b].segment, " of wrinkle ", inside[b].wrinkle,
               " in triangle ", triangle);
  }

  /// Whether the path has no length round a point.
  static bool collapsed(const PathCurve& curve, std::size_t k) {
    const std::size_t before = k == 0 ? 0 : k - 1;
    const std::size_t after = std::min(k + 1, curve.points.size() - 1);
    return curve.points[before] == curve.points[k] && curve.points[after] == curve.points[k];
  }

  static void curves(const WrinklerState& state) {
    hold(state.curves.size() >= state.wrinkles.size(), "there are ", state.curves.size(), " curves");
    const double far = state.positions.size() > 0 ? state.positions.cwiseAbs().maxCoeff() : 0;
    for (std::size_t i = 0; i < state.wrinkles.size(); ++i) {
      const Wrinkle& w = state.wrinkles[i];
      const PathCurve& curve = state.curves[i];
      hold(curve.points.size() == w.points.size() && curve.arc_lengths.size() == w.points.size() &&
               curve.tangents.size() == w.points.size() && curve.normals.size() == w.triangles.size(),
           "the curve of wrinkle ", w.id, " does not fit it");
      double last = -1;
      for (std::size_t k = 0; k < w.points.size(); ++k) {
        const PathPoint& p = w.points[k];
        Vector3 place = p.t * state.positions.row(p.v0) + (1 - p.t) * state.positions.row(p.v1);
        if (p.depth > 0) place = (1 - p.depth) * place + p.depth * state.positions.row(p.apex).transpose();
        hold((curve.points[k] - place).norm() <= 1e-12 * far, "point ", k, " of the curve of wrinkle ", w.id,
             " lies beside its path");
        hold(std::isfinite(curve.arc_lengths[k]) && curve.arc_lengths[k] >= last, "arc lengths of wrinkle ", w.id,
             " fall from ", last, " to ", curve.arc_lengths[k]);
        last = curve.arc_lengths[k];
        const double tangent = curve.tangents[k].norm();
        hold(std::abs(tangent - 1) < 1e-6 || (tangent == 0 && collapsed(curve, k)), "a tangent of wrinkle ", w.id,
             " is ", tangent, " long");
      }
    }
  }

  static void packed(const WrinklerState& state) {
    const PackedWrinkles& packed = state.packed;
    std::size_t points = 0;
    for (const Wrinkle& w : state.wrinkles) {
      hold(points + w.points.size() <= packed.points.size(), "points of wrinkle ", w.id, " are not packed");
      const float* last = nullptr;
      const double most = *std::max_element(w.knot_heights.begin(), w.knot_heights.end());
      for (std::size_t k = 0; k < w.points.size(); ++k) {
        const PackedPoint& p = packed.points[points + k];
        for (const float value : {p.position[0], p.position[1], p.position[2], p.normal[0], p.normal[1], p.normal[2],
                                  p.tangent[0], p.tangent[1], p.tangent[2], p.arc_length})
          hold(std::isfinite(value), "a packed point of wrinkle ", w.id, " is not finite");
        hold(last == nullptr ? p.arc_length == 0 : p.arc_length > *last, "packed arc lengths of wrinkle ", w.id,
             " do not grow at point ", k, ": ", p.arc_length);
        last = &p.arc_length;
        // No segment starts at the last point.
        const bool last_point = k + 1 == w.points.size();
        for (const float width : {p.width, last_point ? p.width : p.mid_width})
          hold(std::isfinite(width) && width > 0, "a packed width of wrinkle ", w.id, " is ", width);
        // Below the least normal number of 32 bits a rounding is no longer a part of the height.
        const double highest = most * (1 + 1e-6) + std::numeric_limits<float>::denorm_min();
        for (const float height : {p.height, p.mid_height})
          hold(std::isfinite(height) && height >= 0 && height <= highest, "a packed height of wrinkle ", w.id, " is ",
               height, ", it is ", most, " high");
      }
      points += w.points.size();
    }
    hold(points == packed.points.size(), packed.points.size(), " points are packed, there are ", points);
    hold(packed.triangles.size() == 2 * state.labels.size(), "there are ", packed.triangles.size(),
         " numbers of packed triangles");
    std::size_t listed = 0;
    for (std::size_t t = 0; 2 * t < packed.triangles.size(); ++t) {
      const std::uint32_t count = packed.triangles[2 * t];
      const std::uint32_t first = packed.triangles[2 * t + 1];
      hold(count == 0 || std::size_t(first) + count <= packed.overlaps.size() / 2, "triangle ", t, " is overlapped by ",
           count, " from ", first, ", there are ", packed.overlaps.size() / 2);
      listed += count;
    }
    hold(listed == packed.overlaps.size() / 2, listed, " parts overlap a triangle, ", packed.overlaps.size() / 2,
         " are listed");
    for (std::size_t r = 0; r < packed.overlaps.size(); r += 2)
      hold(packed.overlaps[r] < packed.overlaps[r + 1] && packed.overlaps[r + 1] < points, "a part goes from ",
           packed.overlaps[r], " to ", packed.overlaps[r + 1], " of ", points);
  }

  /// Cloth that has been still for so long changes in nothing but its wrinkles' age.
  void at_rest(const WrinklerState& state) const {
    hold(state.wrinkles.size() == before_.size(), "the number of wrinkles of cloth at rest changes from ",
         before_.size(), " to ", state.wrinkles.size());
    for (std::size_t i = 0; i < before_.size(); ++i) {
      Wrinkle now = state.wrinkles[i];
      now.age = before_[i].age;
      hold(now == before_[i], "wrinkle ", now.id, " changes on cloth at rest");
    }
  }

  Params params_;
  bool usual_;
  std::vector<bool> degenerate_;
  EdgeTriangles edges_;
  std::vector<Wrinkle> before_;
};

}  // namespace

std::unique_ptr<Checks> dynamic_checks(const Wrinkler& run, bool usual) {
  return std::make_unique<DynamicChecks>(run, usual);
}

}  // namespace pucker::soak
