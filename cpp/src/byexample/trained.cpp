#include "pucker/byexample/trained.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <iomanip>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <utility>

#include "pucker/any_params.h"
#include "pucker/byexample/detail_code.h"
#include "pucker/enum_names.h"
#include "pucker/errors.h"

namespace pucker::byexample {

namespace {

using nlohmann::json;

constexpr std::string_view kFormat = "pucker.byexample";
constexpr std::int64_t kVersion = 7;
constexpr std::array<std::string_view, 10> kNames{"header", "faces",      "rest",         "poses", "details",
                                                  "points", "velocities", "coefficients", "cut",   "displacements"};
constexpr std::size_t kAlways = 5;      // of these
constexpr std::size_t kRegression = 3;  // of those after them
// The same character from another format has fewer digits.
constexpr double kSameLength = 1e-3;
constexpr double kSameUnit = 1.5;
// A fine mesh of much more than its details is not made to find out that they do not fit.
constexpr std::int32_t kMostLevels = 16;
constexpr double kMostTriangles = 1e6;
constexpr double kTrianglesEach = 64;
// What predicted weights and details are multiplied to stays a number of single precision.
constexpr double kLargestLength = 1e20;
constexpr double kLargestCoefficient = 1e15;
// So many bytes hold whole numbers up to kLargestMultiple.
constexpr std::int64_t kMostPlanes = 3;

/// Throws InvalidArgument unless the array has the sizes given; −1 stands for any.
void require_shape(const NamedArray& array, std::string_view name, std::initializer_list<std::int64_t> shape) {
  bool fits = !array.is_text && array.shape.size() == shape.size();
  std::string wanted;
  std::size_t axis = 0;
  for (const std::int64_t size : shape) {
    fits = fits && (size < 0 || array.shape[axis] == size);
    wanted += (axis++ > 0 ? ", " : "") + (size < 0 ? "any" : std::to_string(size));
  }
  std::string have;
  for (const std::int64_t size : array.shape) have += (have.empty() ? "" : ", ") + std::to_string(size);
  require(fits, name, " must have shape (", wanted, "), got (", have, ")");
}

Index3 faces_of(const NamedArray& array) {
  require_shape(array, "faces", {-1, 3});
  Index3 out(Eigen::Index(array.shape[0]), 3);
  for (std::size_t k = 0; k < array.values.size(); ++k) {
    const double value = array.values[k];
    require(std::trunc(value) == value && std::abs(value) <= double(std::numeric_limits<std::int32_t>::max()),
            "faces must hold whole numbers of 32 bits, got ", value);
    out.data()[k] = std::int32_t(value);
  }
  return out;
}

Array3 rows_of(const NamedArray& array, std::int64_t rows, std::int64_t first = 0) {
  return Eigen::Map<const Array3>(array.values.data() + 3 * rows * first, Eigen::Index(rows), 3);
}

std::vector<Array3> stack_of(const NamedArray& array) {
  std::vector<Array3> out;
  for (std::int64_t k = 0; k < array.shape[0]; ++k) out.push_back(rows_of(array, array.shape[1], k));
  return out;
}

template <class Rows>
void require_multiples(const Rows& rows, std::string_view name, double step) {
  require((rows.array().rint() == rows.array()).all() && (rows.array().abs() <= kLargestMultiple).all(), name,
          " must be whole multiples of ", step, ", ", kLargestMultiple, " at most");
}

/// Takes multiples of a step for what they stand for; 0: they stand for themselves.
template <class Rows>
void scale_steps(Rows& rows, std::string_view name, double step) {
  if (step == 0) return;
  require_multiples(rows, name, step);
  rows *= step;
}

/// Throws InvalidArgument for a number beyond `largest`, or for what is none.
template <class Rows>
void require_sizes(const Rows& rows, std::string_view name, double largest) {
  for (const double value : rows.reshaped())
    require(std::abs(value) <= largest, name, " must be finite and at most ", largest, " in magnitude, got ", value);
}

/// A value of the header.
template <class T>
T value_of(const json& object, const char* key) {
  require(object.contains(key), "'", key, "' is missing");
  try {
    return object.at(key).get<T>();
  } catch (const json::exception&) {
    refuse("'", key, "' is ", object.at(key).dump());
  }
}

/// The array whose whole numbers are kept as (planes, …) of bytes, the lowest first: 0, 1, 2, 3, … stand for 0, −1, 1,
/// −2, …
NamedArray without_planes(const NamedArray& planes, std::string_view name) {
  require(!planes.is_text && planes.shape.size() == 4 && planes.shape[0] >= 1 && planes.shape[0] <= kMostPlanes, name,
          " must be 1 to ", kMostPlanes, " planes of bytes, of three axes each");
  NamedArray out;
  out.shape.assign(planes.shape.begin() + 1, planes.shape.end());
  const std::size_t size = planes.values.size() / std::size_t(planes.shape[0]);
  out.values.resize(size);
  for (std::size_t k = 0; k < size; ++k) {
    std::uint32_t folded = 0;
    for (std::int64_t plane = planes.shape[0] - 1; plane >= 0; --plane) {
      const double value = planes.values[std::size_t(plane) * size + k];
      require(std::trunc(value) == value && value >= 0 && value <= 255, name, " must be planes of bytes, got ", value);
      folded = folded << 8 | std::uint32_t(value);
    }
    const double half = folded >> 1;
    out.values[k] = (folded & 1) != 0 ? -half - 1 : half;
  }
  return out;
}

/// (3, n, count) as (count, n, 3).
NamedArray by_rows(const NamedArray& axes, std::string_view name) {
  require_shape(axes, name, {3, -1, -1});
  const auto rows = std::size_t(axes.shape[1]);
  const auto count = std::size_t(axes.shape[2]);
  NamedArray out;
  out.shape = {axes.shape[2], axes.shape[1], 3};
  out.values.resize(axes.values.size());
  const double* value = axes.values.data();
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t k = 0; k < count; ++k) out.values[3 * (k * rows + row) + axis] = *value++;
  return out;
}

/// The arrays with those as whole numbers, in the shapes of a set, that the header names as planes of bytes.
NamedArrays without_planes(const json& header, NamedArrays arrays) {
  if (!header.contains("planes")) return arrays;
  for (const auto& name : value_of<std::vector<std::string>>(header, "planes")) {
    const auto found = arrays.find(name);
    require(found != arrays.end(), "there are no planes of ", name);
    found->second = without_planes(found->second, name);
    if (name != "coefficients") found->second = by_rows(found->second, name);
  }
  return arrays;
}

/// The step of each detail's coefficients but the first's, which may be one for all; none if it is 0.
std::vector<double> coefficient_steps_of(const json& learned, std::int64_t details) {
  require(learned.contains("coefficient_step"), "'coefficient_step' is missing");
  std::vector<double> out;
  if (learned.at("coefficient_step").is_array()) {
    out = value_of<std::vector<double>>(learned, "coefficient_step");
    require(std::int64_t(out.size()) == details - 1, "there must be a step of the coefficients of each of ",
            details - 1, " details, not of ", out.size());
  } else if (const auto step = value_of<double>(learned, "coefficient_step"); step != 0) {
    out.assign(std::size_t(details - 1), step);
  }
  for (const double step : out)
    require(std::isfinite(step) && step > 0, "the step of coefficients must be finite and positive, not ", step);
  return out;
}

std::vector<Array3> in_steps(const NamedArray& array, std::string_view name, double step) {
  std::vector<Array3> out = stack_of(array);
  for (Array3& rows : out) {
    scale_steps(rows, name, step);
    require_sizes(rows, name, kLargestLength);
  }
  return out;
}

RegressionTables tables_of(const json& learned, const NamedArrays& arrays, std::int64_t centres, std::int64_t details,
                           std::int64_t vertices, double velocity_step, const std::vector<double>& coefficient_steps,
                           double displacement_step) {
  for (const std::string_view name : std::span(kNames).subspan(kAlways, kRegression))
    require(arrays.contains(name), name, " is missing");
  RegressionTables out;
  const NamedArray& points = arrays.find("points")->second;
  require_shape(points, "points", {-1});
  for (const double value : points.values) {
    require(std::trunc(value) == value && std::abs(value) <= double(std::numeric_limits<std::int32_t>::max()),
            "points must be whole numbers of 32 bits, got ", value);
    out.points.push_back(std::int32_t(value));
  }
  const NamedArray& velocities = arrays.find("velocities")->second;
  require_shape(velocities, "velocities", {centres, points.shape[0], 3});
  out.velocities = in_steps(velocities, "velocities", velocity_step);
  const NamedArray& coefficients = arrays.find("coefficients")->second;
  require_shape(coefficients, "coefficients", {points.shape[0], 1 + centres, details - 1});
  for (std::int64_t point = 0; point < points.shape[0]; ++point) {
    Table table = Eigen::Map<const Table>(coefficients.values.data() + point * (1 + centres) * (details - 1),
                                          Eigen::Index(1 + centres), Eigen::Index(details - 1));
    for (std::size_t detail = 0; detail < coefficient_steps.size(); ++detail) {
      auto column = table.col(Eigen::Index(detail));
      scale_steps(column, "coefficients", coefficient_steps[detail]);
    }
    require_sizes(table, "coefficients", kLargestCoefficient);
    out.coefficients.push_back(std::move(table));
  }
  out.width = value_of<double>(learned, "width");
  out.motion = value_of<double>(learned, "motion");
  if (!learned.contains("displacement")) return out;
  out.displacement = value_of<double>(learned, "displacement");
  require(arrays.contains("displacements"), "displacements is missing");
  const NamedArray& displacements = arrays.find("displacements")->second;
  require_shape(displacements, "displacements", {centres, vertices, 3});
  out.displacements = in_steps(displacements, "displacements", displacement_step);
  return out;
}

SynthesisOptions options_of(const json& object) {
  require(object.is_object(), "'options' is ", object.dump());
  SynthesisOptions out{.places = WeightPlaces::sparse, .metric = {}, .pose_space = {.equal = EqualPoses::share}};
  for (const auto& [key, value] : object.items()) {
    if (key == "places") {
      out.places = enum_from<WeightPlaces>(value_of<std::string>(object, "places"), "places");
    } else if (key == "falloff") {
      out.metric.falloff = value_of<double>(object, "falloff");
    } else if (key == "edges") {
      out.metric.edges = value_of<std::int32_t>(object, "edges");
    } else if (key == "kernel") {
      out.pose_space.kernel = enum_from<Kernel>(value_of<std::string>(object, "kernel"), "kernel");
    } else if (key == "equal") {
      out.pose_space.equal = enum_from<EqualPoses>(value_of<std::string>(object, "equal"), "equal");
    } else if (key == "trail") {
      out.trail = value_of<double>(object, "trail");
    } else {
      refuse("there is no option '", key, "'");
    }
  }
  return out;
}

Origin origin_of(const json& object) {
  require(object.is_object(), "'origin' is ", object.dump());
  Origin out{.file = value_of<std::string>(object, "file"),
             .clips = value_of<std::vector<std::string>>(object, "clips"),
             .simulator = value_of<std::string>(object, "simulator"),
             .correlation = value_of<double>(object, "correlation"),
             .left_out = {},
             .again = 0,
             .untaught = 0,
             .frames = 0,
             .made = 0,
             .date = {}};
  // What files of before do not say.
  if (object.contains("left_out"))
    for (const json& each : value_of<std::vector<json>>(object, "left_out"))
      out.left_out.push_back(each.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                            : value_of<double>(json{{"left_out", each}}, "left_out"));
  if (object.contains("again")) out.again = value_of<double>(object, "again");
  if (object.contains("untaught")) out.untaught = value_of<double>(object, "untaught");
  if (object.contains("frames")) out.frames = value_of<std::int64_t>(object, "frames");
  if (object.contains("made")) out.made = value_of<std::int64_t>(object, "made");
  if (object.contains("date")) out.date = value_of<std::string>(object, "date");
  return out;
}

/// Parameters by their dotted names; those that are not there have their defaults.
drape::Params cloth_params(const json& object) {
  require(object.is_object(), "'cloth' is ", object.dump());
  ParamsOf<drape::Params> out;
  for (const auto& [name, value] : object.items()) {
    require(value.is_string() || value.is_number() || value.is_boolean(), "'", name, "' of the cloth is ",
            value.dump());
    set_param(out, name, value.is_string() ? value.get<std::string>() : value.dump(), "cloth");
  }
  out.validate();
  return out.values();
}

GuideCloth cloth_in(const json& header, const NamedArrays& arrays, std::int64_t vertices) {
  require(arrays.contains("cut"), "cut is missing");
  const NamedArray& cut = arrays.find("cut")->second;
  require_shape(cut, "cut", {vertices, 3});
  GuideCloth out{.params = cloth_params(header.at("cloth")), .cut = rows_of(cut, vertices)};
  require_sizes(out.cut, "cut", kLargestLength);
  return out;
}

TrainedSet set_of(const json& header, const NamedArrays& arrays) {
  for (const std::string_view name : std::span(kNames).first(kAlways))
    require(arrays.contains(name), name, " is missing");
  TrainedSet out;
  out.levels = value_of<std::int32_t>(header, "levels");
  require(header.contains("options"), "'options' is missing");
  out.options = options_of(header.at("options"));
  if (header.contains("parts")) out.parts = value_of<std::vector<std::string>>(header, "parts");
  if (header.contains("origin")) out.origin = origin_of(header.at("origin"));
  if (header.contains("step")) out.step = value_of<double>(header, "step");
  require(std::isfinite(out.step) && out.step >= 0, "the step of a set must be finite and at least 0, not ", out.step);
  out.faces = faces_of(arrays.find("faces")->second);
  const NamedArray& rest = arrays.find("rest")->second;
  require_shape(rest, "rest", {-1, 3});
  out.rest = rows_of(rest, rest.shape[0]);
  require_sizes(out.rest, "rest", kLargestLength);
  const NamedArray& poses = arrays.find("poses")->second;
  require_shape(poses, "poses", {-1, rest.shape[0], 3});
  require(poses.shape[0] > 0, "a set needs at least one pose");
  const NamedArray& details = arrays.find("details")->second;
  if (header.contains("regression")) {
    require_shape(details, "details", {-1, -1, 3});
    require(details.shape[0] > 0, "a set needs at least one detail");
    const json& learned = header.at("regression");
    require(learned.is_object(), "'regression' is ", learned.dump());
    const auto step = [&](const char* key) {
      const auto found = value_of<double>(learned, key);
      require(std::isfinite(found) && found >= 0, "'", key, "' must be finite and at least 0, not ", found);
      return found;
    };
    out.pose_step = step("pose_step");
    out.velocity_step = step("velocity_step");
    out.coefficient_steps = coefficient_steps_of(learned, details.shape[0]);
    out.poses = in_steps(poses, "poses", out.pose_step);
    if (learned.contains("displacement")) out.displacement_step = step("displacement_step");
    out.regression = tables_of(learned, arrays, poses.shape[0], details.shape[0], rest.shape[0], out.velocity_step,
                               out.coefficient_steps, out.displacement_step);
  } else {
    out.poses = in_steps(poses, "poses", 0);
    require_shape(details, "details", {poses.shape[0], -1, 3});
  }
  if (header.contains("cloth")) out.cloth = cloth_in(header, arrays, rest.shape[0]);
  const double triangles = std::ldexp(double(out.faces.rows()), 2 * std::clamp(out.levels, 0, kMostLevels));
  require(out.levels >= 0 && out.levels < kMostLevels &&
              triangles <= std::max(kMostTriangles, kTrianglesEach * double(details.shape[1])),
          "details must have one row a vertex of ", out.levels, " levels, which ", details.shape[1], " are not");
  if (header.contains("by_level")) out.by_level = value_of<bool>(header, "by_level");
  if (!out.by_level) {
    out.details = in_steps(details, "details", out.step);
    return out;
  }
  const DetailCode code(std::make_shared<const Mesh>(out.faces, out.rest.rows()), out.levels, out.rest);
  for (const Array3& multiples : stack_of(details)) {
    require_multiples(multiples, "details", out.step);
    out.details.push_back(code.decode(multiples, out.step));
    require_sizes(out.details.back(), "details", kLargestLength);
  }
  return out;
}

/// The middle of the values, or the mean of the two that are.
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t count = values.size();
  return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

std::string four_digits(double value) { return (std::ostringstream() << std::setprecision(4) << value).str(); }

std::string listed(const Index3& faces, Eigen::Index t) {
  return message("[", faces(t, 0), ", ", faces(t, 1), ", ", faces(t, 2), "]");
}

/// The end of a sentence about what a set is for; empty if it does not say.
std::string purpose(const std::vector<std::string>& parts, const std::string& file) {
  if (parts.empty()) return file.empty() ? "" : message("; it is for all of ", file);
  std::string names;
  for (const std::string& part : parts) names.append(names.empty() ? "" : ",").append(part);
  return message("; it is for --parts ", names, file.empty() ? "" : " of ", file);
}

}  // namespace

