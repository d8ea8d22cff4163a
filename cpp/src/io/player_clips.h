/// The clips of a game's player, which `animation.cfg` beside its models lists by frames.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pucker/io/source.h"

namespace pucker::io {

/// What of a player a clip moves, as its name begins: BOTH_, TORSO_ or LEGS_.
enum class PlayerHalf : std::uint8_t { both, torso, legs };

struct PlayerClip {
  NamedRange range;
  PlayerHalf half = PlayerHalf::both;
};

/// Clips in the order of the file, with the frames that the models store: those of the legs are counted on in the file
/// after those of the torso, which the legs' model does not have. Names are those that stand behind the numbers, else
/// the game's own by their order. Lines of other numbers end the clips; what is not four numbers is left alone.
std::vector<PlayerClip> read_player_clips(std::string_view text);

/// Those that a model shows, of which "lower" has no clips of the torso and "upper" none of the legs, and whose frames
/// it has. One that stands comes first, then one that walks, runs, and the others.
std::vector<PlayerClip> clips_of_model(const std::vector<PlayerClip>& clips, std::string_view model,
                                       std::int64_t frames);

}  // namespace pucker::io
