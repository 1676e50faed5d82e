// Errors that the sanitizers must find: built with the flags of the core, to show that these flags find them.
#include <thread>
#include <vector>

extern "C" {

int read_out_of_bounds(int place) {
  const std::vector<int> ten(10, 1);
  return ten.data()[place];
}

int cast_overflow(double number) { return int(number); }

int shift_too_far(int bits) { return 1 << bits; }

int race() {
  int shared = 0;
  std::thread other([&] { shared++; });
  shared++;
  other.join();
  return shared;
}

int nothing_wrong(int place) { return place; }
}
