/// Characters whose file stores the vertices of every frame.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "source.h"

namespace pucker::io {

/// What an MD3 or a sequence of OBJ files is read into.
struct FrameAnimation {
  std::string format;
  Character character;
  std::vector<Array3> frames;  ///< at least one
  std::optional<double> rate;  ///< frames per second, if the format has one
};

/// A source with the clip "all" and every "FIRST:LAST" and "FIRST:LAST@RATE". Its rest pose is its first frame.
class FrameSource : public Source {
 public:
  FrameSource(std::filesystem::path path, FrameAnimation animation)
      : path_(std::move(path)), animation_(std::move(animation)) {}

  std::string format() const override { return animation_.format; }
  const Character& character() const override { return animation_.character; }
  std::vector<ClipInfo> clips(double fps) const override;
  Array3 rest() const override { return animation_.frames.front(); }
  std::unique_ptr<Motion> motion(const std::optional<std::string>& clip, double fps) const override;

 private:
  std::filesystem::path path_;
  FrameAnimation animation_;
};

}  // namespace pucker::io
