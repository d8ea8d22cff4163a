#include "headless.h"

#include <atomic>
#include <csignal>
#include <iomanip>
#include <sstream>

#include "context.h"
#include "files.h"

namespace pucker::viewer {

namespace {

static_assert(std::atomic<bool>::is_always_lock_free);
std::atomic<bool> interrupted{false};

std::string picture_name(std::int64_t frame) {
  std::ostringstream name;
  name << "frame_" << std::setw(4) << std::setfill('0') << frame << ".png";
  return name.str();
}

}  // namespace

void run_headless(const Options& options) {
  const draw::ShaderLibrary shaders = read_shaders(find_shaders(options.shaders));
  const Size size = size_of(options);
  const Appearance appearance = appearance_of(options);
  const std::unique_ptr<AnyParams> params = params_of(options);
  const io::LoadOptions load = load_of(options, *params);
  io::Clip clip = io::load(*open_source(options, options.file, options.motion), load);
  clip = smoothing_of(options, clip, method_of(options), *params).of(clip);
  const auto [first, last] = frames_of(options, clip.frame_count());

  const HeadlessContext context;
  const Target target(size, options.samples.value_or(draw::kSamples));
  Renderer renderer(shaders);
  PlayedClip scene(std::move(clip), method_of(options), *params);
  const Camera camera = camera_of(options, scene, size);
  const PendingFolder output(options.output);
  std::signal(SIGINT, [](int) { interrupted = true; });
  for (std::int64_t frame = first; frame <= last; ++frame) {
    if (interrupted) throw Interrupted("interrupted; no picture is there");
    scene.replay().seek(frame);
    scene.draw(renderer, target, camera, appearance);
    output.write(picture_name(frame), encode_png(target.read()));
  }
  output.hand_over();
}

}  // namespace pucker::viewer
