#include <stddef.h>

// Files that the tests keep.
struct fixture {
  const unsigned char *bytes;
  size_t count;
};

// In the order of `Verified.files`.
extern const struct fixture cubist_records[4];
extern const struct fixture cubist_games, cubist_turns;
