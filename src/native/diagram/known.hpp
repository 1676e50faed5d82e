// What is known about the states of one level: by residual parts, then by where the result holds.
#pragma once

#include "diagram/levels.hpp"
#include "diagram/votes.hpp"

namespace primewood::diagram {

class Known {
 public:
  static constexpr Id kNone = -1;

  // An entry holds for a region of sums (its need, one number per pair of classes), or for one path alone.
  explicit Known(int pairs) : pairs_(pairs) {}

  // The number of a set of residual parts.
  Id key(const std::vector<Id>& parts) {
    std::size_t place = hash_of(parts.data(), parts.size()) & (slots_.size() - 1);
    for (; slots_[place] >= 0; place = (place + 1) & (slots_.size() - 1)) {
      const Id k = slots_[place];
      if (start_[k + 1] - start_[k] == parts.size() && std::equal(parts.begin(), parts.end(), keys_.data() + start_[k]))
        return k;
    }
    const Id fresh = Id(newest_.size());
    slots_[place] = fresh;
    keys_.insert(keys_.end(), parts.begin(), parts.end());
    start_.push_back(keys_.size());
    newest_.push_back(kNone);
    if (std::size_t(fresh) * 2 > slots_.size()) enlarge();
    return fresh;
  }

  Id newest(Id key) const { return newest_[key]; }
  Id older(Id entry) const { return older_[entry]; }
  Id node(Id entry) const { return node_[entry]; }
  Id path(Id entry) const { return path_[entry]; }
  const Int* need(Id entry) const { return need_.data() + std::size_t(entry) * pairs_; }

  void add(Id key, Id node, const std::vector<Int>& need, Id path) {
    need_.insert(need_.end(), need.begin(), need.end());
    node_.push_back(node);
    path_.push_back(path);
    older_.push_back(newest_[key]);
    newest_[key] = Id(node_.size()) - 1;
  }

  // The number of a path, given by what is left of every tree.
  Id path_number(const std::vector<Edge>& trees) {
    if (paths_.size() == 0) paths_ = RowTable<Id>(2 * int(trees.size()));
    return paths_.intern(&trees[0].node);
  }

 private:
  void enlarge() {
    slots_.assign(slots_.size() * 2, -1);
    for (std::size_t k = 0; k < newest_.size(); k++) {
      std::size_t place = hash_of(keys_.data() + start_[k], start_[k + 1] - start_[k]) & (slots_.size() - 1);
      while (slots_[place] >= 0) place = (place + 1) & (slots_.size() - 1);
      slots_[place] = Id(k);
    }
  }

  const int pairs_;
  std::vector<Id> keys_;  // all sets of parts, one after the other
  std::vector<std::size_t> start_{0};
  std::vector<Id> newest_;
  std::vector<Id> slots_ = std::vector<Id>(64, -1);
  std::vector<Int> need_;
  std::vector<Id> node_, older_, path_;
  RowTable<Id> paths_;
};

}  // namespace primewood::diagram
