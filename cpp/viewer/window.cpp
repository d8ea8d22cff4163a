#include "window.h"

#include <epoxy/gl.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "app.h"
#include "context.h"
#include "panel.h"
#include "pucker/enum_names.h"
#include "pucker/errors.h"

namespace pucker::viewer {

namespace {

constexpr double kDegreesPerPixel = 0.4;
constexpr double kZoomPerNotch = 1.1;
constexpr double kIdleSeconds = 0.1;  // between looks at a window that has no area

std::string glfw_reason() {
  const char* description = nullptr;
  glfwGetError(&description);
  return description == nullptr ? "unknown reason" : description;
}

/// Keeps GLFW running.
class Glfw {
 public:
  Glfw() {
    if (glfwInit() != GLFW_TRUE) throw Error("no window can be opened: " + glfw_reason());
  }
  ~Glfw() { glfwTerminate(); }
  Glfw(const Glfw&) = delete;
  Glfw& operator=(const Glfw&) = delete;
};

using WindowHandle = std::unique_ptr<GLFWwindow, void (*)(GLFWwindow*)>;

WindowHandle create_window(const Size& size) {
  return {glfwCreateWindow(size[0], size[1], "pucker", nullptr, nullptr), glfwDestroyWindow};
}

/// The version of the context a window gets here that does not ask for one, empty if none.
std::string found_version() {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  const WindowHandle window = create_window({1, 1});
  if (!window) return "";
  glfwMakeContextCurrent(window.get());
  return reinterpret_cast<const char*>(glGetString(GL_VERSION));
}

WindowHandle open_window(const Size& size) {
  require(size[0] >= 1 && size[1] >= 1, "a window must be at least 1 pixel wide and high, not ", size[0], " x ",
          size[1]);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, kNeededMajor);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, kNeededMinor);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  WindowHandle window = create_window(size);
  if (!window) throw Error(too_old_message(found_version()));
  glfwMakeContextCurrent(window.get());
  glfwSwapInterval(1);
  return window;
}

/// Keeps ImGui and its backends running on a window whose callbacks are already set: they are chained.
class Gui {
 public:
  explicit Gui(GLFWwindow* window) {
    ImGui::CreateContext();
    // The window leaves no file behind.
    ImGui::GetIO().IniFilename = nullptr;
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    ImGui_ImplOpenGL3_Init("#version 430 core");
  }
  ~Gui() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
  }
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  void begin() const {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
  }
  void end() const {
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  }
};

/// The window, its app, and what connects the two.
class Viewer {
 public:
  explicit Viewer(const Options& options)
      : samples_(options.samples.value_or(draw::kSamples)),
        parent_(options.parent),
        window_(open_window(size_of(options))),
        app_(options, framebuffer_size()) {
    glfwSetWindowUserPointer(window_.get(), this);
    glfwSetDropCallback(window_.get(), [](GLFWwindow* window, int count, const char** paths) {
      if (count > 0) of(window).app_.attempt([&] { of(window).take(paths[0]); });
    });
    glfwSetKeyCallback(window_.get(), [](GLFWwindow* window, int key, int, int action, int) {
      if (action != GLFW_RELEASE && !ImGui::GetIO().WantTextInput) of(window).press(key);
    });
    gui_.emplace(window_.get());
  }

  void run() {
    double before = glfwGetTime();
    while (glfwWindowShouldClose(window_.get()) == GLFW_FALSE && !orphaned()) {
      glfwPollEvents();
      const double now = glfwGetTime();
      app_.attempt([&] { app_.update(now - before); });
      before = now;
      const Size size = framebuffer_size();
      if (size[0] > 0 && size[1] > 0) {
        draw(size);
      } else {
        glfwWaitEventsTimeout(kIdleSeconds);
      }
    }
  }

 private:
  static Viewer& of(GLFWwindow* window) { return *static_cast<Viewer*>(glfwGetWindowUserPointer(window)); }

  /// Whether the process has ended that the window is to end with, however it did.
  bool orphaned() const { return parent_ && getppid() != *parent_; }

  Size framebuffer_size() const {
    Size size{};
    glfwGetFramebufferSize(window_.get(), &size[0], &size[1]);
    return size;
  }

  /// A file dropped on the window: of a painting where the method takes one, a trained set, or a character.
  void take(const std::filesystem::path& path) {
    if (path.extension() == ".npz" && app_.scene() != nullptr && Brush::takes(app_.params())) {
      app_.load_painting(path);
    } else if (path.extension() == ".npz" && app_.scene() != nullptr) {
      app_.load_set(path);
    } else {
      app_.open(path);
    }
  }

