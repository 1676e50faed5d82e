#include "search/paths.hpp"

namespace primewood::search {

void Paths::walk(const std::vector<int>& x) {
  const std::size_t trees = margin_.roots.size();
  words_ = (trees + kBits - 1) / kBits;
  testing_.assign(x.size() * words_, 0);
  if (path_.size() < trees) path_.resize(trees);
  weight_.assign(trees, 0);
  total_ = margin_.base;
  for (std::size_t tree = 0; tree < trees; tree++) walk_tree(tree, x);
}

void Paths::walk_again(int j, const std::vector<int>& x) {
  for_each_tree(j, [&](std::size_t tree) {
    const std::uint64_t bit = std::uint64_t(1) << tree % kBits;
    for (int tested : path_[tree]) word(tested, tree) &= ~bit;
    walk_tree(tree, x);
  });
}

void Paths::walk_tree(std::size_t tree, const std::vector<int>& x) {
  const std::uint64_t bit = std::uint64_t(1) << tree % kBits;
  auto& path = path_[tree];
  path.clear();
  int b = margin_.roots[tree];
  while (margin_.branches[b].variable >= 0) {
    const Branch& branch = margin_.branches[b];
    path.push_back(branch.variable);
    word(branch.variable, tree) |= bit;
    b = margin_.goes_left(branch, x[branch.variable]) ? branch.left : branch.right;
  }
  total_ += margin_.branches[b].weight - weight_[tree];
  weight_[tree] = margin_.branches[b].weight;
}

}  // namespace primewood::search
