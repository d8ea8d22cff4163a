/// OpenGL objects that free themselves.
#pragma once

#include <epoxy/gl.h>

#include <cstddef>
#include <span>
#include <utility>

namespace pucker::viewer {

/// A name of an OpenGL object and the function that deletes it.
template <void (*Delete)(GLuint)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(GLuint name) : name_(name) {}
  Handle(Handle&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  ~Handle() {
    if (name_ != 0) Delete(name_);
  }

  GLuint name() const { return name_; }

 private:
  GLuint name_ = 0;
};

inline void delete_buffer(GLuint name) { glDeleteBuffers(1, &name); }
inline void delete_texture(GLuint name) { glDeleteTextures(1, &name); }
inline void delete_renderbuffer(GLuint name) { glDeleteRenderbuffers(1, &name); }
inline void delete_framebuffer(GLuint name) { glDeleteFramebuffers(1, &name); }
inline void delete_vertex_array(GLuint name) { glDeleteVertexArrays(1, &name); }
inline void delete_query(GLuint name) { glDeleteQueries(1, &name); }
inline void delete_shader(GLuint name) { glDeleteShader(name); }
inline void delete_program(GLuint name) { glDeleteProgram(name); }

using Texture = Handle<delete_texture>;
using Renderbuffer = Handle<delete_renderbuffer>;
using Framebuffer = Handle<delete_framebuffer>;
using VertexArray = Handle<delete_vertex_array>;
using Query = Handle<delete_query>;
using Shader = Handle<delete_shader>;

/// A new object from one of OpenGL's glGen… functions.
template <class Object, class Generate>
Object generate(const Generate& function) {
  GLuint name = 0;
  function(1, &name);
  return Object(name);
}

/// A buffer that at least doubles when it grows, so that its total reallocation cost stays linear.
class Buffer {
 public:
  Buffer();

  /// Makes room for so many bytes; growing loses the content. Throws Error if the device has no room.
  void reserve(std::size_t bytes);
  /// Replaces the content.
  template <class Range>
  void write(const Range& values) {
    write_bytes(std::as_bytes(std::span(values)));
  }
  /// Stays the same when it grows.
  GLuint name() const { return handle_.name(); }

 private:
  void write_bytes(std::span<const std::byte> bytes);

  Handle<delete_buffer> handle_;
  std::size_t capacity_ = 0;
};

}  // namespace pucker::viewer
