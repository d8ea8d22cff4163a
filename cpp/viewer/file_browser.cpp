#include "file_browser.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string_view>

#include "pucker/errors.h"

namespace pucker::viewer {

namespace {

constexpr float kMostWidth = 520.0F;  // pixels
constexpr float kMostHeight = 420.0F;
constexpr float kMargin = 20.0F;
// What pucker::io::load reads; a lone OBJ file has no animation.
constexpr std::array<std::string_view, 9> kCharacters{".gltf", ".glb", ".vrm", ".fbx", ".dae",
                                                      ".md3",  ".mdd", ".pc2", ".zip"};
constexpr std::array<std::string_view, 1> kPaintings{".npz"};

std::string lower_ending(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return ending;
}

}  // namespace

void FileBrowser::show(const std::filesystem::path& beside) {
  enter(std::filesystem::absolute(beside.empty() ? "." : beside.parent_path()));
  asked_ = true;
}

void FileBrowser::enter(const std::filesystem::path& folder) {
  const bool characters = kind_ == Kind::characters;
  const auto endings = characters ? std::span<const std::string_view>(kCharacters) : kPaintings;
  std::vector<std::string> folders;
  std::vector<std::string> files;
  bool holds_sequence = false;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(".")) continue;
    const std::string ending = lower_ending(entry->path());
    std::error_code unknown;
    if (entry->is_directory(unknown)) {
      folders.push_back(name);
    } else if (std::ranges::find(endings, ending) != endings.end()) {
      files.push_back(name);
    }
    holds_sequence |= characters && ending == ".obj";
  }
  if (error) throw Error(message("folder ", folder.string(), " cannot be read: ", error.message()));
  std::ranges::sort(folders);
  std::ranges::sort(files);
  folder_ = folder.lexically_normal();
  folders_ = std::move(folders);
  files_ = std::move(files);
  holds_sequence_ = holds_sequence;
}

std::optional<std::filesystem::path> FileBrowser::draw() {
  const char* const title = kind_ == Kind::characters ? "Open" : "Load a painting";
  if (asked_) ImGui::OpenPopup(title);
  asked_ = false;
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0.5F * room.x, 0.5F * room.y}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(kMostWidth, room.x - kMargin), std::min(kMostHeight, room.y - kMargin)});
  if (!ImGui::BeginPopupModal(title, nullptr, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove)) return {};
  std::optional<std::filesystem::path> chosen;
  std::optional<std::filesystem::path> next;
  ImGui::TextWrapped("%s", folder_.string().c_str());
  ImGui::BeginChild("entries", {0.0F, -ImGui::GetFrameHeightWithSpacing()}, true);
  if (ImGui::Selectable("..", false, ImGuiSelectableFlags_DontClosePopups)) next = folder_.parent_path();
  for (const std::string& name : folders_)
    if (ImGui::Selectable((name + "/").c_str(), false, ImGuiSelectableFlags_DontClosePopups)) next = folder_ / name;
  for (const std::string& name : files_)
    if (ImGui::Selectable(name.c_str())) chosen = folder_ / name;
  ImGui::EndChild();
  if (holds_sequence_) {
    if (ImGui::Button("Open the OBJ files here")) chosen = folder_;
    ImGui::SameLine();
  }
  if (chosen || ImGui::Button("Cancel") || ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape)))
    ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (next) enter(*next);
  return chosen;
}

}  // namespace pucker::viewer
