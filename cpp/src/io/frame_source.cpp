// Characters whose file stores the vertices of every frame.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "files.h"
#include "formats.h"

namespace pucker::io {
namespace {

constexpr const char* kWholeClip = "all";

// Frames first … last; with a rate of their own, evenly spaced.
struct FrameRange {
  std::size_t first = 0;
  std::size_t last = 0;
  std::optional<double> rate;
};

template <class Number>
bool parse_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Reads "FIRST:LAST" or "FIRST:LAST@RATE"; false if the text is neither.
bool parse_range(std::string_view text, FrameRange& range) {
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    if (!parse_whole(text.substr(at + 1), range.rate.emplace())) return false;
    text = text.substr(0, at);
  }
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && parse_whole(text.substr(0, colon), range.first) &&
         parse_whole(text.substr(colon + 1), range.last);
}

FrameRange choose_range(const std::optional<std::string>& clip, std::size_t frames,
                        const std::vector<NamedRange>& named) {
  FrameRange range{0, frames - 1, std::nullopt};
  if (!clip || *clip == kWholeClip) return range;
  if (const auto found = std::ranges::find(named, *clip, &NamedRange::name); found != named.end())
    return {found->first, found->last, found->rate};
  require(parse_range(*clip, range), "no clip is named '", *clip,
          "'; there are: ", named.empty() ? "" : join(named, [](const NamedRange& each) { return each.name; }) + ", ",
          kWholeClip, ", FIRST:LAST, FIRST:LAST@RATE, with frames 0 to ", frames - 1);
  require(range.first <= range.last && range.last < frames, "a range of frames must be FIRST <= LAST <= ", frames - 1,
          ", got '", *clip, "'");
  require(!range.rate || (std::isfinite(*range.rate) && *range.rate > 0.0),
          "the rate of a range must be finite and > 0, got '", *clip, "'");
  return range;
}

// The rate of times that are those of a whole number of frames per second, or of 1000/1001 of one as in video, to the
// precision of a float. Most files store times as floats; taken as they are, a clip's last frame may lie beyond its
// end.
std::optional<double> even_rate(const std::vector<double>& times) {
  if (times.size() < 2) return std::nullopt;
  const double rate = double(times.size() - 1) / (times.back() - times.front());
  const double tolerance = std::max(std::abs(times.front()), std::abs(times.back())) * 0x1p-22;
  for (const double candidate : {std::round(rate), std::round(rate * 1.001) / 1.001}) {
    bool fits = candidate > 0.0;
    for (std::size_t k = 0; k < times.size() && fits; ++k)
      fits = std::abs(times[k] - times.front() - double(k) / candidate) <= tolerance;
    if (fits) return candidate;
  }
  return std::nullopt;
}

// When the frames are shown: at their own times if they have some, else evenly spaced.
struct Clock {
  std::vector<double> times;  // seconds from the first frame
  double rate = 1.0;          // frames per second

  double duration(std::size_t frames) const { return times.empty() ? double(frames - 1) / rate : times.back(); }

  // The frame at a time in [0, duration], counted in fractions; the first or the last one beyond.
  double place(double time) const {
    if (times.empty()) return time * rate;
    const auto after = std::ranges::upper_bound(times, time);
    if (after == times.begin()) return 0.0;
    if (after == times.end()) return double(times.size() - 1);
    return double(after - times.begin() - 1) + (time - *(after - 1)) / (*after - *(after - 1));
  }
};

class SampledFrames : public Animation {
 public:
  SampledFrames(std::string name, std::span<const Array3> frames, Clock clock)
      : name_(std::move(name)), frames_(frames), clock_(std::move(clock)) {}

  std::string name() const override { return name_; }
  double duration() const override { return clock_.duration(frames_.size()); }

  void pose(double time, Eigen::Ref<Array3> positions) const override {
    double place = clock_.place(time);
    // A sample that falls on a frame shows that frame's bits.
    if (std::abs(place - std::round(place)) < 1e-9) place = std::round(place);
    const std::size_t before = std::min(std::size_t(std::max(place, 0.0)), frames_.size() - 1);
    const std::size_t after = std::min(before + 1, frames_.size() - 1);
    positions = frames_[before] + (place - double(before)) * (frames_[after] - frames_[before]);
  }

 private:
  std::string name_;
  std::span<const Array3> frames_;
  Clock clock_;
};

class FrameSource : public Source {
 public:
  FrameSource(const std::filesystem::path& path, FrameAnimation animation)
      : Source(path), animation_(std::move(animation)) {
    const std::size_t frames = animation_.frames.size();
    require(frames > 0, "an animation needs at least one frame, got 0");
    make_utf8(animation_.character);
    check_character(animation_.character);
    for (const Array3& frame : animation_.frames) check_rows(frame, "a frame");
    if (animation_.rest) check_rows(*animation_.rest, "rest");
    for (const NamedRange& range : animation_.ranges)
      require(range.first <= range.last && range.last < frames && std::isfinite(range.rate) && range.rate > 0.0,
              "clip '", range.name, "' must be of frames among ", frames, " at a rate > 0, got ", range.first, " to ",
              range.last, " at ", range.rate);
    const std::vector<double>& times = animation_.times;
    require(times.empty() || times.size() == frames, "times must have one entry a frame (", frames, "), got ",
            times.size());
    for (std::size_t k = 0; k < times.size(); ++k) {
      require(std::isfinite(times[k]), "times must be finite, got ", times[k], " for frame ", k);
      require(k == 0 || times[k] > times[k - 1], "times must strictly increase, got ", times[k], " after ",
              times[k == 0 ? 0 : k - 1], " for frame ", k);
    }
    if (const std::optional<double> rate = even_rate(times)) {
      animation_.rate = rate;
      animation_.times.clear();
    }
  }

  std::string format() const override { return animation_.format; }
  const Character& character() const override { return animation_.character; }
  Array3 rest() const override { return animation_.rest.value_or(animation_.frames.front()); }

  std::vector<ClipInfo> clips(double fps) const override {
    const std::size_t frames = animation_.frames.size();
    std::vector<ClipInfo> clips;
    for (const NamedRange& range : animation_.ranges)
      clips.push_back({range.name, double(range.last - range.first) / range.rate});
    clips.push_back({kWholeClip, clock({0, frames - 1, std::nullopt}, fps).duration(frames)});
    return clips;
  }

  std::unique_ptr<Animation> animation(const std::optional<std::string>& clip, double fps) const override {
    const FrameRange range = choose_range(clip, animation_.frames.size(), animation_.ranges);
    const auto frames = std::span(animation_.frames).subspan(range.first, range.last - range.first + 1);
    return std::make_unique<SampledFrames>(clip.value_or(kWholeClip), frames, clock(range, fps));
  }

 private:
  void check_rows(const Array3& positions, const char* what) const {
    require(positions.rows() == animation_.character.vertices, what, " must have one row a vertex (",
            animation_.character.vertices, "), got ", positions.rows());
  }

  Clock clock(const FrameRange& range, double fps) const {
    if (range.rate || animation_.times.empty())
      return {{}, range.rate.value_or(animation_.rate.value_or(fps / animation_.frames_per_interval))};
    Clock result;
    for (std::size_t k = range.first; k <= range.last; ++k)
      result.times.push_back(animation_.times[k] - animation_.times[range.first]);
    return result;
  }

  FrameAnimation animation_;
};

}  // namespace

std::unique_ptr<Source> open_frames(const std::filesystem::path& path, FrameAnimation animation) {
  return std::make_unique<FrameSource>(path, std::move(animation));
}

}  // namespace pucker::io
