#include <stdbool.h>

// Makes the word graph of CEmbedded; once, before anything reads a word.
void cubist_unpack_words(void);
// Whether the graph is the one that was packed, by its checksum.
bool cubist_words_are_whole(void);
