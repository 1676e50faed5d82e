#include "diagram/restrictions.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace primewood::diagram {

namespace {

bool contains(const std::vector<int>& values, int value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

Restrictions::Restrictions(const Diagram& diagram, const ReasonQuery& query) : diagram_(diagram), query_(query) {
  assert(static_cast<int>(query.ordered.size()) == diagram.depth());
  assert(query.instance.empty() || diagram.contains(query.instance));
  for (int j = 0; j < diagram.depth(); j++) {
    groups_.push_back(group_values(j));
    first_.push_back(declare(j));
  }
}

int Restrictions::runs(int level) const { return static_cast<int>(groups_[level].size()) - (can_miss(level) ? 1 : 0); }

int Restrictions::own_run(int level) const {
  int run = 0;
  while (!is_own(level, groups_[level][run])) run++;
  return run;
}

bool Restrictions::is_own(int level, const std::vector<int>& group) const {
  return has_instance() && contains(group, query_.instance[level]);
}

Restrictions::Groups Restrictions::group_values(int level) const {
  if (!query_.contrast && query_.language != Language::kValues)
    return is_line(level) ? group_equal_neighbours(level) : group_equal_columns(level);
  Groups groups;
  for (int v = 0; v < diagram_.width(level); v++) groups.push_back({v});
  return groups;
}

Restrictions::Groups Restrictions::group_equal_columns(int level) const {
  Groups groups;
  for (int v = 0; v < diagram_.width(level); v++) {
    const auto is_same = [&](const std::vector<int>& group) { return is_same_column(level, group[0], v); };
    const auto found = std::find_if(groups.begin(), groups.end(), is_same);
    if (found == groups.end()) {
      groups.push_back({v});
    } else {
      found->push_back(v);
    }
  }
  return groups;
}

Restrictions::Groups Restrictions::group_equal_neighbours(int level) const {
  Groups groups;
  for (int v = 0; v < diagram_.width(level); v++) {
    if (v > 0 && v < query_.ordered[level] && is_same_column(level, v - 1, v)) {
      groups.back().push_back(v);
    } else {
      groups.push_back({v});
    }
  }
  return groups;
}

bool Restrictions::is_same_column(int level, int v, int w) const {
  for (Id i = 0; i < diagram_.nodes(level); i++)
    if (diagram_.row(level, i)[v] != diagram_.row(level, i)[w]) return false;
  return true;
}

bool Restrictions::matters(int level) const {
  for (int v = 1; v < diagram_.width(level); v++)
    if (!is_same_column(level, 0, v)) return true;
  return false;
}

int Restrictions::declare(int level) {
  if (!matters(level)) return kNone;
  const int first = static_cast<int>(restrictions_.size());
  if (query_.language == Language::kValues) {
    declare_values(level);
  } else if (is_line(level)) {
    declare_line(level);
  } else {
    declare_sets(level);
  }
  return first;
}

void Restrictions::declare_values(int level) {
  for (int value = 0; value < diagram_.width(level); value++) {
    if (has_instance() && value != query_.instance[level]) continue;
    std::vector<int> others;
    for (int v = 0; v < diagram_.width(level); v++)
      if (v != value) others.push_back(v);
    add(level, std::move(others));
  }
}

void Restrictions::declare_sets(int level) {
  for (const std::vector<int>& group : groups_[level])
    if (!is_own(level, group)) add(level, group);
}

void Restrictions::declare_line(int level) {
  if (can_miss(level) && (!has_instance() || is_missing(level))) {
    std::vector<int> numbers(query_.ordered[level]);
    std::iota(numbers.begin(), numbers.end(), 0);
    add(level, std::move(numbers));
  }
  if (is_missing(level) && goes_outwards()) return;
  declare_chains(level);
  if (can_miss(level) && !is_missing(level)) add(level, {query_.ordered[level]});
}

void Restrictions::declare_chains(int level) {
  const int n = runs(level);
  const bool around = has_instance() && !is_missing(level);
  const int own = around ? own_run(level) : -1;
  std::vector<int> lower, upper;
  for (int k = 0; k < (around ? own : n - 1); k++) lower.push_back(k);
  for (int k = n - 1; k > (around ? own : 0); k--) upper.push_back(k);
  if (goes_outwards()) {
    std::reverse(lower.begin(), lower.end());
    std::reverse(upper.begin(), upper.end());
  }
  for (const int k : lower) add(level, groups_[level][k]);
  for (const int k : upper) add(level, groups_[level][k]);
}

void Restrictions::add(int level, std::vector<int> values) { restrictions_.push_back({level, std::move(values)}); }

}  // namespace primewood::diagram
