#include "maps.h"

#include "pucker/errors.h"

namespace pucker::viewer {

void Maps::begin(const std::array<draw::Size, draw::kMaps.size()>& sizes) {
  for (std::size_t k = 0; k < maps_.size(); ++k) {
    if (sizes[k] == draw::Size{}) continue;
    glActiveTexture(GL_TEXTURE0 + GLenum(draw::kMaps[k].unit));
    if (maps_[k].size != sizes[k]) maps_[k] = make(draw::kMaps[k], sizes[k]);
    glBindTexture(GL_TEXTURE_2D, maps_[k].texture.name());
  }
}

void Maps::use(draw::Into into) const {
  const Map& map = maps_[std::size_t(into)];
  glBindFramebuffer(GL_FRAMEBUFFER, map.framebuffer.name());
  glViewport(0, 0, map.size[0], map.size[1]);
  glClearColor(0.0F, 0.0F, 0.0F, 0.0F);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

Maps::Map Maps::make(const draw::MapFormat& format, const draw::Size& size) {
  const bool depths = format.numbers == 0;
  Map map{.size = size,
          .texture = generate<Texture>(glGenTextures),
          .depth = {},
          .framebuffer = generate<Framebuffer>(glGenFramebuffers)};
  glBindTexture(GL_TEXTURE_2D, map.texture.name());
  const GLenum numbers = format.numbers == 1 ? GL_R32F : GL_RG32F;
  glTexStorage2D(GL_TEXTURE_2D, 1, depths ? GL_DEPTH_COMPONENT24 : numbers, size[0], size[1]);
  for (const int filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
    glTexParameteri(GL_TEXTURE_2D, GLenum(filter), depths ? GL_LINEAR : GL_NEAREST);
  for (const int side : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
    glTexParameteri(GL_TEXTURE_2D, GLenum(side), GL_CLAMP_TO_EDGE);
  if (depths) {
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
  }
  glBindFramebuffer(GL_FRAMEBUFFER, map.framebuffer.name());
  glFramebufferTexture2D(GL_FRAMEBUFFER, depths ? GL_DEPTH_ATTACHMENT : GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                         map.texture.name(), 0);
  if (depths) glDrawBuffer(GL_NONE);
  if (!depths && format.has_depth) {
    map.depth = generate<Renderbuffer>(glGenRenderbuffers);
    glBindRenderbuffer(GL_RENDERBUFFER, map.depth.name());
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, size[0], size[1]);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, map.depth.name());
  }
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    throw Error(message("the device cannot draw a map ", format.name, " of ", size[0], " x ", size[1], " texels"));
  return map;
}

}  // namespace pucker::viewer
