/// Calls of the C interface with anything in place of what is expected: names, texts, meshes, numbers, sizes and
/// frames. Arrays are as large as the call is told, each by itself, so that a read or a write beyond them is noticed.
#include <fuzzer/FuzzedDataProvider.h>

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "pucker/pucker.h"

namespace {

constexpr int kMostCalls = 24;
constexpr std::int64_t kMostVertices = 10;
constexpr std::int64_t kMostTriangles = 12;

using Given = FuzzedDataProvider;

/// A refusal says why, what is taken says nothing.
void told(pucker_status status, const pucker_error& error) {
  if ((status == PUCKER_OK) != (error.text[0] == '\0')) std::abort();
  // Nothing that is given may show a mistake of pucker's.
  if (status == PUCKER_INTERNAL) std::abort();
}

double number(Given& given) {
  if (given.ConsumeIntegralInRange(0, 15) == 0) return given.ConsumeFloatingPoint<double>();
  return given.ConsumeIntegralInRange<std::int16_t>(-512, 512) / 256.0;
}

std::vector<double> numbers(Given& given, std::int64_t count) {
  std::vector<double> out(static_cast<std::size_t>(count));
  for (double& each : out) each = number(given);
  return out;
}

std::vector<std::int32_t> indices(Given& given, std::int64_t count, std::int64_t below) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(count));
  const auto least = std::int32_t(given.ConsumeIntegralInRange(0, 31) == 0 ? -1 : 0);
  for (std::int32_t& each : out) each = given.ConsumeIntegralInRange(least, std::int32_t(below + least));
  return out;
}

/// A value of a parameter; counts stay so small that a frame takes no seconds.
std::string value(Given& given) {
  constexpr std::size_t most_digits = 2;
  std::string out = given.ConsumeRandomLengthString(12);
  std::size_t digits = 0;
  for (char& each : out) {
    digits = std::isdigit(static_cast<unsigned char>(each)) != 0 ? digits + 1 : 0;
    if (digits > most_digits || each == 'e' || each == 'E') each = '.';
  }
  return out;
}

const char* one_of(Given& given, const std::vector<const char*>& names) {
  return names[given.ConsumeIntegralInRange<std::size_t>(0, names.size() - 1)];
}

void set(Given& given, pucker_params* params, pucker_error& error) {
  static const std::vector<const char*> known{
      "levels",    "iterations",      "settling",      "cut",          "contact",      "min_width", "threshold",
      "interval",  "label.solver",    "shape.profile", "tracing.bend", "wavelength",   "seed",      "relax.rounds",
      "reference", "reference.start", "trained",       "memory",       "shape.aspect", "verbatim"};
  const std::string other = given.ConsumeRandomLengthString(10);
  const std::string name = given.ConsumeBool() ? one_of(given, known) : other;
  std::string text = value(given);
  // 4 to the power of these is how many fine triangles there are of each.
  if (name == "levels" && !text.empty()) text.resize(1);
  if (name == "levels" && text > "3" && text <= "9") text = "3";
  told(pucker_params_set(params, name.c_str(), text.c_str(), &error), error);
}

void give(Given& given, pucker_params* params, pucker_error& error) {
  static const std::vector<const char*> names{"header", "rest", "faces", "poses", "details", "factors"};
  const std::string text = given.ConsumeRandomLengthString(40);
  const std::vector<std::int64_t> shape = [&] {
    std::vector<std::int64_t> out(given.ConsumeIntegralInRange<std::size_t>(0, 3));
    for (std::int64_t& each : out) each = given.ConsumeIntegralInRange<std::int64_t>(-1, 4);
    return out;
  }();
  std::int64_t count = 1;
  for (const std::int64_t each : shape) count *= each < 0 ? 0 : each;
  const std::vector<double> values = numbers(given, count);
  const pucker_array array{.name = one_of(given, names),
                           .text = given.ConsumeBool() ? text.c_str() : nullptr,
                           .rank = std::int64_t(shape.size()),
                           .shape = shape.data(),
                           .numbers = values.data()};
  told(pucker_params_array(params, "set.npz", &array, &error), error);
}

/// What an array has room for: as much as is needed, or any number.
std::size_t room(Given& given, std::int64_t needed) {
  return given.ConsumeBool() ? std::size_t(needed) : given.ConsumeIntegralInRange<std::size_t>(0, 64);
}

void ask(Given& given, const pucker_run* run, pucker_error& error) {
  std::int64_t vertices = 0;
  std::int64_t triangles = 0;
  std::int64_t count = 0;
  told(pucker_run_size(run, &vertices, &triangles, &error), error);
  told(pucker_run_path_count(run, &count, &error), error);
  const auto index = given.ConsumeIntegralInRange<std::int64_t>(-1, count);
  std::vector<double> out(room(given, 3 * vertices));
  std::vector<double> other(out.size());
  told(pucker_run_surface(run, out.data(), given.ConsumeBool() ? other.data() : nullptr, out.size(), &error), error);
  std::vector<std::int32_t> faces(room(given, 3 * triangles));
  told(pucker_run_faces(run, faces.data(), faces.size(), &error), error);
  std::vector<double> corners(room(given, 9 * triangles));
  std::vector<std::int32_t> sources(corners.size() / 9);
  told(pucker_run_corners(run, sources.data(), corners.data(), corners.size(), &error), error);
  pucker_path path{};
  told(pucker_run_path(run, index, &path, nullptr, 0, &error), error);
  std::vector<double> points(room(given, 3 * path.points));
  told(pucker_run_path(run, index, nullptr, points.data(), points.size(), &error), error);
  told(pucker_run_curve(run, index, &count, points.data(), points.size(), &error), error);
  static const std::vector<const char*> overlays{"labels", "strain", "hold", "compression", ""};
  std::vector<std::uint8_t> tints(given.ConsumeIntegralInRange<std::size_t>(0, 4 * kMostTriangles));
  told(pucker_run_tints(run, one_of(given, overlays), tints.data(), tints.size(), &error), error);
}