  void draw(const Size& size) {
    app_.set_size(size);
    bool drawn = false;
    app_.attempt([&] {
      if (!target_ || target_->size() != size) target_.emplace(size, samples_);
      drawn = app_.draw(*target_);
    });
    if (drawn) glBindFramebuffer(GL_READ_FRAMEBUFFER, target_->resolve());
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    if (drawn) {
      glBlitFramebuffer(0, 0, size[0], size[1], 0, 0, size[0], size[1], GL_COLOR_BUFFER_BIT, GL_NEAREST);
    } else {
      const draw::Colour background = Style().background;
      glClearColor(float(background[0]), float(background[1]), float(background[2]), 1.0F);
      glClear(GL_COLOR_BUFFER_BIT);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    gui_->begin();
    use_mouse();
    draw_brush();
    if (panel_.draw(app_).save_picture) save_picture();
    gui_->end();
    glfwSwapBuffers(window_.get());
  }

  /// The brush has the left button while it is on and shift is not held, the camera all else.
  void use_mouse() {
    const ImGuiIO& io = ImGui::GetIO();
    const double x = double(io.MousePos.x * io.DisplayFramebufferScale.x);
    const double y = double(io.MousePos.y * io.DisplayFramebufferScale.y);
    if (app_.brush().dragging()) {
      app_.attempt([&] {
        app_.paint_to(x, y);
        if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) app_.paint_up();
      });
      return;
    }
    if (io.WantCaptureMouse) return;
    if (app_.brush().settings.on && !io.KeyShift && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
      app_.paint_down(x, y);
    } else {
      move_camera(io);
    }
  }

  /// A circle round what a drag would paint, or take away.
  void draw_brush() {
    const ImGuiIO& io = ImGui::GetIO();
    if (!app_.brush().settings.on || !Brush::takes(app_.params()) || io.WantCaptureMouse) return;
    const ImVec2 scale = io.DisplayFramebufferScale;
    const auto radius = app_.brush_radius(double(io.MousePos.x * scale.x), double(io.MousePos.y * scale.y));
    if (!radius) return;
    const auto pixels = float(*radius) / scale.y;
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    const bool erases = app_.brush().settings.erase;
    // Dark round light, so that it is seen on any cloth.
    list->AddCircle(io.MousePos, pixels, IM_COL32(0, 0, 0, 160), 0, 3.0F);
    list->AddCircle(io.MousePos, pixels, erases ? IM_COL32(255, 150, 130, 255) : IM_COL32(255, 255, 255, 255), 0, 1.5F);
  }

  void move_camera(const ImGuiIO& io) {
    const double right = double(io.MouseDelta.x);
    const double down = double(io.MouseDelta.y);
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Left)) app_.turn(-kDegreesPerPixel * right, kDegreesPerPixel * down);
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Right) || ImGui::IsMouseDragging(ImGuiMouseButton_Middle))
      app_.shift(-right, down);
    if (io.MouseWheel != 0.0F) app_.zoom(std::pow(kZoomPerNotch, -double(io.MouseWheel)));
  }

  void press(int key) {
    switch (key) {
      case GLFW_KEY_SPACE:
        app_.playback.playing = !app_.playback.playing;
        break;
      case GLFW_KEY_LEFT:
        app_.step(-1);
        break;
      case GLFW_KEY_RIGHT:
        app_.step(1);
        break;
      case GLFW_KEY_HOME:
        app_.show_frame(0);
        break;
      case GLFW_KEY_P:
        next_profile();
        break;
      case GLFW_KEY_M:
        next_method();
        break;
      case GLFW_KEY_S:
        save_picture();
        break;
      case GLFW_KEY_TAB:
        panel_.toggle();
        break;
      case GLFW_KEY_F:
        app_.look_from(draw::named_view(draw::kUsualView));
        break;
      default:
        if (Brush::takes(app_.params())) app_.attempt([&] { press_for_brush(key); });
        break;
    }
  }

  void press_for_brush(int key) {
    BrushSettings& settings = app_.brush().settings;
    switch (key) {
      case GLFW_KEY_B:
        settings.on = !settings.on;
        break;
      case GLFW_KEY_E:
        settings.erase = !settings.erase;
        break;
      case GLFW_KEY_R:
        app_.paint_random();
        break;
      case GLFW_KEY_Z:
        app_.undo_painting();
        break;
      case GLFW_KEY_W:
        app_.save_painting();
        break;
      default:
        break;
    }
  }

  /// The next method that the clip can be run with as things are.
  void next_method() {
    const std::span<const MethodType* const> all = methods();
    const MethodType* const before = &app_.method_type();
    const auto at = std::size_t(std::ranges::find(all, before) - all.begin());
    for (std::size_t k = 1; k < all.size() && &app_.method_type() == before; ++k)
      app_.attempt([&] { app_.set_method(*all[(at + k) % all.size()]); });
  }

  void next_profile() {
    std::unique_ptr<AnyParams> params = app_.params().clone();
    if (next_choice(*params, "profile")) app_.attempt([&] { app_.set_params(std::move(params)); });
  }

  void save_picture() {
    app_.attempt([&] {
      require(target_.has_value(), "there is no picture to save yet");
      app_.save_picture(*target_);
    });
  }

  Glfw glfw_;
  int samples_;
  std::optional<int> parent_;
  WindowHandle window_;
  App app_;
  Panel panel_;
  std::optional<Gui> gui_;
  std::optional<Target> target_;
};

}  // namespace

void run_window(const Options& options) { Viewer(options).run(); }

}  // namespace pucker::viewer
