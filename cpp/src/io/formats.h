/// One function a file format, and what the formats share.
#pragma once

#include "pucker/io/source.h"

namespace pucker::io {

std::unique_ptr<Source> open_scene(const std::filesystem::path& path, const OpenOptions& options);
std::unique_ptr<Source> open_md3(const std::filesystem::path& path, const OpenOptions& options);
std::unique_ptr<Source> open_obj_sequence(const std::filesystem::path& path, const OpenOptions& options);
/// `options.motion` is there.
std::unique_ptr<Source> open_point_cache(const std::filesystem::path& obj, const OpenOptions& options);

/// Clips of one name, which no name could choose, get a number each: "Run (1)", "Run (2)"; those without a name
/// "unnamed (1)" and so on.
void tell_apart(std::vector<ClipInfo>& clips);

/// The clip's index among `clips`: the one named (see LoadOptions), or the only one. Throws Error if there is none,
/// InvalidArgument that lists them. `path` has the clips.
std::size_t choose_clip(const std::filesystem::path& path, const std::vector<ClipInfo>& clips,
                        const std::optional<std::string>& name);

/// Takes names that are not UTF-8 as Latin-1.
void make_utf8(Character& character);

/// Throws InvalidArgument unless the arrays fit each other and every index is in its range.
void check_character(const Character& character);

}  // namespace pucker::io
