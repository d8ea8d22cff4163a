/// What the window shows and what can be done with it, without knowing of windows.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "brush.h"
#include "options.h"
#include "played_clip.h"
#include "programs.h"
#include "pucker/io/load.h"
#include "renderer.h"

namespace pucker::viewer {

/// A file with what of it is, or is to be, loaded.
struct Document {
  std::filesystem::path path;
  std::optional<std::filesystem::path> motion;  ///< the file whose clips move it, if they are not its own
  io::FileInfo info;
  bool given = false;  ///< the whole clip was handed over: nothing is left to choose, and the path is only a name
  std::string clip;    ///< empty if the file has none to choose
  std::set<std::string> parts;  ///< empty: the whole character
};

struct Playback {
  bool playing = false;
  bool looping = true;
  float speed = 1.0F;
  std::int64_t frame = 0;  ///< wanted; the run may not have come so far yet
  double clock = 0.0;      ///< seconds since the wanted frame
};

class App {
 public:
  /// Opens the file of the options, if any. Throws Error and InvalidArgument.
  App(const Options& options, const Size& size);

  /// Opens a file with its first clip and the whole character as cloth. Throws as io::load does; the scene before stays
  /// then.
  void open(const std::filesystem::path& path);
  /// Loads the document's clip and parts, which may have been changed.
  void reload();
  /// Starts the run anew with other parameters. Throws InvalidArgument, and keeps the old ones, for a wrong value.
  void set_params(std::unique_ptr<AnyParams> params);

  /// Runs another method, with the parameters it had when it ran last. Throws as MethodType::start, and keeps the old
  /// one then.
  void set_method(const MethodType& type);
  /// Runs wrinkles by example with a trained set. Throws likewise.
  void load_set(const std::filesystem::path& path);

  /// Moves on by so many seconds of wall clock: the wanted frame, and the run towards it for a short while.
  void update(double seconds);
  /// Makes the target hold a picture of the present frame, drawn only if it does not yet; false without a scene.
  bool draw(const Target& target);
  /// Writes the picture last drawn to a new file in the output folder.
  void save_picture(const Target& target);
  void save_camera();

  void step(int frames);
  void show_frame(std::int64_t frame);
  /// Fits the camera to the scene in a direction (azimuth, elevation).
  void look_from(const draw::Angles& angles);
  /// Turns the camera round its target, by degrees.
  void turn(double azimuth, double elevation);
  /// Shifts camera and target in the plane of the picture, by pixels.
  void shift(double right, double up);
  /// Multiplies the distance to the target.
  void zoom(double factor);

  /// Calls `action`; what it throws becomes the status.
  template <class Action>
  void attempt(const Action& action) {
    try {
      action();
    } catch (const std::exception& error) {
      status_ = error.what();
      failed_ = true;
    }
  }
  /// A drag of the brush, in pixels of the picture. The run starts anew where it ends, if it has painted anything.
  void paint_down(double x, double y) { brush_.down(x, y); }
  void paint_to(double x, double y);
  void paint_up();
  /// Radius of the brush in pixels where it points at the cloth; none where it does not.
  std::optional<double> brush_radius(double x, double y);
  void paint_random();
  void clear_painting();
  void undo_painting();
  /// Writes the painting to a new file in the output folder, which parameters name from then on.
  void save_painting();
  /// Goes on with the painting of a file. Throws as set_params().
  void load_painting(const std::filesystem::path& path);

  const std::string& status() const { return status_; }
  bool failed() const { return failed_; }

  PlayedClip* scene() { return scene_.get(); }
  std::optional<Document>& document() { return document_; }
  Renderer& renderer() { return renderer_; }
  const MethodType& method_type() const { return *type_; }
  Brush& brush() { return brush_; }
  const AnyParams& params() const { return *params_; }
  void set_size(const Size& size) { size_ = size; }

  Playback playback;
  Appearance appearance;

 private:
  /// All that a picture depends on.
  struct Shot {
    int run;
    std::int64_t frame;
    Camera camera;
    Appearance appearance;
    Size size;

    bool operator==(const Shot&) const = default;
  };

  void open(const std::filesystem::path& path, const std::optional<std::filesystem::path>& motion,
            const io::LoadOptions& load);
  void switch_to(const MethodType& type, std::unique_ptr<AnyParams> params);
  void open_given(const std::filesystem::path& path);
  std::unique_ptr<PlayedClip> make_played(io::Clip clip, const MethodType& type, const AnyParams& params) const;
  /// Starts the run anew, on the clip made smooth as the method takes it. Throws as MethodType::start, and then keeps
  /// the old run.
  void restart(const MethodType& type, const AnyParams& params);
  /// Has a clip shown from its first frame on; `fixed`: as it is, otherwise smooth where that suits it and the method.
  void show(io::Clip loaded, bool fixed);
  /// Has the run take the painting up.
  void repaint();
  void tell(const std::string& status);
  void follow_clock(double seconds);
  void move_camera(const Camera& camera);
  /// What the window shows of the scene, which there must be.
  scene::Sight seen() const;
  std::filesystem::path new_file(const std::string& name, const std::string& suffix) const;

  Options options_;
  const MethodType* type_;
  Size size_;
  Renderer renderer_;
  std::optional<Document> document_;
  Brush brush_;
  /// The clip as the file has it, if the method decides whether it is made smooth.
  std::optional<io::Clip> loaded_;
  io::Smoothing smooth_;  ///< of the scene's clip after it was loaded
  std::unique_ptr<PlayedClip> scene_;
  std::unique_ptr<AnyParams> params_;
  std::map<const MethodType*, std::unique_ptr<AnyParams>> kept_;  ///< of methods that ran before
  Camera camera_{};
  int runs_ = 0;  ///< started so far
  std::optional<Shot> shown_;
  std::string status_;
  bool failed_ = false;
};

}  // namespace pucker::viewer
