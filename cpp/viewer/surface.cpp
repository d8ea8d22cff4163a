#include "surface.h"

namespace pucker::viewer {

void DrawnSurface::send() {
  for (const draw::Upload& upload : content_->take_uploads()) {
    Buffer& buffer = buffers_[upload.binding];
    buffer.reserve(upload.size);
    buffer.write(upload.bytes);
  }
}

void DrawnSurface::bind() const {
  for (std::size_t block = 0; block < buffers_.size(); ++block)
    buffers_[block].bind(GL_SHADER_STORAGE_BUFFER, GLuint(block));
}

}  // namespace pucker::viewer