TrainedSet read_trained(const std::string& path, const ReadArrays& read) {
  const NamedArrays arrays = read(path, kNames);
  const auto text = arrays.find("header");
  const json header = text == arrays.end() ? json() : json::parse(text->second.text, nullptr, false);
  if (!header.is_object() || header.value("format", json()) != kFormat)
    throw Error(message(path, ": is no trained set"));
  const json version = header.value("version", json());
  if (!version.is_number_integer() || version > kVersion)
    throw Error(message(path, ": is of version ", version.dump(), ", and this pucker reads up to ", kVersion,
                        ": a newer one wrote it"));
  try {
    return set_of(header, without_planes(header, arrays));
  } catch (const InvalidArgument& error) {
    throw Error(message(path, ": is damaged: ", error.what()));
  }
}

Synthesis synthesis_of(const TrainedSet& set, const std::shared_ptr<const Mesh>& mesh) {
  require_mesh_of_set(set.faces, set.rest.rows(), set.parts, set.origin.file, *mesh);
  if (set.regression) return {mesh, set.levels, set.rest, set.poses, set.details, *set.regression, set.options};
  return {mesh, set.levels, set.rest, set.poses, set.details, set.options};
}

void require_mesh_of_set(const Index3& faces, std::int64_t vertex_count, const std::vector<std::string>& parts,
                         const std::string& file, const Mesh& mesh) {
  const std::string wanted = purpose(parts, file);
  const auto same = [&](const char* what, std::int64_t have, std::int64_t want) {
    require(have == want, "the set was trained on a mesh of ", want, " ", what, ", not ", have, wanted);
  };
  same("vertices", mesh.vertex_count(), vertex_count);
  same("triangles", mesh.triangle_count(), faces.rows());
  std::int64_t differing = 0;
  Eigen::Index first = 0;
  for (Eigen::Index t = faces.rows(); t-- > 0;)
    if (faces.row(t) != mesh.faces().row(t)) {
      ++differing;
      first = t;
    }
  if (differing == 0) return;
  refuse("the set was trained on another mesh: ", differing, " triangles differ, triangle ", first, " is ",
         listed(faces, first), " there and ", listed(mesh.faces(), first), " here", wanted);
}

void require_rest_of_set(const Features& set, const ConstArray3& rest) {
  std::vector<double> ratios;
  set.stretch(rest, ratios);
  const auto differing =
      std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return std::abs(ratio - 1) > kSameLength; });
  require(differing == 0, "the set was trained with another rest pose: ", differing, " of ", ratios.size(),
          " edges differ in length from those here, which are ", four_digits(median(ratios)),
          " times as long, by their median");
}

void require_unit_of_set(const Features& set, const ConstArray3& positions) {
  std::vector<double> ratios;
  set.stretch(positions, ratios);
  const double ratio = median(std::move(ratios));
  require(ratio > 1 / kSameUnit && ratio < kSameUnit, "the set was trained in another unit of length: edges are ",
          four_digits(ratio), " times as long here");
}

}  // namespace pucker::byexample
