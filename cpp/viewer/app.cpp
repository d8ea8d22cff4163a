#include "app.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "files.h"
#include "pucker/enum_names.h"
#include "pucker/errors.h"
#include "pucker/io/clip_arrays.h"
#include "pucker/io/facets.h"

namespace pucker::viewer {

namespace {

// A run that has to catch up leaves the window answering in between.
constexpr std::chrono::duration<double> kCatchUp{0.02};

Document make_document(const Options& options, const std::filesystem::path& path,
                       const std::optional<std::filesystem::path>& motion, const io::LoadOptions& load) {
  Document document{.path = path,
                    .motion = motion,
                    .info = io::inspect(*open_source(options, path, motion)),
                    .clip = load.clip.value_or(""),
                    .parts = std::set<std::string>(load.parts.begin(), load.parts.end())};
  if (document.clip.empty() && !document.info.clips.empty()) document.clip = document.info.clips.front().name;
  return document;
}

/// A word as a shell takes it literally.
std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// Takes the clip and the parts that a program names for a file, as JSON with "clip" and "parts". What it does not tell
/// stays as it is: the viewer does without.
void suggest(const std::vector<std::string>& program, const std::filesystem::path& path, io::LoadOptions& load) {
  if (program.empty()) return;
  std::string command;
  for (const std::string& word : program) command += quoted(word) + " ";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + quoted(path.string())).c_str(), "r"), pclose);
  if (!pipe) return;
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe.get()))
    text.append(buffer.data(), count);
  const auto told = nlohmann::json::parse(text, nullptr, false);
  if (!told.is_object()) return;
  if (told.contains("clip") && told["clip"].is_string()) load.clip = told["clip"].get<std::string>();
  if (told.contains("parts") && told["parts"].is_array())
    for (const auto& part : told["parts"])
      if (part.is_string()) load.parts.push_back(part.get<std::string>());
}

io::Clip load_clip(const Options& options, const Document& document, io::LoadOptions load) {
  load.clip = document.clip.empty() ? std::nullopt : std::optional(document.clip);
  load.parts.assign(document.parts.begin(), document.parts.end());
  return io::load(*open_source(options, document.path, document.motion), load);
}

}  // namespace

App::App(const Options& options, const Size& size)
    : options_(options),
      type_(&method_of(options)),
      size_(size),
      renderer_(read_shaders(find_shaders(options.shaders))),
      params_(params_of(options)) {
  appearance = appearance_of(options);
  if (options.given) {
    open_given(*options.given);
  } else if (options.file.empty()) {
    tell("Open a file, or drop one here.");
    return;
  } else {
    open(options.file, options.motion, load_of(options, *params_));
  }
  camera_ = camera_of(options, *scene_, size);
  if (!options.frame) return;
  const std::int64_t count = scene_->clip().frame_count();
  require(*options.frame >= 0 && *options.frame < count, "--frame must lie in [0, ", count, "), not ", *options.frame);
  playback.playing = false;
  show_frame(*options.frame);
}

void App::open_given(const std::filesystem::path& path) {
  // Whoever hands it over has it in memory already.
  io::Clip clip = io::read_clip(path, {.memory = std::numeric_limits<std::int64_t>::max()});
  Document document{.path = clip.data().name, .motion = {}, .info = {}, .given = true, .clip = "", .parts = {}};
  show(std::move(clip), true);
  document_ = std::move(document);
  look_from(draw::named_view(draw::kUsualView));
  tell(document_->path.string());
}

void App::open(const std::filesystem::path& path) {
  Options options = options_;
  options.load.clip.reset();
  options.load.parts.clear();
  io::LoadOptions load = load_of(options, *params_);
  if (load.parts.empty()) suggest(options_.suggest, path, load);
  open(path, std::nullopt, load);
}

void App::open(const std::filesystem::path& path, const std::optional<std::filesystem::path>& motion,
               const io::LoadOptions& load) {
  Document document = make_document(options_, path, motion, load);
  show(load_clip(options_, document, load), options_.smooth.has_value());
  document_ = std::move(document);
  look_from(draw::named_view(draw::kUsualView));
  tell(path.filename().string());
}

void App::reload() {
  show(load_clip(options_, *document_, options_.load), options_.smooth.has_value());
  tell(document_->path.filename().string());
}

std::unique_ptr<PlayedClip> App::make_played(io::Clip clip, const MethodType& type, const AnyParams& params) const {
  return std::make_unique<PlayedClip>(std::move(clip), type, params,
                                      [this](const auto& path, auto names) { return brush_.read(path, names); });
}

void App::restart(const MethodType& type, const AnyParams& params) {
  const io::Smoothing smooth = loaded_ ? smoothing_of(options_, *loaded_, type, params) : smooth_;
  if (smooth == smooth_) {
    scene_->restart(type, params);
  } else {
    scene_ = make_played(smooth.of(*loaded_), type, params);
    smooth_ = smooth;
  }
  brush_.follow(*scene_, params);
}

void App::show(io::Clip loaded, bool fixed) {
  fixed = fixed || io::facets_of(loaded).smooth == 0;
  const io::Smoothing smooth = fixed ? io::Smoothing() : smoothing_of(options_, loaded, *type_, *params_);
  std::optional<io::Clip> kept;
  std::unique_ptr<PlayedClip> scene;
  if (fixed) {
    scene = make_played(std::move(loaded), *type_, *params_);
  } else {
    scene = make_played(smooth.of(loaded), *type_, *params_);
    kept = std::move(loaded);
  }
  brush_.follow(*scene, *params_);
  scene_ = std::move(scene);
  smooth_ = smooth;
  loaded_ = std::move(kept);
  ++runs_;
  // Of most methods the first frame has no wrinkles yet.
  playback.playing = scene_->clip().frame_count() > 1;
  show_frame(0);
}

