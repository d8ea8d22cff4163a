/// Textures that are drawn before a picture and read while it is drawn: depths seen from the light, and occlusion.
#pragma once

#include <array>

#include "gl.h"
#include "pucker/draw/picture.h"

namespace pucker::viewer {

/// The textures of one renderer, made when they are first drawn and anew when their size changes.
class Maps {
 public:
  /// Makes those of a picture and binds them where the shaders read them; the size (0, 0) is that of none. Throws Error
  /// if the device cannot draw into them.
  void begin(const std::array<draw::Size, draw::kMaps.size()>& sizes);
  /// Has what follows be drawn into a texture, which is cleared.
  void use(draw::Into into) const;

 private:
  struct Map {
    draw::Size size{};
    Texture texture;
    Renderbuffer depth;
    Framebuffer framebuffer;
  };
  static Map make(const draw::MapFormat& format, const draw::Size& size);

  std::array<Map, draw::kMaps.size()> maps_;
};

}  // namespace pucker::viewer
