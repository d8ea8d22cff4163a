#include "gl.h"

#include <algorithm>

namespace pucker::viewer {

namespace {
// A buffer of no bytes cannot be bound.
constexpr std::size_t kSmallest = 64;
}  // namespace

Buffer::Buffer() : handle_(generate<Handle<delete_buffer>>(glGenBuffers)) { reserve(kSmallest); }

void Buffer::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return;
  capacity_ = std::max(bytes, 2 * capacity_);
  glBindBuffer(GL_COPY_WRITE_BUFFER, handle_.name());
  glBufferData(GL_COPY_WRITE_BUFFER, GLsizeiptr(capacity_), nullptr, GL_DYNAMIC_DRAW);
}

void Buffer::write_bytes(std::span<const std::byte> bytes) {
  reserve(bytes.size());
  if (bytes.empty()) return;
  glBindBuffer(GL_COPY_WRITE_BUFFER, handle_.name());
  glBufferSubData(GL_COPY_WRITE_BUFFER, 0, GLsizeiptr(bytes.size()), bytes.data());
}

void Buffer::bind(GLenum target, GLuint binding) const { glBindBufferBase(target, binding, handle_.name()); }

}  // namespace pucker::viewer
