#include "context.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <array>
#include <vector>

#include "pucker/errors.h"

namespace pucker::viewer {

namespace {

std::vector<EGLDisplay> candidate_displays() {
  const char* extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  const std::string offered = extensions == nullptr ? "" : extensions;
  const auto offers = [&](const char* name) { return offered.find(name) != std::string::npos; };
  std::vector<EGLDisplay> displays;
  if (offers("EGL_EXT_device_enumeration") && offers("EGL_EXT_platform_device")) {
    std::array<EGLDeviceEXT, 16> devices{};
    EGLint count = 0;
    eglQueryDevicesEXT(EGLint(devices.size()), devices.data(), &count);
    for (std::size_t k = 0; k < std::size_t(count); ++k)
      displays.push_back(eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[k], nullptr));
  }
  if (offers("EGL_MESA_platform_surfaceless"))
    displays.push_back(eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
  displays.push_back(eglGetDisplay(EGL_DEFAULT_DISPLAY));
  return displays;
}

EGLContext make_context(EGLDisplay display, bool needed_version) {
  // No surface is made; left out, the type would be that of a window.
  const std::array<EGLint, 5> any_surface{EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglBindAPI(EGL_OPENGL_API) == EGL_FALSE ||
      eglChooseConfig(display, any_surface.data(), &config, 1, &count) == EGL_FALSE || count == 0)
    return EGL_NO_CONTEXT;
  const std::array<EGLint, 7> version{EGL_CONTEXT_MAJOR_VERSION,
                                      kNeededMajor,
                                      EGL_CONTEXT_MINOR_VERSION,
                                      kNeededMinor,
                                      EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                      EGL_NONE};
  const EGLint nothing = EGL_NONE;
  return eglCreateContext(display, config, EGL_NO_CONTEXT, needed_version ? version.data() : &nothing);
}

}  // namespace

std::string too_old_message(const std::string& found) {
  const std::string needed = message("OpenGL ", kNeededMajor, ".", kNeededMinor, " is needed, ");
  if (!found.empty()) return needed + "found " + found;
  return needed + "found none; on Debian install libegl1 libegl-mesa0 libgl1-mesa-dri libgl1";
}

struct HeadlessContext::State {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;

  ~State() {
    if (display == EGL_NO_DISPLAY) return;
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    eglTerminate(display);
  }

  bool open(EGLDisplay candidate, bool needed_version) {
    if (candidate == EGL_NO_DISPLAY || eglInitialize(candidate, nullptr, nullptr) == EGL_FALSE) return false;
    display = candidate;
    context = make_context(display, needed_version);
    return context != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_TRUE;
  }
};

HeadlessContext::HeadlessContext() {
  const std::vector<EGLDisplay> displays = candidate_displays();
  for (const EGLDisplay display : displays) {
    state_ = std::make_unique<State>();
    if (state_->open(display, true)) return;
  }
  std::string found;
  for (const EGLDisplay display : displays) {
    state_ = std::make_unique<State>();
    if (found.empty() && state_->open(display, false)) found = reinterpret_cast<const char*>(glGetString(GL_VERSION));
  }
  throw Error(too_old_message(found));
}

HeadlessContext::~HeadlessContext() = default;

}  // namespace pucker::viewer
