/// A dialog that chooses a file of a character, or a folder of OBJ files, or a painting.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pucker::viewer {

class FileBrowser {
 public:
  enum class Kind { characters, paintings };

  explicit FileBrowser(Kind kind) : kind_(kind) {}

  /// Shows the dialog, in the folder of `beside`, or in the present one if it is empty. Throws Error if the folder
  /// cannot be read.
  void show(const std::filesystem::path& beside);
  /// Draws the dialog while it is shown, and gives what was chosen in it, once. Call it between the start and the end
  /// of an ImGui frame. Throws Error, and stays where it is, for a folder that cannot be read.
  std::optional<std::filesystem::path> draw();

 private:
  void enter(const std::filesystem::path& folder);

  Kind kind_;
  bool asked_ = false;
  std::filesystem::path folder_;
  std::vector<std::string> folders_;
  std::vector<std::string> files_;
  bool holds_sequence_ = false;
};

}  // namespace pucker::viewer
