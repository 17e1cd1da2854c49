#include <stddef.h>

// Files that the tests keep.
struct fixture {
  const unsigned char *bytes;
  size_t count;
};

extern const struct fixture cubist_record, cubist_record_of_devices, cubist_games, cubist_turns;
