#include "diagram/blocks.hpp"

#include <cassert>
#include <utility>

namespace primewood::diagram {

Blocks::Blocks(const Diagram& diagram, const ReasonQuery& query, const Restrictions& restrictions, Reasons& reasons)
    : diagram_(diagram),
      query_(query),
      restrictions_(restrictions),
      outwards_(restrictions.goes_outwards()),
      reasons_(reasons) {}

Id Blocks::make_reason() {
  std::vector<Id> functions(diagram_.terminals());
  for (Id t = 0; t < diagram_.terminals(); t++) functions[t] = (t == query_.label) != outwards_ ? 1 : 0;
  for (int j = diagram_.depth() - 1; j >= 0; j--) functions = make_level(j, functions);
  const Id reason = functions[diagram_.root()];
  return query_.contrast && !outwards_ ? reasons_.dual(reason) : reason;
}

Id Blocks::make_nothing_left() {
  const std::vector<Restriction>& all = restrictions_.all();
  Id result = 0;
  for (int last = static_cast<int>(all.size()) - 1; last >= 0;) {
    const int level = all[last].level, first = restrictions_.first(level);
    if (query_.language != Language::kValues && !restrictions_.is_line(level)) {
      Id excluded = 1;
      for (int e = last; e >= first; e--) excluded = reasons_.node(e, result, excluded);
      result = excluded;
    }
    last = first - 1;
  }
  return result;
}

std::vector<Id> Blocks::make_level(int level, const std::vector<Id>& below) {
  std::vector<Id> here(diagram_.nodes(level)), children(diagram_.width(level));
  for (Id i = 0; i < diagram_.nodes(level); i++) {
    for (int v = 0; v < diagram_.width(level); v++) children[v] = below[diagram_.row(level, i)[v]];
    here[i] = make_block(level, children);
  }
  return here;
}

Id Blocks::make_block(int level, const std::vector<Id>& children) {
  if (restrictions_.first(level) == kNone) return children[0];
  if (query_.language == Language::kValues) return make_values(level, children);
  return restrictions_.is_line(level) ? make_line(level, children) : make_sets(level, children);
}

Id Blocks::make_sets(int level, const std::vector<Id>& children) {
  std::vector<Id> atoms;
  Id result = neutral();
  for (const std::vector<int>& group : restrictions_.groups(level)) {
    if (restrictions_.is_own(level, group))
      result = children[group[0]];
    else
      atoms.push_back(children[group[0]]);
  }
  const int first = restrictions_.first(level);
  for (int e = static_cast<int>(atoms.size()) - 1; e >= 0; e--)
    result = make_choice(first + e, join(atoms[e], result), result);
  return result;
}

Id Blocks::make_values(int level, const std::vector<Id>& children) {
  const int first = restrictions_.first(level);
  Id result = 1;
  for (const Id child : children) result = reasons_.conjunction(result, child);
  if (restrictions_.has_instance()) return reasons_.node(first, result, children[query_.instance[level]]);
  for (int v = diagram_.width(level) - 1; v >= 0; v--) result = reasons_.node(first + v, result, children[v]);
  return result;
}

Id Blocks::make_line(int level, const std::vector<Id>& children) {
  const int first = restrictions_.first(level), n = restrictions_.runs(level);
  const bool can_miss = restrictions_.can_miss(level);
  Line line{{}, can_miss ? children[query_.ordered[level]] : neutral(), kNone};
  for (int k = 0; k < n; k++) line.runs.push_back(children[restrictions_.groups(level)[k][0]]);
  if (restrictions_.is_missing(level)) return make_missing(first, std::move(line));
  if (restrictions_.has_instance()) {
    if (can_miss) line.flag = first + n - 1;
    return make_around(first, restrictions_.own_run(level), line);
  }
  if (!can_miss) return make_ranges(first, first + n - 1, line);
  line.flag = first + 1 + 2 * (n - 1);
  return reasons_.node(first, make_ranges(first + 1, first + n, line), line.missing);
}

Id Blocks::make_missing(int first, Line line) {
  const Id missing = line.missing;
  if (outwards_) {
    Id all = missing;
    for (const Id run : line.runs) all = join(all, run);
    return reasons_.node(first, missing, all);
  }
  const int n = static_cast<int>(line.runs.size());
  for (Id& run : line.runs) run = reasons_.conjunction(run, missing);
  return reasons_.node(first, make_ranges(first + 1, first + n, line), missing);
}

Id Blocks::add_missing(Id numbers, const Line& line) {
  if (line.flag == kNone) return numbers;
  return make_choice(line.flag, join(numbers, line.missing), numbers);
}

Id Blocks::make_ranges(int lower, int upper, const Line& line) {
  const int n = static_cast<int>(line.runs.size());
  Id result = 0;
  for (int low = n - 1; low >= 0; low--) {
    Id inside = line.runs[low], here = add_missing(inside, line);
    for (int high = low + 1; high < n; high++) {
      inside = reasons_.conjunction(inside, line.runs[high]);
      here = reasons_.node(upper + (n - 1 - high), add_missing(inside, line), here);
    }
    result = low == n - 1 ? here : reasons_.node(lower + low, here, result);
  }
  return result;
}

Id Blocks::make_around(int first, int own, const Line& line) {
  std::vector<Id> reach{line.runs[own]};  // allowed down to the own run, to the one below it, ...
  for (int k = own - 1; k >= 0; k--) reach.push_back(join(reach.back(), line.runs[k]));
  const int upper = first + own;
  Id result = make_above(upper, own, reach[outwards_ ? own : 0], line);
  for (int s = 1; s <= own; s++) {
    const Id stop = make_above(upper, own, reach[outwards_ ? own - s : s], line);
    result = reasons_.node(upper - s, stop, result);
  }
  return result;
}

Id Blocks::make_above(int upper, int own, Id inside, const Line& line) {
  const int steps = static_cast<int>(line.runs.size()) - 1 - own;
  std::vector<Id> reach{inside};  // allowed up to the own run, to the one above it, ...
  for (int k = own + 1; k <= own + steps; k++) reach.push_back(join(reach.back(), line.runs[k]));
  Id result = add_missing(reach[outwards_ ? steps : 0], line);
  for (int s = 1; s <= steps; s++) {
    const Id stop = add_missing(reach[outwards_ ? steps - s : s], line);
    result = reasons_.node(upper + steps - s, stop, result);
  }
  return result;
}

}  // namespace primewood::diagram
