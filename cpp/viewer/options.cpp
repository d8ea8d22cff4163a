#include "options.h"

#include <CLI/CLI.hpp>
#include <array>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <regex>

#include "pucker/enum_names.h"
#include "pucker/errors.h"
#include "pucker/io/facets.h"

namespace pucker::viewer {

namespace {

/// The two numbers of a text such as "1280x720".
template <class Number>
std::optional<std::array<Number, 2>> two_numbers(const std::string& text, const char* separator) {
  std::smatch found;
  // At most nine digits, so that every number fits.
  if (!std::regex_match(text, found, std::regex(std::string("(\\d{1,9})") + separator + "(\\d{1,9})"))) return {};
  return std::array<Number, 2>{Number(std::stol(found[1].str())), Number(std::stol(found[2].str()))};
}

std::string method_names() {
  std::string out;
  for (const MethodType* type : methods()) out.append(out.empty() ? "" : ", ").append(type->name());
  return out;
}

std::string light_parts() {
  std::string out;
  for (const auto& [part, doc] : draw::kLightParts) out.append(out.empty() ? "" : ", ").append(part);
  return out;
}

/// Words of the overlays of all methods by their names.
std::map<std::string, std::string> all_overlays() {
  std::map<std::string, std::string> out;
  for (const MethodType* type : methods())
    for (const auto& [name, doc] : overlay_choices(*type)) out.emplace(name, doc);
  return out;
}

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(message(path.string(), " cannot be read"));
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Sets parameters from a TOML file.
void read_params(const std::filesystem::path& path, AnyParams& params) {
  std::ifstream file(path);
  if (!file) throw Error(message(path.string(), " cannot be read"));
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML().from_config(file);
  } catch (const CLI::Error& error) {
    throw Error(message(path.string(), " is no TOML: ", error.what()));
  }
  for (const CLI::ConfigItem& item : items) {
    if (item.name == "++" || item.name == "--") continue;  // where a table begins and ends
    const std::string name = item.fullname();
    require(item.inputs.size() == 1, path.string(), ": ", name, " must be one value, not ", item.inputs.size());
    set_param(params, name, item.inputs.front(), path.string() + ": " + name);
  }
}

void describe(CLI::App& app, Options& options) {
  app.footer("Example: pucker-view data/kimono_male.gltf --clip Walk --parts Clothes,Band");
  app.add_option("FILE", options.file, "glTF, GLB, FBX, Collada, MD3, or a folder or zip of OBJ files");
  app.add_option("--given", options.given, "A whole clip as pucker.show hands it over, in place of FILE");
  app.add_option("--clip", options.load.clip, "Name of the clip, or frames FIRST:LAST[@RATE]");
  app.add_option("--motion", options.motion,
                 "Another file whose clips move this one: of the same skeleton, or the point cache of an OBJ file");
  app.add_option("--content", options.contents,
                 "FILE, or that of --motion, and another file whose content is read in its place");
  app.add_option("--parts", options.load.parts,
                 "What is cloth: materials, nodes or joint:NAME, - before what is left out, as A,B,…")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--fps", options.load.fps, "Frames per second")->capture_default_str();
  app.add_option("--loops", options.load.loops, "How often the clip is run through")->capture_default_str();
  app.add_option(
      "--smooth", options.smooth,
      "How often the character is subdivided into a smooth surface [1, unless the cloth is fine already; all but the "
      "cloth if the parameters are for the file's own mesh, as levels of draped cloth]");
  app.add_option("--method", options.method, "The method: " + method_names())->capture_default_str();
  app.add_option("--params", options.params, "TOML file of the method's parameters");
  app.add_option("--set", options.set,
                 "A parameter, as threshold=1.1 or shape.profile=arcs; may be given several times");
  app.add_option("--trained", options.trained, "File of the trained set, for the method byexample");
  app.add_option("--mode", options.mode, "What is drawn: base, normals, displacement or both")->capture_default_str();
  app.add_option("--normals", options.normals, "What lights the character: smooth normals, or those of the file")
      ->capture_default_str();
  for (const auto& [name, doc] : all_overlays())
    app.add_flag_callback(
        "--" + name, [&options, shown = name] { options.overlays.insert(shown); }, doc);
  app.add_option("--least-edge", options.least_edge, "Shortest tessellated edge in pixels, 0 for no limit");
  app.add_option("--without", options.without, "Parts of the light to leave away: " + light_parts())
      ->delimiter(',')
      ->allow_extra_args(false);
  auto* view = app.add_option("--view", options.view, "front, left, right, back, top or three-quarter");
  app.add_option("--focus", options.focus, "What fills the picture, in all frames: all of the character, or the cloth")
      ->capture_default_str();
  app.add_option("--camera", options.camera, "Camera file")->excludes(view);
  app.add_option("--size", options.size, "Size of the pictures, as in 1280x720");
  app.add_option("--samples", options.samples, "Samples a pixel, 0 for none");
  app.add_option("--shaders", options.shaders, "Folder of the shaders");
  app.add_flag("--headless", options.headless, "Write pictures without opening a window");
  app.add_option("--frame", options.frame, "Frame at which the window stands at first [it plays]");
  app.add_option("--suggest", options.suggest,
                 "Words of a program that prints clip and parts of a file opened in the window, as JSON");
  app.add_option("--parent", options.parent, "Number of a process; the window closes when it has ended");
  app.add_option("--frames", options.frames, "Frames FIRST:LAST to write, both included [all]");
  app.add_option("-o,--output", options.output, "Folder of pictures and cameras; made if it does not exist")
      ->capture_default_str();
}

}  // namespace

