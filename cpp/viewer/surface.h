/// A surface in the GPU's memory.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "gl.h"
#include "pucker/draw/execution.h"
#include "pucker/draw/surface.h"

namespace pucker::viewer {

using Textures = std::vector<Texture>;

/// The buffers of a draw::Surface, which are sent what has changed of it.
class DrawnSurface {
 public:
  DrawnSurface(std::shared_ptr<draw::Surface> content, std::shared_ptr<const Textures> textures);

  /// What the buffers are to hold; send() brings them up to date.
  draw::Surface& content() { return *content_; }
  void send();
  /// Names of its buffers, which growing keeps, and of its textures.
  const draw::SurfaceObjects& objects() const { return objects_; }

 private:
  std::shared_ptr<draw::Surface> content_;
  std::shared_ptr<const Textures> textures_;
  std::array<Buffer, draw::kSurfaceBindings> buffers_;
  draw::SurfaceObjects objects_;
};

}  // namespace pucker::viewer
