// What Python and the core must agree on, told by the core: limits, and names of languages and links.
#include "bindings/python.hpp"
#include "forest/forest.hpp"
#include "language.hpp"

namespace nb = nanobind;

namespace primewood::bindings {

using forest::Link;

namespace {

using Scores = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Scores, row by row, through a link.
void apply_link(Link link, const Scores& scores) {
  const std::size_t columns = scores.shape(1);
  for (std::size_t i = 0; i < scores.shape(0); i++) forest::apply(link, scores.data() + i * columns, columns);
}

}  // namespace

void bind_constants(nb::module_& m) {
  m.attr("MOST_RULES") = forest::kMostRules;
  m.attr("ROOM_WITH_RULES") = forest::kRoomWithRules;
  nb::enum_<Language>(m, "Language", "What a literal may say about one variable.")
      .value("SETS", Language::kSets)
      .value("INTERVALS", Language::kIntervals)
      .value("VALUES", Language::kValues);
  nb::enum_<Link>(m, "Link", "What scores go through before they are compared.")
      .value("IDENTITY", Link::kIdentity)
      .value("LOGISTIC32", Link::kLogistic32)
      .value("LOGISTIC", Link::kLogistic)
      .value("SOFTMAX32", Link::kSoftmax32)
      .value("SOFTMAX", Link::kSoftmax)
      .value("EXPONENTIAL32", Link::kExponential32)
      .value("EXPONENTIAL", Link::kExponential);
  m.def("apply_link", &apply_link, nb::arg("link"), nb::arg("scores"));
}

}  // namespace primewood::bindings
