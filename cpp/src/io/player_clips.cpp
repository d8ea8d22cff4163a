#include "player_clips.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "files.h"

namespace pucker::io {
namespace {

// In the order of the game's file.
constexpr std::array<std::string_view, 25> kClipNames{
    "BOTH_DEATH1",  "BOTH_DEAD1",    "BOTH_DEATH2", "BOTH_DEAD2",  "BOTH_DEATH3", "BOTH_DEAD3",   "TORSO_GESTURE",
    "TORSO_ATTACK", "TORSO_ATTACK2", "TORSO_DROP",  "TORSO_RAISE", "TORSO_STAND", "TORSO_STAND2", "LEGS_WALKCR",
    "LEGS_WALK",    "LEGS_RUN",      "LEGS_BACK",   "LEGS_SWIM",   "LEGS_JUMP",   "LEGS_LAND",    "LEGS_JUMPB",
    "LEGS_LANDB",   "LEGS_IDLE",     "LEGS_IDLECR", "LEGS_TURN"};
constexpr std::array<std::string_view, 6> kFirst{"LEGS_IDLE", "TORSO_STAND",  "LEGS_WALK",
                                                 "LEGS_RUN",  "TORSO_STAND2", "LEGS_WALKCR"};
constexpr std::string_view kSpaces = " \t\r";

// First frame, number of frames, frames that loop, frames per second: whole numbers, the last one may have a fraction.
std::optional<std::array<double, 4>> four_numbers(std::string_view& line) {
  std::array<double, 4> numbers{};
  for (double& number : numbers) {
    line.remove_prefix(std::min(line.find_first_not_of(kSpaces), line.size()));
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
    line.remove_prefix(std::size_t(end - line.data()));
  }
  return numbers;
}

PlayerHalf half_of(std::string_view name) {
  if (name.starts_with("TORSO")) return PlayerHalf::torso;
  return name.starts_with("LEGS") ? PlayerHalf::legs : PlayerHalf::both;
}

// The word behind the numbers, in capitals; the game's own where there is none.
std::string name_of(std::string_view rest, std::size_t number) {
  rest = trimmed(rest, "/ \t\r");
  std::string name(rest.substr(0, rest.find_first_of(" \t\r(,;")));
  std::ranges::transform(name, name.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  const bool is_name = name.starts_with("BOTH_") || name.starts_with("TORSO_") || name.starts_with("LEGS_");
  if (is_name) return name;
  return number < kClipNames.size() ? std::string(kClipNames[number]) : message("CLIP_", number);
}

}  // namespace

std::vector<PlayerClip> read_player_clips(std::string_view text) {
  constexpr double most = 1e6;
  constexpr double usual_rate = 15.0;
  std::vector<PlayerClip> clips;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto numbers = four_numbers(line);
    if (!numbers) continue;
    const auto [first, count, looping, rate] = *numbers;
    const std::size_t number = clips.size();
    // A negative count plays backwards; the frames are the same.
    if (!(first >= 0.0 && first < most && std::abs(count) >= 1.0 && std::abs(count) < most)) continue;
    PlayerClip& clip = clips.emplace_back();
    clip.range = {.name = name_of(line, number),
                  .first = std::size_t(first),
                  .last = std::size_t(first) + std::size_t(std::abs(count)) - 1,
                  .rate = rate > 0.0 ? rate : usual_rate};
    clip.half = half_of(clip.range.name);
  }
  const auto first_of = [&](PlayerHalf half) { return std::ranges::find(clips, half, &PlayerClip::half); };
  const auto torso = first_of(PlayerHalf::torso);
  const auto legs = first_of(PlayerHalf::legs);
  if (torso == clips.end() || legs == clips.end() || legs->range.first <= torso->range.first) return clips;
  const std::size_t skipped = legs->range.first - torso->range.first;
  for (PlayerClip& clip : clips)
    if (clip.half == PlayerHalf::legs && clip.range.first >= skipped) {
      clip.range.first -= skipped;
      clip.range.last -= skipped;
    }
  return clips;
}

std::vector<PlayerClip> clips_of_model(const std::vector<PlayerClip>& clips, std::string_view model,
                                       std::int64_t frames) {
  std::vector<PlayerClip> shown;
  for (const PlayerClip& clip : clips) {
    if (model == "lower" && clip.half == PlayerHalf::torso) continue;
    if (model == "upper" && clip.half == PlayerHalf::legs) continue;
    if (std::int64_t(clip.range.last) < frames) shown.push_back(clip);
  }
  std::ranges::stable_sort(
      shown, {}, [](const PlayerClip& clip) { return std::ranges::find(kFirst, clip.range.name) - kFirst.begin(); });
  return shown;
}

}  // namespace pucker::io
