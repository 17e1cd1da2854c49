#include "CEmbedded.h"

static const _Alignas(8) unsigned char bytes[] = {
#embed "english.lexicon"
};

const unsigned char *const cubist_english_lexicon = bytes;
const size_t cubist_english_lexicon_size = sizeof bytes;