void pose(Given& given, pucker_error& error) {
  const auto nodes = given.ConsumeIntegralInRange<std::int64_t>(0, 4);
  const auto vertices = given.ConsumeIntegralInRange<std::int64_t>(0, 4);
  const auto joints = given.ConsumeIntegralInRange<std::int64_t>(0, 4);
  const std::vector<std::int32_t> parents = indices(given, nodes, nodes);
  const std::vector<double> matrices = numbers(given, 12 * nodes);
  const std::vector<double> angles = numbers(given, 3 * nodes);
  std::vector<double> turned(static_cast<std::size_t>(12 * nodes));
  std::vector<double> skinned(static_cast<std::size_t>(3 * vertices));
  // Arrays of nothing have no place.
  const double nothing = 0;
  double nowhere = 0;
  const std::int32_t none = 0;
  const auto of = [&](const std::vector<double>& each) { return each.empty() ? &nothing : each.data(); };
  const auto index_of = [&](const std::vector<std::int32_t>& each) { return each.empty() ? &none : each.data(); };
  told(pucker_nodes_turned(nodes, index_of(parents), of(matrices), of(angles),
                           turned.empty() ? &nowhere : turned.data(), &error),
       error);
  const std::vector<std::int32_t> first = indices(given, vertices + 1, 8);
  const std::int64_t influences = first.back() < 0 ? 0 : first.back();
  const std::vector<double> rest = numbers(given, 3 * vertices);
  const std::vector<std::int32_t> followed = indices(given, influences, joints);
  const std::vector<double> weights = numbers(given, influences);
  const std::vector<std::int32_t> of_joints = indices(given, joints, nodes);
  const std::vector<double> binds = numbers(given, 12 * joints);
  const pucker_skin skin{.vertices = vertices,
                         .joints = joints,
                         .rest = of(rest),
                         .first = first.data(),
                         .influences = index_of(followed),
                         .weights = of(weights),
                         .nodes = index_of(of_joints),
                         .inverse_binds = of(binds)};
  told(pucker_skin_positions(&skin, nodes, of(matrices), skinned.empty() ? &nowhere : skinned.data(), &error), error);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Given given(data, size);
  pucker_error error;
  static const std::vector<const char*> methods{"dynamic", "waves", "byexample", "drape", "waltz"};
  pucker_params* made = nullptr;
  told(pucker_params_new(one_of(given, methods), &made, &error), error);
  if (made == nullptr) return 0;
  const std::unique_ptr<pucker_params, decltype(&pucker_params_free)> params(made, &pucker_params_free);
  for (int k = given.ConsumeIntegralInRange(0, 6); k > 0; --k) set(given, made, error);
  for (int k = given.ConsumeIntegralInRange(0, 2); k > 0; --k) give(given, made, error);
  pose(given, error);

  const auto vertices = given.ConsumeIntegralInRange<std::int64_t>(1, kMostVertices);
  const auto triangles = given.ConsumeIntegralInRange<std::int64_t>(1, kMostTriangles);
  const std::vector<std::int32_t> faces = indices(given, 3 * triangles, vertices - 1);
  const std::vector<double> first = numbers(given, 3 * vertices);
  const std::vector<double> rest = numbers(given, 3 * vertices);
  const pucker_garment garment{.vertices = vertices,
                               .triangles = triangles,
                               .faces = faces.data(),
                               .first = first.data(),
                               .rest = given.ConsumeBool() ? rest.data() : nullptr,
                               .standing = given.ConsumeBool() ? rest.data() : nullptr,
                               .height = number(given)};
  const auto frames = given.ConsumeIntegralInRange<std::int64_t>(1, 3);
  const std::vector<std::int32_t> worn_faces = indices(given, 6, 3);
  const std::vector<double> worn = numbers(given, 12 * frames);
  const std::vector<std::int32_t> shared = indices(given, 2, vertices);
  const pucker_wearer wearer{.vertices = 4,
                             .triangles = 2,
                             .frames = frames,
                             .faces = worn_faces.data(),
                             .positions = worn.data(),
                             .rest = given.ConsumeBool() ? worn.data() : nullptr,
                             .standing = nullptr,
                             .shared = given.ConsumeIntegralInRange<std::int64_t>(-1, 2),
                             .shared_indices = shared.data()};
  const std::int32_t pieces = given.ConsumeIntegralInRange(-1, 3);
  const bool is_worn = given.ConsumeBool();
  pucker_run* begun = nullptr;
  told(is_worn ? pucker_run_new_worn(made, &garment, &wearer, pieces, &begun, &error)
               : pucker_run_new(made, &garment, pieces, &begun, &error),
       error);
  if (begun == nullptr) return 0;
  const std::unique_ptr<pucker_run, decltype(&pucker_run_free)> run(begun, &pucker_run_free);
  double time = 0;
  for (int calls = 0; calls < kMostCalls && given.remaining_bytes() > 0; ++calls) {
    if (given.ConsumeBool()) {
      ask(given, begun, error);
      continue;
    }
    time = given.ConsumeIntegralInRange(0, 7) == 0 ? number(given) : time + 1.0 / 30;
    const std::vector<double> positions = numbers(given, 3 * vertices);
    if (is_worn && given.ConsumeBool()) {
      const std::vector<double> now = numbers(given, 12);
      told(pucker_run_advance_worn(begun, positions.data(), now.data(), time, &error), error);
    } else {
      told(pucker_run_advance(begun, positions.data(), time, &error), error);
    }
  }
  return 0;
}
