// Proofs that are written down: there is one iff the rival wins nowhere, and it can be read as the format says.
#include <doctest/doctest.h>

#include <numeric>
#include <string>

#include "search/recorder.hpp"
#include "tests/forests.hpp"

namespace primewood::tests {

using search::Recorded;
using search::Recorder;

namespace {

constexpr std::int64_t kManyNodes = 100000;
constexpr int kFirstFeature = 1000;  // takes two bytes

std::vector<int> features_of(const Forest& f) {
  std::vector<int> features(f.n_variables);
  std::iota(features.begin(), features.end(), kFirstFeature);
  return features;
}

// A recorder without limits, for a forest that stays.
struct Recording {
  explicit Recording(const Forest& f, std::int64_t most_nodes = kManyNodes)
      : recorder(f, limits, features_of(f), most_nodes) {}

  Recorded prove(const Mask& box, int label, int rival) { return recorder.prove(box.data(), label, rival); }

  Unlimited limits;
  Recorder recorder;
};

// Reads a body; counts its nodes.
class BodyReader {
 public:
  BodyReader(const Forest& f, const std::string& body) : forest_(f), body_(body) {}

  int count_nodes() {
    multipliers_ = number();
    std::uint64_t tree = 0;
    for (std::uint64_t k = 0; k < multipliers_; k++) {
      tree += number();
      CHECK(tree < std::uint64_t(forest_.all_trees()));
      number();
      if (number() >= 2) number();
    }
    const int nodes = read_node();
    CHECK(at_ == body_.size());
    return nodes;
  }

 private:
  enum Code { kSplit, kBound, kCell, kSet };

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      REQUIRE(at_ < body_.size());
      REQUIRE(shift < 63);
      const auto byte = std::uint8_t(body_[at_++]);
      value |= std::uint64_t(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  int read_node() {
    std::uint64_t code = number();
    for (; code % 4 == kSet; code = number()) read_changes();
    if (code != kSplit) {
      CHECK((code == kBound || code == kCell));
      return 1;
    }
    const std::uint64_t feature = number();
    CHECK(feature >= kFirstFeature);
    CHECK(feature < std::uint64_t(kFirstFeature + forest_.n_variables));
    number();
    const int first = read_node();
    return 1 + first + read_node();
  }

  void read_changes() {
    const std::uint64_t count = number();
    CHECK(count > 0);
    std::uint64_t at = 0;
    for (std::uint64_t k = 0; k < count; k++) {
      const std::uint64_t gap = number();
      CHECK((k == 0 || gap > 0));
      at += gap;
      CHECK(at < multipliers_);
      CHECK(number() > 0);
    }
  }

  const Forest& forest_;
  const std::string& body_;
  std::size_t at_ = 0;
  std::uint64_t multipliers_ = 0;
};

// A stump whose leaves are all alike and do not add exactly: a tie that only the library's own sum settles.
Forest make_tie() {
  Forest f = make_stump({1.0, 1.0}, {1.0, 1.0});
  f.exact.assign(f.exact.size(), 0);
  f.band = 1;
  return f;
}

}  // namespace

TEST_CASE("there is a proof iff the rival wins nowhere in the box") {
  RandomForests random(31);
  int proofs = 0, counterexamples = 0;
  for (int round = 0; round < 300; round++) {
    const Forest f = random.make({});
    const Mask box = random.make_box(f);
    const int label = f.decide(random.make_point(f).data());
    const bool loses = !find_point(f, box, [&](const Point& x) { return f.decide(x.data()) != label; }).empty();
    Recording recording(f);
    const Recorded recorded = recording.prove(box, label, 1 - label);
    CHECK(recorded == (loses ? Recorded::kCounterexample : Recorded::kProof));
    proofs += !loses;
    counterexamples += loses;
  }
  CHECK(proofs > 20);
  CHECK(counterexamples > 20);
}

TEST_CASE("rules leave points out of a proof") {
  RandomForests random(32);
  Shape shape;
  shape.n_rules = 2;
  for (int round = 0; round < 200; round++) {
    const Forest f = random.make(shape);
    const Mask box = random.make_box(f);
    const auto is_lost = [&](const Point& x) { return f.possible(x.data()) && f.decide(x.data()) != 0; };
    Recording recording(f);
    const bool proved = recording.prove(box, 0, 1) == Recorded::kProof;
    CHECK(proved == find_point(f, box, is_lost).empty());
  }
}

TEST_CASE("a body is what the format says, and the same every time") {
  RandomForests random(33);
  Shape shape;
  shape.n_trees = 9;
  shape.n_classes = 3;
  shape.ordered = {6, 5, 4};
  int longest = 0;
  for (int round = 0; round < 300; round++) {
    const Forest f = random.make(shape);
    const Mask box = random.make_box(f);
    Recording recording(f);
    Recorder& recorder = recording.recorder;
    if (recording.prove(box, 0, 2) != Recorded::kProof) continue;
    const std::string body = recorder.body;
    const Int unit = recorder.unit;
    const auto nodes = int(recorder.nodes);
    CHECK(BodyReader(f, body).count_nodes() == nodes);
    longest = std::max(longest, nodes);
    recording.prove(box, 0, 1);
    CHECK(recording.prove(box, 0, 2) == Recorded::kProof);
    CHECK(recorder.body == body);
    CHECK(recorder.unit == unit);
    Recording again(f);
    CHECK(again.prove(box, 0, 2) == Recorded::kProof);
    CHECK(again.recorder.body == body);
  }
  CHECK(longest > 1);
}

TEST_CASE("a proof with too many nodes is not written") {
  RandomForests random(34);
  int too_long = 0;
  for (int round = 0; round < 100; round++) {
    const Forest f = random.make({});
    const Mask box = random.make_box(f);
    Recording recording(f);
    if (recording.prove(box, 0, 1) != Recorded::kProof) continue;
    const std::int64_t nodes = recording.recorder.nodes;
    Recording enough(f, nodes);
    CHECK(enough.prove(box, 0, 1) == Recorded::kProof);
    if (nodes == 1) continue;
    Recording too_few(f, 1);
    CHECK(too_few.prove(box, 0, 1) == Recorded::kTooLong);
    too_long++;
  }
  CHECK(too_long > 0);
}

TEST_CASE("the library's own sum settles a tie, unless a softmax may round it") {
  Forest f = make_tie();
  const std::string cell = {0, 2};
  {
    Recording recording(f);
    CHECK(recording.prove(whole_box(f), 0, 1) == Recorded::kProof);
    CHECK(recording.recorder.body == cell);
    CHECK(recording.prove(whole_box(f), 1, 0) == Recorded::kCounterexample);
  }
  {
    f.link = forest::Link::kSoftmax;
    Recording recording(f);
    CHECK(recording.prove(whole_box(f), 0, 1) == Recorded::kNeedsLink);
  }
  {
    f.link = forest::Link::kIdentity;
    f.any_order = true;
    Recording recording(f);
    CHECK(recording.prove(whole_box(f), 0, 1) == Recorded::kCounterexample);
  }
}

}  // namespace primewood::tests
