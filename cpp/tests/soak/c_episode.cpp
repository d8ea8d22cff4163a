#include "soak/c_episode.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "pucker/dynamic/wrinkler.h"
#include "pucker/io/npz.h"
#include "pucker/loop_detail.h"
#include "pucker/mesh/subdivision.h"
#include "pucker/method_type.h"
#include "pucker/pucker.h"
#include "soak/checks.h"
#include "soak/course.h"
#include "soak/draws.h"

namespace pucker::soak {

namespace {

struct Free {
  void operator()(pucker_params* params) const { pucker_params_free(params); }
  void operator()(pucker_run* run) const { pucker_run_free(run); }
};

/// What a call in C++ and the same one through C must agree in.
struct Answer {
  pucker_status status = PUCKER_OK;
  std::string text;
};

Answer answer_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return {PUCKER_INVALID, error.what()};
  } catch (const Error& error) {
    return {PUCKER_FAILED, error.what()};
  }
  return {};
}

/// Whether both took what they were given; they must agree.
bool agreed(const char* what, const Answer& expected, pucker_status status, const pucker_error& error) {
  const std::string text = expected.text.substr(0, sizeof(error.text) - 1);
  hold(status == expected.status, what, " gives ", int(status), " in C, not ", int(expected.status), ": ", error.text,
       " / ", text);
  hold(text == error.text, what, " says '", error.text, "' in C, not '", text, "'");
  return status == PUCKER_OK;
}

/// Room for numbers, behind which nothing may be written.
template <class Number>
class Room {
 public:
  explicit Room(std::int64_t count) : count_(std::size_t(count)), numbers_(count_ + kGuard, kMark) {}

  Number* data() { return numbers_.data(); }
  std::size_t size() const { return count_; }
  void check(const char* what) const {
    for (std::size_t k = count_; k < numbers_.size(); ++k)
      hold(numbers_[k] == kMark, what, " are written beyond their room");
  }

 private:
  static constexpr std::size_t kGuard = 16;
  static constexpr Number kMark = Number(113);

  std::size_t count_;
  std::vector<Number> numbers_;
};

template <class Rows, class Number>
void same_bits(const char* what, const Rows& expected, Room<Number>& found) {
  found.check(what);
  hold(std::size_t(expected.size()) == found.size(), what, " are ", found.size(), " numbers in C, not ",
       expected.size());
  // An empty array may have no place.
  hold(found.size() == 0 || std::memcmp(expected.data(), found.data(), found.size() * sizeof(Number)) == 0, what,
       " have other bits in C");
}

/// Texts for a few parameters; counts stay so low that a frame takes no minutes.
std::vector<std::pair<std::string, std::string>> drawn_settings(AnyParams& params, Draws& draws) {
  constexpr std::int64_t most = 40;
  std::vector<std::pair<std::string, std::string>> out;
  for_each_param(params, [&](const std::string& path, const Parameter& parameter) {
    const bool bounded = path == "tracing.max_wrinkles" || path == "tracing.max_points" || path == "levels";
    if (!bounded && !draws.chance(0.15)) return;
    std::visit(
        [&](const auto& value) {
          using Value = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, Parameter::Choice>) {
            out.emplace_back(path, value.names[std::size_t(draws.below(std::int64_t(value.names.size())))]);
          } else if constexpr (std::is_same_v<Value, bool*>) {
            out.emplace_back(path, draws.chance(0.5) ? "true" : "false");
          } else if constexpr (std::is_same_v<Value, double*>) {
            out.emplace_back(path, message(draws.chance(0.1) ? -1.0 : *value * draws.logarithmic(0.3, 3)));
          } else if constexpr (std::is_same_v<Value, std::int32_t*>) {
            out.emplace_back(path, std::to_string(draws.below(path == "levels" ? 3 : most)));
          }
        },
        parameter.value);
  });
  return out;
}

/// A run in C and the one in C++.
class Pair {
 public:
  Pair(const Cloth& cloth, const Course& course, Draws& draws) : mesh_(cloth.mesh), draws_(draws) {
    const auto kinds = methods();
    kind_ = kinds[std::size_t(draws.below(std::int64_t(kinds.size())))];
    const std::string name(kind_->name());
    pucker_params* made = nullptr;
    agreed("pucker_params_new", {}, pucker_params_new(name.c_str(), &made, &error_), error_);
    const std::unique_ptr<pucker_params, Free> given(made);
    const std::unique_ptr<AnyParams> params = kind_->params();
    std::vector<std::pair<std::string, std::string>> settings = drawn_settings(*params, draws);
    if (name == "byexample") settings.emplace_back("trained", std::string(PUCKER_DATA_DIR) + "/kimono.pose.npz");
    for (const auto& [path, text] : settings) set(*params, given.get(), path, text);
    start(course, *params, given.get());
  }

