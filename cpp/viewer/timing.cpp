#include "timing.h"

namespace pucker::viewer {

Query PassTimer::take() {
  if (spare_.empty()) return generate<Query>(glGenQueries);
  Query query = std::move(spare_.back());
  spare_.pop_back();
  return query;
}

void PassTimer::collect() {
  while (!waiting_.empty()) {
    Queries& oldest = waiting_.front();
    if (!oldest.empty()) {
      // Queries end in order: with the last one, all are finished.
      GLuint available = GL_FALSE;
      glGetQueryObjectuiv(oldest.back().second.name(), GL_QUERY_RESULT_AVAILABLE, &available);
      if (available == GL_FALSE) return;
    }
    seconds_.fill(0.0);
    for (auto& [pass, query] : oldest) {
      GLuint64 nanoseconds = 0;
      glGetQueryObjectui64v(query.name(), GL_QUERY_RESULT, &nanoseconds);
      seconds_[std::size_t(pass)] += 1e-9 * double(nanoseconds);
      spare_.push_back(std::move(query));
    }
    waiting_.pop_front();
  }
}

}  // namespace pucker::viewer
