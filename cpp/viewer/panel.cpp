#include "panel.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pucker/enum_names.h"
#include "pucker/errors.h"

namespace pucker::viewer {

namespace {

constexpr float kWidth = 340.0F;  // pixels
constexpr std::size_t kOverlayColumns = 3;
const ImVec4 kAlarm{1.0F, 0.45F, 0.40F, 1.0F};

void tooltip(const std::string& text) {
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text.c_str());
}

/// A combo box over names, of which `value` is the number.
bool combo(const char* label, std::size_t& value, std::span<const std::string> names) {
  if (!ImGui::BeginCombo(label, names[value].c_str())) return false;
  bool changed = false;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (ImGui::Selectable(names[k].c_str(), k == value)) {
      value = k;
      changed = true;
    }
  ImGui::EndCombo();
  return changed;
}

/// One widget a parameter, made from the parameters' own list: the common ones first, the others in a tree below them.
class ParamWidgets final : public ParamVisitor {
 public:
  /// Says whether one was changed.
  bool draw(AnyParams& params) {
    common_ = params.common();
    for_each_param(params, [&](const std::string& path, const Parameter& parameter) {
      if (is_common(path)) show(path.c_str(), parameter);
    });
    if (ImGui::TreeNode("more")) {
      params.visit(*this);
      ImGui::TreePop();
    }
    return changed_;
  }
  void parameter(const Parameter& parameter) override {
    if (!is_common(node_ + parameter.name)) show(parameter.name, parameter);
  }
  bool enter(const char* name, const char* doc) override {
    const bool open = ImGui::TreeNode(name);
    tooltip(doc);
    if (open) node_ = message(name, ".");
    return open;
  }
  void leave() override {
    node_.clear();
    ImGui::TreePop();
  }

 private:
  bool is_common(const std::string& path) const { return std::ranges::find(common_, path) != common_.end(); }
  void show(const char* label, const Parameter& parameter) {
    std::visit([&](const auto& value) { edit(label, value); }, parameter.value);
    const std::optional<Range>& range = parameter.range;
    tooltip(range ? message(parameter.doc, "\nin ", to_string(*range)) : parameter.doc);
  }
  void edit(const char* name, double* value) { drag(name, *value); }
  void edit(const char* name, std::optional<double>* value) {
    bool given = value->has_value();
    ImGui::PushID(name);
    if (ImGui::Checkbox("##given", &given)) {
      *value = given ? std::optional(0.01) : std::nullopt;
      changed_ = true;
    }
    ImGui::PopID();
    ImGui::SameLine();
    if (*value) {
      drag(name, **value);
    } else {
      ImGui::TextDisabled("%s", name);
    }
  }
  void edit(const char* name, std::int32_t* value) { count(name, ImGuiDataType_S32, *value); }
  void edit(const char* name, std::uint64_t* value) { count(name, ImGuiDataType_U64, *value); }
  void edit(const char* name, bool* value) { changed_ |= ImGui::Checkbox(name, value); }
  void edit(const char* name, const Parameter::Choice& choice) { changed_ |= combo(name, *choice.value, choice.names); }
  void edit(const char* name, std::string* value) {
    std::array<char, 1024> content{};
    value->copy(content.data(), content.size() - 1);
    if (!ImGui::InputText(name, content.data(), content.size(), ImGuiInputTextFlags_EnterReturnsTrue)) return;
    *value = content.data();
    changed_ = true;
  }
  void drag(const char* name, double& value) {
    // A drag over the panel's width changes a number by its own size.
    const float speed = std::max(float(std::abs(value)), 0.01F) * 0.005F;
    changed_ |= ImGui::DragScalar(name, ImGuiDataType_Double, &value, speed, nullptr, nullptr, "%.5g");
  }
  template <class T>
  void count(const char* name, ImGuiDataType type, T& value) {
    const T one = 1;
    changed_ |= ImGui::InputScalar(name, type, &value, &one);
  }

