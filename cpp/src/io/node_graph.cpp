#include "node_graph.h"

#include <algorithm>
#include <utility>

#include "files.h"

namespace pucker::io {
namespace {

// What a node takes as assimp has it and as it is kept here, and a vertex wherever a node places it; bytes, about.
constexpr double kNodeBytes = 1024.0;
constexpr double kVertexBytes = 256.0;
// Readers go down the hierarchy by calling themselves.
constexpr int kDeepest = 2000;

}  // namespace

void NodeGraph::check(const std::filesystem::path& path, const std::vector<std::size_t>& roots, const Limits& limits) {
  double nodes = 0.0;
  double vertices = 0.0;
  for (const std::size_t root : roots) {
    expand(path, root);
    nodes += nodes_[root].nodes;
    vertices += nodes_[root].vertices;
  }
  const double bytes = kNodeBytes * nodes + kVertexBytes * vertices;
  if (!(bytes <= double(limits.memory)))
    fail(path, "its nodes, written out wherever they are named, are ", nodes, " with ", vertices,
         " vertices, which take ", bytes, " bytes; ", limit_of_memory(limits));
}

// Depth first, with a stack of its own: a file may nest nodes deeper than a thread's stack goes.
void NodeGraph::expand(const std::filesystem::path& path, std::size_t root) {
  std::vector<std::pair<std::size_t, std::size_t>> stack;  // nodes and how many of their children were seen
  if (nodes_[root].visit == Visit::none) stack.emplace_back(root, 0);
  while (!stack.empty()) {
    const std::size_t number = stack.back().first;
    Entry& node = nodes_[number];
    node.visit = Visit::under_way;
    if (stack.back().second == node.children.size()) {
      for (const std::size_t child : node.children) {
        node.nodes += nodes_[child].nodes;
        node.vertices += nodes_[child].vertices;
        node.depth = std::max(node.depth, 1 + nodes_[child].depth);
      }
      if (node.depth > kDeepest) fail(path, "its nodes are nested deeper than ", kDeepest);
      node.visit = Visit::done;
      stack.pop_back();
      continue;
    }
    const std::size_t child = node.children[stack.back().second++];
    if (nodes_[child].visit == Visit::under_way) fail(path, "node ", child, " of the file is below itself");
    if (nodes_[child].visit == Visit::none) stack.emplace_back(child, 0);
  }
}

}  // namespace pucker::io
