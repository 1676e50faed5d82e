#include "search/region.hpp"

#include <cassert>

namespace primewood::search {

void Region::open(const Restriction& box) {
  assert(box.is_set());
  const int n = box.forest.n_variables;
  low.assign(n, 0);
  high.resize(n);
  missing.assign(box.missing.begin(), box.missing.end());
  for (int j = 0; j < n; j++) high[j] = box.size[j] - 1;
}

void Region::keep(const Restriction& box, int j, const std::vector<int>& values) {
  const int ordered = box.forest.ordered[j];
  missing[j] = values.back() >= ordered;
  if (values.front() >= ordered) {
    drop_ranks(j);
    return;
  }
  const int last = missing[j] ? values[values.size() - 2] : values.back();
  low[j] = box.rank_of(j, values.front());
  high[j] = box.rank_of(j, last);
}

void Region::pick_point(const Restriction& box, std::vector<int>& x) const {
  x.resize(low.size());
  for (std::size_t j = 0; j < low.size(); j++) x[j] = low[j] <= high[j] ? low[j] : box.size[j];
}

void Cut::apply(Region& region, bool first) const {
  assert(found());
  if (cut < 0) {
    if (first) {
      region.missing[variable] = 0;
    } else {
      region.drop_ranks(variable);
    }
  } else if (first) {
    region.high[variable] = cut;
  } else {
    region.low[variable] = cut + 1;
    region.missing[variable] = 0;
  }
}

}  // namespace primewood::search
