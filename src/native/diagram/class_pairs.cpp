#include "diagram/class_pairs.hpp"

namespace primewood::diagram {

ClassPairs::ClassPairs(int classes, Int band) : classes_(classes), size_(classes * (classes - 1)), band_(band) {
  assert(classes > 0 && band >= 0);
  for (int winner = 0; winner < classes; winner++)
    for (int rival = 0; rival < classes; rival++)
      if (rival != winner) {
        winner_.push_back(winner);
        rival_.push_back(rival);
        threshold_.push_back(winner < rival ? 0 : 1);
      }
}

}  // namespace primewood::diagram
