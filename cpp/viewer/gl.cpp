#include "gl.h"

#include <algorithm>

#include "pucker/errors.h"

namespace pucker::viewer {

namespace {
// A buffer of no bytes cannot be bound.
constexpr std::size_t kSmallest = 64;
}  // namespace

Buffer::Buffer() : handle_(generate<Handle<delete_buffer>>(glGenBuffers)) { reserve(kSmallest); }

void Buffer::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return;
  GLint64 most = 0;
  glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most);
  if (bytes > std::size_t(most))
    throw Error(message("the device offers at most ", most, " bytes a buffer, ", bytes, " are needed"));
  const std::size_t size = std::min(std::max(bytes, 2 * capacity_), std::size_t(most));
  glBindBuffer(GL_COPY_WRITE_BUFFER, handle_.name());
  glBufferData(GL_COPY_WRITE_BUFFER, GLsizeiptr(size), nullptr, GL_DYNAMIC_DRAW);
  if (glGetError() == GL_OUT_OF_MEMORY) throw Error(message("the device has no room for a buffer of ", size, " bytes"));
  capacity_ = size;
}

void Buffer::write_bytes(std::span<const std::byte> bytes) {
  reserve(bytes.size());
  if (bytes.empty()) return;
  glBindBuffer(GL_COPY_WRITE_BUFFER, handle_.name());
  glBufferSubData(GL_COPY_WRITE_BUFFER, 0, GLsizeiptr(bytes.size()), bytes.data());
}

}  // namespace pucker::viewer
