/// Nodes that name one another, counted as if each were written out wherever it is named.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "pucker/io/limits.h"

namespace pucker::io {

class NodeGraph {
 public:
  /// A node with `vertices` of its own; its number.
  std::size_t add(double vertices = 0.0) {
    nodes_.emplace_back().vertices = vertices;
    return nodes_.size() - 1;
  }
  void add_child(std::size_t node, std::size_t child) { nodes_[node].children.push_back(child); }
  std::size_t size() const { return nodes_.size(); }

  /// Throws Error if what `roots` and all below them expand to takes more than the limit of memory, nodes hold
  /// themselves, or are nested deeper than readers recurse.
  void check(const std::filesystem::path& path, const std::vector<std::size_t>& roots, const Limits& limits);

 private:
  enum class Visit : std::uint8_t { none, under_way, done };
  struct Entry {
    std::vector<std::size_t> children;
    double vertices = 0.0;  // at first its own, then those below too
    double nodes = 1.0;
    int depth = 1;
    Visit visit = Visit::none;
  };

  void expand(const std::filesystem::path& path, std::size_t root);

  std::vector<Entry> nodes_;
};

}  // namespace pucker::io
