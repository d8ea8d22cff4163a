/// A surface in the GPU's memory.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "gl.h"
#include "pucker/draw/surface.h"

namespace pucker::viewer {

using Textures = std::vector<Texture>;

/// The buffers of a draw::Surface, which are sent what has changed of it.
class DrawnSurface {
 public:
  DrawnSurface(std::shared_ptr<draw::Surface> content, std::shared_ptr<const Textures> textures)
      : content_(std::move(content)), textures_(std::move(textures)) {}

  /// What the buffers are to hold; send() brings them up to date.
  draw::Surface& content() { return *content_; }
  void send();
  /// Binds the buffers where the shaders read them.
  void bind() const;
  /// Name of a texture, 0 for none.
  GLuint texture(std::int32_t number) const { return number < 0 ? 0 : (*textures_)[std::size_t(number)].name(); }

 private:
  std::shared_ptr<draw::Surface> content_;
  std::shared_ptr<const Textures> textures_;
  std::array<Buffer, draw::kSurfaceBindings> buffers_;
};

}  // namespace pucker::viewer
