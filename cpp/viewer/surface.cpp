#include "surface.h"

namespace pucker::viewer {

DrawnSurface::DrawnSurface(std::shared_ptr<draw::Surface> content, std::shared_ptr<const Textures> textures)
    : content_(std::move(content)), textures_(std::move(textures)) {
  for (const Buffer& buffer : buffers_) objects_.buffers.push_back(buffer.name());
  for (const Texture& texture : *textures_) objects_.textures.push_back(texture.name());
}

void DrawnSurface::send() {
  for (const draw::Upload& upload : content_->take_uploads()) {
    Buffer& buffer = buffers_[upload.binding];
    buffer.reserve(upload.size);
    buffer.write(upload.bytes);
  }
}

}  // namespace pucker::viewer