std::optional<Options> read_options(int count, const char* const* arguments) {
  Options options;
  CLI::App app("Wrinkles of an animated character, in a window or as pictures.", "pucker-view");
  describe(app, options);
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw InvalidArgument(error.what());
  }
  options.load.smooth = options.smooth.value_or(0);
  require(!options.headless || !options.file.empty(), "--headless needs a FILE");
  require(options.file.empty() || !options.given, "--given takes the place of a FILE, both were named");
  for (const auto& [file, other] : options.contents)
    require(file == options.file || file == options.motion, "--content is for FILE or that of --motion, not for ",
            file);
  require(!options.headless || !options.frame, "--frame is for a window, --headless takes --frames");
  require(options.headless || !options.frames, "--frames needs --headless");
  return options;
}

const MethodType& method_of(const Options& options) { return method_named(options.method, "--method"); }

std::unique_ptr<AnyParams> params_of(const Options& options) {
  std::unique_ptr<AnyParams> params = method_of(options).params();
  if (options.params) read_params(*options.params, *params);
  if (options.trained) set_param(*params, "trained", *options.trained, "--trained");
  for (const std::string& given : options.set) {
    const std::size_t equals = given.find('=');
    require(equals != std::string::npos, "--set must be NAME=VALUE, not '", given, "'");
    set_param(*params, given.substr(0, equals), given.substr(equals + 1), "--set " + given.substr(0, equals));
  }
  params->validate();
  return params;
}

std::unique_ptr<io::Source> open_source(const Options& options, const std::filesystem::path& path,
                                        const std::optional<std::filesystem::path>& motion) {
  std::map<std::filesystem::path, std::string> contents;
  for (const auto& [file, other] : options.contents)
    if (file == path || file == motion) contents.emplace(file, read_whole(other));
  return io::open_source(path, {.motion = motion, .contents = {contents.begin(), contents.end()}});
}

io::LoadOptions load_of(const Options& options, const AnyParams& params) {
  io::LoadOptions load = options.load;
  if (load.parts.empty()) load.parts = method_of(options).parts(params, read_arrays);
  return load;
}

io::Smoothing smoothing_of(const Options& options, const io::Clip& clip, const MethodType& type,
                           const AnyParams& params) {
  const bool kept = options.smooth || options.normals == "file";
  return {.levels = kept ? 0 : io::facets_of(clip).smooth, .garment = !type.keeps_mesh(params)};
}

Appearance appearance_of(const Options& options) {
  const Appearance appearance{.mode = enum_from<Mode>(options.mode, "--mode"),
                              .normals = enum_from<Normals>(options.normals, "--normals"),
                              .overlays = options.overlays,
                              .least_edge = options.least_edge.value_or(Style().least_edge),
                              .without = {options.without.begin(), options.without.end()}};
  for (const std::string& part : appearance.without) draw::without(Style(), part);
  require(appearance.least_edge >= 0.0, "--least-edge must be at least 0 pixels, not ", appearance.least_edge);
  return appearance;
}

Size size_of(const Options& options) {
  if (!options.size) return draw::kPictureSize;
  const auto size = two_numbers<int>(*options.size, "x");
  require(size.has_value(), "--size must be WIDTHxHEIGHT, as in 1280x720, not '", *options.size, "'");
  return *size;
}

std::array<std::int64_t, 2> frames_of(const Options& options, std::int64_t frame_count) {
  if (!options.frames) return {0, frame_count - 1};
  const auto frames = two_numbers<std::int64_t>(*options.frames, ":");
  require(frames.has_value(), "--frames must be FIRST:LAST, as in 0:29, not '", *options.frames, "'");
  const auto [first, last] = *frames;
  require(first <= last, "--frames ", *options.frames, " holds no frame");
  require(last < frame_count, "--frames must lie in [0, ", frame_count, "), not ", *options.frames);
  return *frames;
}

Camera camera_of(const Options& options, const PlayedClip& scene, const Size& size) {
  if (options.camera) return draw::camera_from_json(read_whole(*options.camera), "camera " + options.camera->string());
  const draw::Angles angles = draw::named_view(options.view.value_or(std::string(draw::kUsualView)), "--view");
  return scene::fitted_camera(scene.clip(), angles, double(size[0]) / double(size[1]),
                              enum_from<scene::Focus>(options.focus, "--focus"));
}

}  // namespace pucker::viewer
