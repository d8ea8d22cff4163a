// Characters whose poses are computed by functions.
#include <cmath>
#include <utility>

#include "formats.h"
#include "pucker/errors.h"

namespace pucker::io {
namespace {

class SampledPose : public Animation {
 public:
  explicit SampledPose(const PosedAnimation::Clip& clip) : clip_(clip) {}

  std::string name() const override { return clip_.info.name; }
  double duration() const override { return clip_.info.duration; }

  void pose(double time, Eigen::Ref<Array3> positions) const override {
    const Array3 posed = clip_.pose(time);
    require(posed.rows() == positions.rows(), "a pose must have ", positions.rows(), " rows, got ", posed.rows(),
            " at ", time, " s of clip '", name(), "'");
    positions = posed;
  }

 private:
  const PosedAnimation::Clip& clip_;
};

class PosedSource : public Source {
 public:
  PosedSource(const std::filesystem::path& path, PosedAnimation animation)
      : Source(path), animation_(std::move(animation)) {
    make_utf8(animation_.character);
    check_character(animation_.character);
    require(animation_.rest.rows() == animation_.character.vertices, "rest must have one row a vertex (",
            animation_.character.vertices, "), got ", animation_.rest.rows());
    require(!animation_.bind_pose || animation_.bind_pose->rows() == animation_.character.vertices,
            "bind_pose must have one row a vertex (", animation_.character.vertices, "), got ",
            animation_.bind_pose ? animation_.bind_pose->rows() : 0);
  }

  std::string format() const override { return animation_.format; }
  const Character& character() const override { return animation_.character; }
  Array3 rest() const override { return animation_.rest; }
  std::optional<Array3> bind_pose() const override { return animation_.bind_pose; }

  std::vector<ClipInfo> clips(double) const override {
    std::vector<ClipInfo> infos;
    for (const PosedAnimation::Clip& clip : animation_.clips) infos.push_back(clip.info);
    return infos;
  }

  std::unique_ptr<Animation> animation(const std::optional<std::string>& clip, double fps) const override {
    return std::make_unique<SampledPose>(animation_.clips[choose_clip(path(), clips(fps), clip)]);
  }

 private:
  PosedAnimation animation_;
};

}  // namespace

std::unique_ptr<Source> open_poses(const std::filesystem::path& path, PosedAnimation animation) {
  return std::make_unique<PosedSource>(path, std::move(animation));
}

}  // namespace pucker::io