void App::set_params(std::unique_ptr<AnyParams> params) {
  params->validate();
  if (scene_) restart(*type_, *params);
  ++runs_;
  params_ = std::move(params);
  tell("");
}

void App::set_method(const MethodType& type) {
  if (&type == type_) return;
  const auto kept = kept_.find(&type);
  switch_to(type, kept == kept_.end() ? type.params() : kept->second->clone());
  tell("");
}

void App::load_set(const std::filesystem::path& path) {
  const MethodType& type = method_named("byexample", "the method");
  std::unique_ptr<AnyParams> params = type.params();
  set_param(*params, "trained", path.string(), "trained");
  switch_to(type, std::move(params));
  tell(path.filename().string());
}

void App::switch_to(const MethodType& type, std::unique_ptr<AnyParams> params) {
  if (scene_) restart(type, *params);
  kept_[type_] = std::move(params_);
  params_ = std::move(params);
  type_ = &type;
  ++runs_;
  std::set<std::string> known;
  for (const auto& [name, doc] : overlay_choices(type)) known.emplace(name);
  std::erase_if(appearance.overlays, [&](const std::string& name) { return !known.contains(name); });
}

void App::update(double seconds) {
  if (!scene_) return;
  if (playback.playing && scene_->replay().frame() == playback.frame) follow_clock(seconds);
  scene_->replay().seek(playback.frame, kCatchUp);
}

void App::follow_clock(double seconds) {
  const std::vector<double>& times = scene_->clip().data().times;
  playback.clock += seconds * double(playback.speed);
  while (playback.frame + 1 < std::int64_t(times.size())) {
    const auto next = std::size_t(playback.frame + 1);
    const double duration = times[next] - times[next - 1];
    if (playback.clock < duration) return;
    playback.clock -= duration;
    ++playback.frame;
  }
  playback.clock = 0.0;
  if (playback.looping) {
    playback.frame = 0;
  } else {
    playback.playing = false;
  }
}

bool App::draw(const Target& target) {
  if (!scene_) return false;
  const Shot shot{.run = runs_,
                  .frame = scene_->replay().frame(),
                  .camera = camera_,
                  .appearance = appearance,
                  .size = target.size()};
  if (shown_ == shot) return true;
  scene_->draw(renderer_, target, camera_, appearance);
  shown_ = shot;
  return true;
}

std::filesystem::path App::new_file(const std::string& name, const std::string& suffix) const {
  std::filesystem::path path = options_.output / (name + suffix);
  for (int number = 2; std::filesystem::exists(path); ++number)
    path = options_.output / message(name, "_", number, suffix);
  return path;
}

void App::save_picture(const Target& target) {
  require(shown_.has_value(), "there is no picture to save before a file is open");
  std::filesystem::create_directories(options_.output);
  const auto path = new_file(message(document_->path.stem().string(), "_", shown_->frame), ".png");
  write_file(path, encode_png(target.read()));
  tell("Saved " + path.string());
}

void App::save_camera() {
  require(scene_ != nullptr, "there is no camera to save before a file is open");
  std::filesystem::create_directories(options_.output);
  const auto path = new_file(document_->path.stem().string() + "_camera", ".json");
  write_file(path, draw::camera_to_json(camera_));
  tell("Saved " + path.string());
}

scene::Sight App::seen() const { return {scene_->clip(), scene_->replay().frame(), camera_, size_}; }

void App::paint_to(double x, double y) {
  if (scene_) brush_.to(seen(), x, y);
}

std::optional<double> App::brush_radius(double x, double y) {
  return scene_ ? brush_.radius_at(seen(), x, y) : std::nullopt;
}

void App::paint_up() {
  if (brush_.up()) repaint();
}

void App::paint_random() {
  if (brush_.random()) repaint();
}

void App::clear_painting() {
  if (brush_.clear()) repaint();
}

void App::undo_painting() {
  if (brush_.undo()) repaint();
}

void App::repaint() { set_params(brush_.named(*params_)); }

void App::save_painting() {
  require(brush_.has_painting(), "there is no painting to save before a file is open");
  std::filesystem::create_directories(options_.output);
  const auto path = new_file(document_->path.stem().string() + "_painting", ".npz");
  write_file(path, brush_.file());
  brush_.saved(path.string());
  load_painting(path);
  tell("Saved " + path.string());
}

void App::load_painting(const std::filesystem::path& path) {
  std::unique_ptr<AnyParams> params = params_->clone();
  set_param(*params, "painting", path.string(), "painting");
  set_params(std::move(params));
  tell(path.filename().string());
}

void App::step(int frames) {
  if (!scene_) return;
  const std::int64_t count = scene_->clip().frame_count();
  playback.playing = false;
  show_frame((playback.frame + frames % count + count) % count);
}

void App::show_frame(std::int64_t frame) {
  playback.frame = frame;
  playback.clock = 0.0;
}

void App::look_from(const draw::Angles& angles) {
  const auto focus = enum_from<scene::Focus>(options_.focus, "--focus");
  if (scene_) camera_ = scene::fitted_camera(scene_->clip(), angles, double(size_[0]) / double(size_[1]), focus);
}

void App::turn(double azimuth, double elevation) {
  if (scene_) move_camera(draw::turned(camera_, azimuth, elevation));
}

void App::shift(double right, double up) {
  if (scene_) move_camera(draw::shifted(camera_, right, up, size_[1]));
}

void App::zoom(double factor) {
  if (scene_) move_camera(draw::zoomed(camera_, factor));
}

void App::move_camera(const Camera& camera) { camera_ = draw::holding(camera, scene_->box()); }

void App::tell(const std::string& status) {
  status_ = status;
  failed_ = false;
}

}  // namespace pucker::viewer
