/// Which nodes of a glTF are the bones of a human, as VRM and VRM Animation name them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pucker::io {

/// Sources: VRMC_vrm 1.0, VRM 0.0 and VRMC_vrm_animation 1.0 of the VRM specification.
struct Humanoid {
  std::string extension;                      ///< VRMC_vrm_animation, VRM or VRMC_vrm; empty where the file has none
  std::map<std::string, std::int32_t> bones;  ///< by their names in VRM 1, the node's place in the hierarchy: parents
                                              ///< first, children in the file's order
  std::string fault;                          ///< what is wrong with the extension; empty if nothing
  std::int32_t nodes = 0;                     ///< in the hierarchy

  bool is_motion() const { return extension == "VRMC_vrm_animation"; }
};

/// Of a file's content; nothing of another format than glTF and GLB, and of one that cannot be parsed.
Humanoid read_humanoid(std::string_view content, const std::string& format);

/// Bones that a character must have, by VRM 1.
std::vector<std::string> missing_bones(const Humanoid& humanoid);

}  // namespace pucker::io