  /// Whether there is a run.
  explicit operator bool() const { return method_ != nullptr; }

  /// Whether the frame was taken.
  bool advance(const Array3& positions, double time) {
    const Answer expected = answer_of([&] { method_->advance(positions, time); });
    return agreed("pucker_run_advance", expected, pucker_run_advance(run_.get(), positions.data(), time, &error_),
                  error_);
  }

  /// Compares all that can be asked of the last frame; how many wrinkles it has.
  std::int64_t compare() {
    const State& state = method_->state();
    const Subdivision* own = state.detail().own_mesh();
    const Subdivision& fine = own != nullptr ? *own : divided_;
    std::int64_t vertices = 0;
    std::int64_t triangles = 0;
    asked("pucker_run_size", pucker_run_size(run_.get(), &vertices, &triangles, &error_));
    hold(vertices == std::int64_t(fine.triangles.size()) && triangles == fine.faces.rows(), "the fine mesh in C has ",
         vertices, " vertices and ", triangles, " triangles");
    surface(state.detail(), fine, vertices);
    Room<std::int32_t> faces(3 * triangles);
    asked("pucker_run_faces", pucker_run_faces(run_.get(), faces.data(), faces.size(), &error_));
    same_bits("triangles", fine.faces, faces);
    Room<std::int32_t> sources(triangles);
    Room<double> corners(9 * triangles);
    asked("pucker_run_corners",
          pucker_run_corners(run_.get(), sources.data(), corners.data(), corners.size(), &error_));
    same_bits("sources", fine.source, sources);
    corners.check("corners");
    tints();
    return paths(state);
  }

 private:
  void set(AnyParams& params, pucker_params* given, const std::string& path, const std::string& text) {
    const Answer expected = answer_of([&] {
      const std::unique_ptr<AnyParams> changed = params.clone();
      set_param(*changed, path, text, path);
      changed->validate();
      set_param(params, path, text, path);
    });
    agreed("pucker_params_set", expected, pucker_params_set(given, path.c_str(), text.c_str(), &error_), error_);
  }

  void start(const Course& course, const AnyParams& params, const pucker_params* given) {
    const Array3 rest = course.rest();
    const std::int32_t pieces = std::int32_t(1 + draws_.below(3));
    const pucker_garment garment{.vertices = rest.rows(),
                                 .triangles = mesh_->triangle_count(),
                                 .faces = mesh_->faces().data(),
                                 .first = rest.data(),
                                 .rest = rest.data(),
                                 .standing = nullptr,
                                 .height = course.size()};
    pucker_run* run = nullptr;
    const pucker_status status = pucker_run_new(given, &garment, pieces, &run, &error_);
    run_.reset(run);
    if (rest.rows() == 0 || mesh_->triangle_count() == 0) {
      hold(status == PUCKER_INVALID, "a garment of nothing is taken");
      return;
    }
    const Answer expected = answer_of([&] {
      const StartInput input{.mesh = mesh_,
                             .first = rest,
                             .rest = rest,
                             .shared = {},
                             .height = course.size(),
                             .read = [](const std::string& path,
                                        std::span<const std::string_view> names) { return io::read_npz(path, names); },
                             .read_array = [](const std::string& path) { return io::read_npy(path); }};
      method_ = kind_->start(input, params);
    });
    if (!agreed("pucker_run_new", expected, status, error_)) method_.reset();
    const std::vector<std::int32_t> levels(std::size_t(mesh_->edge_count()), pieces);
    divided_ = subdivide(*mesh_, levels);
  }

  void asked(const char* what, pucker_status status) { agreed(what, {}, status, error_); }

