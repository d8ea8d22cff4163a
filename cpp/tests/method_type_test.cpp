#include "pucker/method_type.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "motion.h"
#include "pucker/drape/computed.h"
#include "pucker/drape/drape.h"
#include "pucker/dynamic/params.h"
#include "pucker/errors.h"
#include "pucker/waves/computed.h"
#include "pucker/waves/painting.h"
#include "pucker/waves/params.h"
#include "pucker/waves/wave_field.h"

namespace pucker {
namespace {

using testing::irregular_sheet;
using testing::RestShape;

/// A value as text.
struct Text {
  std::string operator()(const double* value) const { return message(*value); }
  std::string operator()(const std::optional<double>* value) const { return *value ? message(**value) : "none"; }
  std::string operator()(const std::int32_t* value) const { return message(*value); }
  std::string operator()(const std::uint64_t* value) const { return message(*value); }
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const std::string* value) const { return *value; }
  std::string operator()(const Parameter::Choice& choice) const { return choice.names[*choice.value]; }
};

/// The names and values of all fields, as text.
std::map<std::string, std::string> listed(AnyParams& params) {
  std::map<std::string, std::string> found;
  for_each_param(params, [&](const std::string& path, const Parameter& parameter) {
    found.emplace(path, std::visit(Text{}, parameter.value));
  });
  return found;
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

/// A set of one pose, of a mesh that is not subdivided, without detail.
NamedArrays trained_on(const RestShape& shape, const std::string& header) {
  const Index3& faces = shape.mesh->faces();
  const std::int64_t n = shape.positions.rows();
  const std::vector<double> positions(shape.positions.data(), shape.positions.data() + shape.positions.size());
  NamedArrays out;
  out["header"] = {.shape = {}, .values = {}, .text = header, .is_text = true};
  out["faces"] = {.shape = {faces.rows(), 3}, .values = {faces.data(), faces.data() + faces.size()}, .text = {}};
  out["rest"] = {.shape = {n, 3}, .values = positions, .text = {}};
  out["poses"] = {.shape = {1, n, 3}, .values = positions, .text = {}};
  out["details"] = {.shape = {1, n, 3}, .values = std::vector<double>(positions.size(), 0.0), .text = {}};
  return out;
}
constexpr const char* kHeader =
    R"({"format": "pucker.byexample", "version": 2, "levels": 0, "options": {}, "parts": ["Dress"]})";

/// Of the sheet as it lies, which must outlive it.
StartInput start_on(const RestShape& sheet, double height) {
  return {
      .mesh = sheet.mesh, .first = sheet.positions, .rest = std::nullopt, .shared = {}, .height = height, .read = {}};
}

TEST(MethodType, of_a_name_starts_a_run_of_that_name) {
  const RestShape sheet = irregular_sheet(4, 0.3, 1);
  for (const MethodType* type : methods()) {
    EXPECT_EQ(&method_named(type->name(), "--method"), type);
    const std::unique_ptr<AnyParams> params = type->params();
    if (type->name() == "byexample") set_param(*params, "trained", "set.npz", "");
    StartInput start = start_on(sheet, 1.0);
    start.read = [&](const std::string&, auto) { return trained_on(sheet, kHeader); };
    const std::unique_ptr<Method> run = type->start(start, *params);
    EXPECT_EQ(run->name(), type->name());
    run->advance(sheet.positions, 0.0);
    for (const Overlay& overlay : type->overlays()) {
      EXPECT_EQ(int(overlay.strokes) + int(overlay.tints != nullptr) + int(overlay.lines != nullptr), 1)
          << overlay.name;
      if (overlay.tints != nullptr) {
        EXPECT_EQ(std::int64_t(overlay.tints(*run).size()), sheet.mesh->triangle_count()) << overlay.name;
      }
      if (overlay.lines != nullptr) {
        EXPECT_NO_THROW((void)overlay.lines(*run)) << overlay.name;
      }
    }
  }
  EXPECT_EQ(methods().front()->name(), "dynamic");
  EXPECT_EQ(refusal([] { (void)method_named("tides", "--method"); }),
            "--method must be one of dynamic, waves, byexample, drape, not 'tides'");
}

TEST(MethodType, of_waves_starts_with_the_painting_that_its_parameters_name) {
  const RestShape sheet = irregular_sheet(4, 0.3, 1);
  const RestShape larger = irregular_sheet(5, 0.3, 1);
  const MethodType& type = method_named("waves", "--method");
  const std::unique_ptr<AnyParams> params = type.params();
  set_param(*params, "painting", "a.npz", "");
  waves::Painting painting(sheet.mesh, sheet.positions);
  painting.random(3);
  const auto start = [&](const RestShape& shape) {
    return StartInput{.mesh = shape.mesh,
                      .first = shape.positions,
                      .rest = std::nullopt,
                      .shared = {},
                      .height = 1.0,
                      .read = [&](const std::string& path, auto) {
                        EXPECT_EQ(path, "a.npz");
                        return painting.arrays();
                      }};
  };
  const std::unique_ptr<Method> run = type.start(start(sheet), *params);
  EXPECT_EQ(dynamic_cast<const waves::WaveField&>(*run).paint(), painting.vectors());
  EXPECT_EQ(
      refusal([&] { (void)type.start(start(larger), *params); }),
      "a.npz was painted on another mesh, of 25 vertices and 32 triangles, not of 36 and 50 that are connected so");
  set_param(*params, "compute", "gpu", "");
  set_param(*params, "relax.start", "random", "");
  const std::unique_ptr<Method> on_gpu = type.start(start(sheet), *params);
  EXPECT_EQ(dynamic_cast<const waves::ComputedField&>(*on_gpu).start().paint(), painting.vectors());
}

TEST(MethodType, of_waves_starts_with_the_wavelengths_that_its_parameters_name) {
  const RestShape sheet = irregular_sheet(4, 0.3, 1);
  const MethodType& type = method_named("waves", "--method");
  const std::unique_ptr<AnyParams> params = type.params();
  set_param(*params, "wavelength", "0.5", "");
  set_param(*params, "wavelength_map", "a.npy", "");
  NamedArray numbers{.shape = {25}, .values = std::vector<double>(25, 0.5), .text = {}};
  numbers.values[7] = 3;
  StartInput start = start_on(sheet, 2.0);
  start.read_array = [&](const std::string& path) {
    EXPECT_EQ(path, "a.npy");
    return numbers;
  };
  std::vector<double> expected(25, 0.5);
  expected[7] = 3;
  EXPECT_EQ(dynamic_cast<const waves::WaveField&>(*type.start(start, *params)).wavelengths(), expected);
  set_param(*params, "compute", "gpu", "");
  set_param(*params, "relax.start", "random", "");
  const std::unique_ptr<Method> on_gpu = type.start(start, *params);
  EXPECT_EQ(dynamic_cast<const waves::ComputedField&>(*on_gpu).start().wavelengths(), expected);
  numbers.values[7] = 0;
  EXPECT_EQ(refusal([&] { (void)type.start(start, *params); }),
            "wavelengths must be finite and above 0, but a.npy has 0 at vertex 7");
  set_param(*params, "wavelength_map", "a.png", "");
  EXPECT_EQ(refusal([&] { (void)type.start(start, *params); }),
            "there are no texture coordinates, where a.png is to be read");
}

TEST(MethodType, of_drape_starts_with_the_maps_that_its_parameters_name) {
  const RestShape sheet = irregular_sheet(4, 0.3, 1);
  const MethodType& type = method_named("drape", "--method");
  const std::unique_ptr<AnyParams> params = type.params();
  for (const auto& [name, text] : std::map<std::string, std::string>{{"levels", "1"},
                                                                     {"thickness", "0"},
                                                                     {"edges_per_wave", "0"},
                                                                     {"stiffness_map", "a.npy"},
                                                                     {"tightness_map", "b.npy"}})
    set_param(*params, name, text, "");
  double stiffness = 16;
  StartInput start = start_on(sheet, 2.0);
  start.read_array = [&](const std::string& path) {
    const double value = path == "a.npy" ? stiffness : 1.25;
    return NamedArray{.shape = {25}, .values = std::vector<double>(25, value), .text = {}};
  };
  const std::unique_ptr<Method> run = type.start(start, *params);
  const drape::Lengths& lengths = dynamic_cast<const drape::Drape&>(*run).setting().lengths;
  EXPECT_NEAR(lengths.wavelengths[0], 2 * 0.3 * lengths.fold_sizes[0], 1e-12);
  EXPECT_NEAR(lengths.tightness[0], 1.25, 1e-12);
  set_param(*params, "compute", "gpu", "");
  const std::unique_ptr<Method> on_gpu = type.start(start, *params);
  EXPECT_EQ(dynamic_cast<const drape::ComputedDrape&>(*on_gpu).setting().lengths.wavelengths, lengths.wavelengths);
  stiffness = 0;
  EXPECT_EQ(refusal([&] { (void)type.start(start, *params); }),
            "stiffness must be finite and above 0, but a.npy has 0 at vertex 0");
}

TEST(MethodType, of_by_example_runs_what_a_set_was_trained_on) {
  const RestShape sheet = irregular_sheet(4, 0.3, 1);
  const RestShape other = irregular_sheet(4, 0.3, 2);
  const RestShape larger = irregular_sheet(5, 0.3, 1);
  const MethodType& type = method_named("byexample", "--method");
  const std::unique_ptr<AnyParams> params = type.params();
  const auto told = [&](const RestShape& shape, double scale, bool rest, const std::string& header) {
    const Array3 positions = scale * shape.positions;
    const StartInput start{.mesh = shape.mesh,
                           .first = positions,
                           .rest = rest ? std::optional(positions) : std::nullopt,
                           .shared = {},
                           .height = 1.0,
                           .read = [&](const std::string&, auto) { return trained_on(sheet, header); }};
    return refusal([&] { (void)type.start(start, *params); });
  };
  EXPECT_EQ(told(sheet, 1.0, true, kHeader),
            "the method byexample needs a trained set: --trained FILE.npz, or params.trained in a program");
  set_param(*params, "trained", "set.npz", "");
  EXPECT_EQ(told(sheet, 1.0, true, kHeader), "");
  EXPECT_EQ(told(sheet, 1.2, false, kHeader), "");
  EXPECT_TRUE(told(larger, 1.0, true, kHeader).starts_with("the set was trained on a mesh of 25 vertices, not 36"));
  EXPECT_TRUE(told(sheet, 1.2, true, kHeader).ends_with("which are 1.2 times as long, by their median"));
  EXPECT_TRUE(told(other, 1.0, true, kHeader).starts_with("the set was trained with another rest pose: "));
  EXPECT_EQ(told(sheet, 0.01, false, kHeader),
            "the set was trained in another unit of length: edges are 0.01 times as long here");
  EXPECT_EQ(type.parts(*params, [&](const std::string&, auto) { return trained_on(sheet, kHeader); }),
            std::vector<std::string>{"Dress"});
}

TEST(MethodType, has_parameters_that_text_sets) {
  const std::unique_ptr<AnyParams> params = method_named("dynamic", "").params();
  const auto before = listed(*params);
  EXPECT_EQ(before.at("min_width"), "none");
  EXPECT_EQ(before.at("shape.profile"), "crease");
  std::map<std::string, std::string> changed = before;
  for (const auto& [name, text] : std::map<std::string, std::string>{{"threshold", "1.25"},
                                                                     {"min_width", "0.02"},
                                                                     {"shape.profile", "arcs"},
                                                                     {"verbatim", "true"},
                                                                     {"seed", "18446744073709551615"},
                                                                     {"tracing.min_length", "2.5"}}) {
    if (!changed.contains(name)) continue;
    set_param(*params, name, text, "--set " + name);
    changed.at(name) = text;
  }
  EXPECT_EQ(listed(*params), changed);
  // The last part of a name is enough where it is the only one.
  set_param(*params, "profile", "quartic", "--profile");
  EXPECT_EQ(listed(*params).at("shape.profile"), "quartic");
  const std::unique_ptr<AnyParams> kept = params->clone();
  EXPECT_TRUE(next_choice(*params, "profile"));
  EXPECT_EQ(listed(*params).at("shape.profile"), "sinusoidal");
  EXPECT_EQ(listed(*kept).at("shape.profile"), "quartic");
  EXPECT_FALSE(next_choice(*params, "threshold"));
}

TEST(MethodType, names_common_parameters_that_there_are_in_their_order) {
  for (const MethodType* type : methods()) {
    const std::unique_ptr<AnyParams> params = type->params();
    std::vector<std::string> found;
    for_each_param(*params, [&](const std::string& path, const Parameter&) {
      if (std::ranges::find(params->common(), path) != params->common().end()) found.push_back(path);
    });
    const std::vector<std::string> named(params->common().begin(), params->common().end());
    EXPECT_EQ(found, named) << type->name();
    EXPECT_FALSE(named.empty()) << type->name();
  }
}

TEST(MethodType, refuses_names_and_text_that_mean_nothing) {
  const std::unique_ptr<AnyParams> waves = method_named("waves", "").params();
  const auto before = listed(*waves);
  const auto told = [&](const char* name, const char* text) {
    return refusal([&] { set_param(*waves, name, text, std::string("--set ") + name); });
  };
  EXPECT_TRUE(told("depth", "1.2").starts_with("params has no 'depth'; there are wavelength, unit, profile"));
  EXPECT_EQ(told("wavelength", "0.1x"), "--set wavelength must be a number, not '0.1x'");
  EXPECT_EQ(told("rounds", "2.5"), "--set rounds must be a whole number, not '2.5'");
  EXPECT_EQ(told("seed", "-1"), "--set seed must be a whole number, not '-1'");
  EXPECT_EQ(told("profile", "square"), "--set profile must be one of cosine, accordion, pencil, not 'square'");
  EXPECT_EQ(listed(*waves), before);
  set_param(*waves, "wavelength", "-1", "");
  EXPECT_THROW(waves->validate(), InvalidArgument);
}

}  // namespace
}  // namespace pucker
