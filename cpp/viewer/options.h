/// The command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "played_clip.h"
#include "pucker/io/load.h"
#include "pucker/io/smoothed.h"
#include "pucker/io/source.h"
#include "pucker/method_type.h"
#include "renderer.h"

namespace pucker::viewer {

/// What the command line asks for; a value that depends on the file or the shader folder is set only if it was given.
struct Options {
  std::filesystem::path file;                                 ///< empty: a window without a clip
  std::optional<std::filesystem::path> given;                 ///< a .npz with a whole clip, in place of a file
  std::optional<std::filesystem::path> motion;                ///< the file whose clips move it, if they are not its own
  std::vector<std::pair<std::string, std::string>> contents;  ///< see open_source
  io::LoadOptions load;
  std::optional<int> smooth;                    ///< levels of io::smoothed; none: as io::facets_of says
  std::string method = "drape";                 ///< as in all commands
  std::optional<std::filesystem::path> params;  ///< a TOML file
  std::vector<std::string> set;                 ///< NAME=VALUE
  std::optional<std::string> trained;           ///< the parameter of that name
  std::string mode = "both";
  std::string normals = "smooth";
  std::set<std::string> overlays;
  std::optional<double> least_edge;
  std::vector<std::string> without;  ///< parts of the light
  std::optional<std::string> view;
  std::string focus = "all";
  std::optional<std::filesystem::path> camera;
  std::optional<std::string> size;
  std::optional<int> samples;
  std::optional<std::filesystem::path> shaders;
  bool headless = false;
  std::optional<std::int64_t> frame;  ///< where the window stands at first; without, it plays
  std::vector<std::string> suggest;   ///< what names clip and parts of a file that is opened in the window
  std::optional<int> parent;          ///< the process that the window ends with
  std::optional<std::string> frames;
  std::filesystem::path output = ".";
};

/// Reads the command line. Returns nothing where help was asked for and printed. Throws InvalidArgument for an option
/// that is unknown, lacks its value or does not go with the others.
std::optional<Options> read_options(int count, const char* const* arguments);

/// The method asked for. Throws InvalidArgument for one there is not.
const MethodType& method_of(const Options& options);
/// The parameters of a run: those of the file with what the options say. Throws InvalidArgument for a parameter that
/// the method does not have and a value that it may not have, and Error for a file that cannot be read.
std::unique_ptr<AnyParams> params_of(const Options& options);
/// Opens a file, and what moves it. Of each path among Options::contents the second one's bytes are read in its place,
/// as io::OpenOptions::contents says. Throws as io::open_source does.
std::unique_ptr<io::Source> open_source(const Options& options, const std::filesystem::path& path,
                                        const std::optional<std::filesystem::path>& motion);
/// What of the file is loaded; where no parts were asked for, those of the method. Throws as MethodType::parts.
io::LoadOptions load_of(const Options& options, const AnyParams& params);
/// How a clip is made smooth beyond the levels that it was loaded with: not if levels were asked for or the file's
/// normals are, else by as many as io::facets_of says; its body alone if the method keeps the garment's mesh.
io::Smoothing smoothing_of(const Options& options, const io::Clip& clip, const MethodType& type,
                           const AnyParams& params);
/// What is shown of the scene. Throws InvalidArgument for a mode or normals there are not or a limit below 0.
Appearance appearance_of(const Options& options);
/// Width and height from "1280x720"; by default those of pictures.
Size size_of(const Options& options);
/// First and last frame of "FIRST:LAST", both included; by default all. Throws InvalidArgument unless they are frames
/// of the clip and in order.
std::array<std::int64_t, 2> frames_of(const Options& options, std::int64_t frame_count);
/// The camera of the file asked for, or one fitted to the scene in the direction of the view.
Camera camera_of(const Options& options, const PlayedClip& scene, const Size& size);

}  // namespace pucker::viewer