  void surface(const Detail& detail, const Subdivision& fine, std::int64_t vertices) {
    Room<double> positions(3 * vertices);
    Room<double> normals(3 * vertices);
    if (vertices > 0) {
      const pucker_status status =
          pucker_run_surface(run_.get(), positions.data(), normals.data(), positions.size() - 1, &error_);
      hold(status == PUCKER_INVALID, "a surface is written into too little room");
      hold(*positions.data() == 113, "a surface is written where the call refuses");
    }
    asked("pucker_run_surface",
          pucker_run_surface(run_.get(), positions.data(), normals.data(), positions.size(), &error_));
    if (const auto* loop = dynamic_cast<const LoopDetail*>(&detail)) {
      same_bits("positions", loop->fine_positions(), positions);
      same_bits("normals", loop->fine_normals(), normals);
      return;
    }
    const SurfacePoints points = detail.evaluate(fine.triangles, fine.barycentrics);
    same_bits("positions", points.positions, positions);
    same_bits("normals", points.normals, normals);
  }

  void tints() {
    for (const Overlay& overlay : kind_->overlays()) {
      if (overlay.tints == nullptr || !draws_.chance(0.1)) continue;
      const std::vector<draw::Rgba8> expected = overlay.tints(*method_);
      Room<std::uint8_t> found(4 * std::int64_t(expected.size()));
      const std::string name(overlay.name);
      asked("pucker_run_tints", pucker_run_tints(run_.get(), name.c_str(), found.data(), found.size(), &error_));
      found.check("tints");
      hold(expected.empty() || std::memcmp(expected.data(), found.data(), found.size()) == 0, "tints are others in C");
    }
  }

  std::int64_t paths(const State& state) {
    std::int64_t count = 0;
    asked("pucker_run_path_count", pucker_run_path_count(run_.get(), &count, &error_));
    const auto* dynamic = dynamic_cast<const WrinklerState*>(&state);
    hold(count == (dynamic == nullptr ? 0 : std::int64_t(dynamic->wrinkles.size())), "there are ", count,
         " paths in C");
    for (std::int64_t index = 0; index < count; ++index) {
      const Wrinkle& wrinkle = dynamic->wrinkles[std::size_t(index)];
      pucker_path path{};
      asked("pucker_run_path", pucker_run_path(run_.get(), index, &path, nullptr, 0, &error_));
      hold(path.id == wrinkle.id && path.points == std::int64_t(wrinkle.size()), "path ", index, " is another in C");
      Room<double> points(3 * path.points);
      asked("pucker_run_path", pucker_run_path(run_.get(), index, nullptr, points.data(), points.size(), &error_));
      points.check("points of a path");
      std::int64_t samples = 0;
      asked("pucker_run_curve", pucker_run_curve(run_.get(), index, &samples, nullptr, 0, &error_));
      Room<double> curve(4 * samples);
      asked("pucker_run_curve", pucker_run_curve(run_.get(), index, nullptr, curve.data(), curve.size(), &error_));
      curve.check("points of a curve");
    }
    hold(pucker_run_path(run_.get(), count, nullptr, nullptr, 0, &error_) == PUCKER_INVALID,
         "a path behind the last is given");
    return count;
  }

  std::shared_ptr<const Mesh> mesh_;
  Draws& draws_;
  const MethodType* kind_ = nullptr;
  std::unique_ptr<Method> method_;
  std::unique_ptr<pucker_run, Free> run_;
  Subdivision divided_;
  pucker_error error_{};
};

}  // namespace

Tally run_c_episode(const std::vector<Source>& cloths, std::uint64_t number, std::atomic<std::int64_t>& frame) {
  Draws draws(0xd1342543de82ef95 * (number + 1));
  const Cloth cloth = cloths[std::size_t(number % cloths.size())].make();
  Tally tally;
  Course course(cloth, draws.chance(0.7) ? Params().interval : draws.logarithmic(1e-4, 1), draws);
  Pair pair(cloth, course, draws);
  if (!pair) {
    ++tally.refused_runs;
    return tally;
  }
  const std::int64_t frames = 4 + draws.below(cloth.clip ? 8 : 30);
  for (std::int64_t index = 0; index < frames; ++index) {
    frame = index;
    Shot shot = course.next();
    if (draws.chance(0.05)) {
      Array3 bad = shot.positions;
      bad(draws.below(bad.rows()), draws.below(3)) = std::numeric_limits<double>::quiet_NaN();
      hold(!pair.advance(bad, shot.time), "a frame that is not finite is taken");
      ++tally.refused_frames;
    }
    hold(pair.advance(shot.positions, shot.time), "a frame is refused");
    tally.wrinkles += pair.compare();
    ++tally.frames;
  }
  return tally;
}

}  // namespace pucker::soak
