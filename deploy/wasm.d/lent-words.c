// The word graph of the second module: the page copies it from the first one, which has unpacked it.

#include "CEmbedded.h"

static _Alignas(8) unsigned char graph[CUBIST_GRAPH_BYTES];
const unsigned char *const cubist_english_lexicon = graph;
const size_t cubist_english_lexicon_size = CUBIST_GRAPH_BYTES;

unsigned char *words(void) { return graph; }

size_t wordBytes(void) { return sizeof graph; }
