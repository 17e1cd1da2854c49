#include <stdbool.h>

// Makes the word graph of CEmbedded. It has to be called before anything reads a word; it does nothing the
// second time.
void cubist_unpack_words(void);
// Whether the graph is the one that was packed, by its checksum.
bool cubist_words_are_whole(void);
