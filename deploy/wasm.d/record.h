#include <stddef.h>

// A record that the tests keep.
const unsigned char *record_start(void);
size_t record_bytes(void);
