#include "frame_source.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>

#include "files.h"

namespace pucker::io {
namespace {

constexpr const char* kWholeClip = "all";

// Frames first … last, played at a rate.
struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
  double rate = 1.0;
};

template <class Number>
bool parse_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Reads "FIRST:LAST" or "FIRST:LAST@RATE"; false if the text is neither.
bool parse_range(std::string_view text, Range& range) {
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    if (!parse_whole(text.substr(at + 1), range.rate)) return false;
    text = text.substr(0, at);
  }
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && parse_whole(text.substr(0, colon), range.first) &&
         parse_whole(text.substr(colon + 1), range.last);
}

Range choose_range(const std::optional<std::string>& clip, std::size_t frames, double rate) {
  Range range{0, frames - 1, rate};
  if (!clip || *clip == kWholeClip) return range;
  require(parse_range(*clip, range), "no clip is named '", *clip, "'; there are: ", kWholeClip,
          ", FIRST:LAST, FIRST:LAST@RATE, with frames 0 to ", frames - 1);
  require(range.first <= range.last && range.last < frames, "a range of frames must be FIRST <= LAST <= ", frames - 1,
          ", got '", *clip, "'");
  require(std::isfinite(range.rate) && range.rate > 0.0, "the rate of a range must be finite and > 0, got '", *clip,
          "'");
  return range;
}

class FrameMotion : public Motion {
 public:
  FrameMotion(std::string name, std::span<const Array3> frames, double rate)
      : name_(std::move(name)), frames_(frames), rate_(rate) {}

  std::string name() const override { return name_; }
  double duration() const override { return double(frames_.size() - 1) / rate_; }

  void pose(double time, Eigen::Ref<Array3> positions) const override {
    double place = time * rate_;
    // A sample that falls on a frame shows that frame's bits.
    if (std::abs(place - std::round(place)) < 1e-9) place = std::round(place);
    const std::size_t before = std::min(std::size_t(place), frames_.size() - 1);
    const std::size_t after = std::min(before + 1, frames_.size() - 1);
    positions = frames_[before] + (place - double(before)) * (frames_[after] - frames_[before]);
  }

 private:
  std::string name_;
  std::span<const Array3> frames_;
  double rate_;
};

}  // namespace

std::vector<ClipInfo> FrameSource::clips(double fps) const {
  return {{kWholeClip, double(animation_.frames.size() - 1) / animation_.rate.value_or(fps)}};
}

std::unique_ptr<Motion> FrameSource::motion(const std::optional<std::string>& clip, double fps) const {
  const Range range = choose_range(clip, animation_.frames.size(), animation_.rate.value_or(fps));
  const auto frames = std::span(animation_.frames).subspan(range.first, range.last - range.first + 1);
  return std::make_unique<FrameMotion>(clip.value_or(kWholeClip), frames, range.rate);
}

}  // namespace pucker::io