  std::span<const std::string_view> common_;
  std::string node_;  ///< the node whose fields are gone through, with its dot; nodes have no nodes
  bool changed_ = false;
};

void part_list(const char* title, const char* prefix, const std::vector<io::PartInfo>& parts,
               std::set<std::string>& chosen) {
  if (parts.empty() || !ImGui::TreeNode(title)) return;
  for (const io::PartInfo& part : parts) {
    const std::string name = prefix + part.name;
    bool is_chosen = chosen.contains(name);
    if (ImGui::Checkbox(message(part.name, " (", part.triangles, ")").c_str(), &is_chosen)) {
      if (is_chosen) {
        chosen.insert(name);
      } else {
        chosen.erase(name);
      }
    }
  }
  ImGui::TreePop();
}

void file_section(App& app) {
  if (!app.document() || app.document()->given ||
      !ImGui::CollapsingHeader("Clip and cloth", ImGuiTreeNodeFlags_DefaultOpen))
    return;
  Document& document = *app.document();
  if (ImGui::BeginCombo("clip", document.clip.c_str())) {
    for (const io::ClipInfo& clip : document.info.clips)
      if (ImGui::Selectable(clip.name.c_str(), clip.name == document.clip)) document.clip = clip.name;
    ImGui::EndCombo();
  }
  part_list("materials", "", document.info.materials, document.parts);
  part_list("nodes", "", document.info.nodes, document.parts);
  part_list("meshes", "", document.info.meshes, document.parts);
  part_list("joints", "joint:", document.info.joints, document.parts);
  if (ImGui::Button("Load")) app.attempt([&] { app.reload(); });
  tooltip("Loads the clip with the chosen parts as cloth; without any, the whole character");
}

void playback_section(App& app) {
  if (!ImGui::CollapsingHeader("Playback", ImGuiTreeNodeFlags_DefaultOpen)) return;
  Playback& playback = app.playback;
  if (ImGui::Button(playback.playing ? "Pause" : "Play")) playback.playing = !playback.playing;
  tooltip("Space");
  ImGui::SameLine();
  if (ImGui::Button("<")) app.step(-1);
  ImGui::SameLine();
  if (ImGui::Button(">")) app.step(1);
  ImGui::SameLine();
  ImGui::Checkbox("loop", &playback.looping);
  if (const PlayedClip* scene = app.scene()) {
    auto frame = int(playback.frame);
    if (ImGui::SliderInt("frame", &frame, 0, int(scene->clip().frame_count()) - 1, "%d",
                         ImGuiSliderFlags_AlwaysClamp)) {
      playback.playing = false;
      app.show_frame(frame);
    }
    if (scene->replay().frame() != playback.frame) ImGui::Text("at frame %d", int(scene->replay().frame()));
  }
  ImGui::SliderFloat("speed", &playback.speed, 0.1F, 4.0F, "%.2f", ImGuiSliderFlags_AlwaysClamp);
}

void overlays_section(App& app) {
  if (!ImGui::CollapsingHeader("Overlays", ImGuiTreeNodeFlags_DefaultOpen)) return;
  const std::vector<OverlayChoice> choices = overlay_choices(app.method_type());
  for (std::size_t k = 0; k < choices.size(); ++k) {
    const std::string name(choices[k].first);
    if (k % kOverlayColumns > 0) ImGui::SameLine(float(k % kOverlayColumns) * kWidth / float(kOverlayColumns));
    bool shown = app.appearance.overlays.contains(name);
    if (ImGui::Checkbox(name.c_str(), &shown)) {
      if (shown) {
        app.appearance.overlays.insert(name);
      } else {
        app.appearance.overlays.erase(name);
      }
    }
    tooltip(std::string(choices[k].second));
  }
}

PanelRequests view_section(App& app) {
  PanelRequests requests;
  if (!ImGui::CollapsingHeader("View", ImGuiTreeNodeFlags_DefaultOpen)) return requests;
  auto mode = std::size_t(app.appearance.mode);
  if (combo("mode", mode, enum_names<Mode>())) app.appearance.mode = Mode(mode);
  auto normals = std::size_t(app.appearance.normals);
  if (combo("normals", normals, enum_names<Normals>())) app.appearance.normals = Normals(normals);
  tooltip("What lights the character: smooth normals, or those of the file, with its hard edges");
  constexpr double lowest = 0.0;
  constexpr double highest = 64.0;
  ImGui::DragScalar("least edge", ImGuiDataType_Double, &app.appearance.least_edge, 0.05F, &lowest, &highest, "%.1f px",
                    ImGuiSliderFlags_AlwaysClamp);
  tooltip("Shortest tessellated edge; 0 leaves only the wrinkles' own limit");
  for (std::size_t k = 0; k < draw::kLightParts.size(); ++k) {
    const std::string name(draw::kLightParts[k].first);
    if (k % 2 > 0) ImGui::SameLine(kWidth / 2.0F);
    bool shown = !app.appearance.without.contains(name);
    if (ImGui::Checkbox(name.c_str(), &shown)) {
      if (shown) {
        app.appearance.without.erase(name);
      } else {
        app.appearance.without.insert(name);
      }
    }
    tooltip(std::string(draw::kLightParts[k].second));
  }
  if (ImGui::BeginCombo("camera", "look from")) {
    for (const draw::View& view : draw::kViews)
      if (ImGui::Selectable(std::string(view.name).c_str())) app.look_from(view.angles);
    ImGui::EndCombo();
  }
  requests.save_picture = ImGui::Button("Save picture");
  ImGui::SameLine();
  if (ImGui::Button("Save camera")) app.attempt([&] { app.save_camera(); });
  const std::int64_t limited = app.scene() == nullptr ? 0 : app.scene()->limited_edges();
  if (limited > 0) ImGui::TextColored(kAlarm, "%s", message(limited, " edges are too long for their wrinkles").c_str());
  return requests;
}

void params_section(App& app) {
  if (!ImGui::CollapsingHeader("Parameters", ImGuiTreeNodeFlags_DefaultOpen)) return;
  if (ImGui::BeginCombo("method", std::string(app.method_type().name()).c_str())) {
    for (const MethodType* type : methods())
      if (ImGui::Selectable(std::string(type->name()).c_str(), type == &app.method_type()))
        app.attempt([&] { app.set_method(*type); });
    ImGui::EndCombo();
  }
  tooltip("Wrinkles by example need a trained set, whose .npz may be dropped on the window");
  std::unique_ptr<AnyParams> params = app.params().clone();
  if (ParamWidgets().draw(*params)) app.attempt([&] { app.set_params(std::move(params)); });
}

void time_line(const std::string& name, double seconds) { ImGui::Text("%-12s %8.2f ms", name.c_str(), 1e3 * seconds); }

void times_section(App& app) {
  PlayedClip* scene = app.scene();
  if (scene == nullptr || !ImGui::CollapsingHeader("Times", ImGuiTreeNodeFlags_DefaultOpen)) return;
  ImGui::TextDisabled("stages of the frame");
  const std::span<const std::string_view> stages = scene->method().stages();
  for (std::size_t k = 0; k < stages.size(); ++k) time_line(std::string(stages[k]), scene->method().state().seconds[k]);
  ImGui::TextDisabled("passes of the picture");
  const auto& passes = app.renderer().times().seconds();
  for (std::size_t k = 0; k < passes.size(); ++k) time_line(std::string(draw::kPassNames[k]), passes[k]);
  ImGui::TextDisabled("%.1f pictures a second", double(ImGui::GetIO().Framerate));
}

/// In the lower right corner, where its coming and going moves no widget.
void draw_status(const App& app) {
  if (app.status().empty()) return;
  const ImVec2 corner = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(corner, ImGuiCond_Always, {1.0F, 1.0F});
  ImGui::Begin("status", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::PushTextWrapPos(std::max(kWidth, corner.x - kWidth));
  ImGui::PushStyleColor(ImGuiCol_Text, app.failed() ? kAlarm : ImGui::GetStyleColorVec4(ImGuiCol_Text));
  ImGui::TextUnformatted(app.status().c_str());
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
  ImGui::End();
}

}  // namespace

PanelRequests Panel::draw(App& app) {
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  const bool narrow = room.x < 2.0F * kWidth;
  if (narrow != narrow_) folded_ = narrow_ = narrow;
  ImGui::SetNextWindowPos({0.0F, 0.0F});
  PanelRequests requests;
  if (folded_) {
    ImGui::Begin("folded", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize);
    if (ImGui::Button("Panel")) toggle();
    tooltip("Tab");
    ImGui::End();
  } else {
    ImGui::SetNextWindowSize({std::min(kWidth, room.x), room.y});
    ImGui::Begin("pucker", nullptr, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoTitleBar);
    ImGui::PushItemWidth(0.5F * kWidth);
    requests = draw_sections(app);
    ImGui::PopItemWidth();
    ImGui::End();
  }
  app.attempt([&] {
    if (const auto chosen = files_.draw()) app.open(*chosen);
    if (const auto chosen = paintings_.draw()) app.load_painting(*chosen);
  });
  draw_status(app);
  return requests;
}

void Panel::brush_section(App& app) {
  if (app.scene() == nullptr || !Brush::takes(app.params())) return;
  if (!ImGui::CollapsingHeader("Brush", ImGuiTreeNodeFlags_DefaultOpen)) return;
  BrushSettings& settings = app.brush().settings;
  ImGui::Checkbox("paint", &settings.on);
  tooltip("B: a drag with the left button paints wrinkles across its way; with shift it turns the camera");
  ImGui::SameLine();
  ImGui::Checkbox("erase", &settings.erase);
  tooltip("E: a drag takes wrinkles away");
  constexpr float narrowest = 0.005F;
  constexpr float widest = 0.5F;
  ImGui::SliderFloat("radius", &settings.radius, narrowest, widest, "%.3f", ImGuiSliderFlags_AlwaysClamp);
  tooltip("As a share of the character's height");
  constexpr float strongest = 0.99F;
  ImGui::SliderFloat("strength", &settings.strength, 0.0F, strongest, "%.2f", ImGuiSliderFlags_AlwaysClamp);
  if (ImGui::Button("Random")) app.attempt([&] { app.paint_random(); });
  tooltip("R: paints everything anew at random, as strong as the brush");
  ImGui::SameLine();
  if (ImGui::Button("Clear")) app.attempt([&] { app.clear_painting(); });
  ImGui::SameLine();
  if (ImGui::Button("Undo")) app.attempt([&] { app.undo_painting(); });
  tooltip("Z");
  if (ImGui::Button("Save painting")) app.attempt([&] { app.save_painting(); });
  tooltip("W: as NAME_painting.npz, which the parameters name from then on");
  ImGui::SameLine();
  if (ImGui::Button("Load...")) app.attempt([&] { paintings_.show(app.document()->path); });
  tooltip("A painting may also be dropped on the window");
}

PanelRequests Panel::draw_sections(App& app) {
  if (ImGui::Button("Open..."))
    app.attempt([&] { files_.show(app.document() ? app.document()->path : std::filesystem::path()); });
  tooltip("A file may also be dropped on the window");
  ImGui::SameLine();
  if (ImGui::Button("Fold")) toggle();
  tooltip("Tab");
  file_section(app);
  playback_section(app);
  const PanelRequests requests = view_section(app);
  overlays_section(app);
  brush_section(app);
  params_section(app);
  times_section(app);
  return requests;
}

}  // namespace pucker::viewer
