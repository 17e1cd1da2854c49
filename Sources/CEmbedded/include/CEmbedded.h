#pragma once

#include <stddef.h>

// Files carried inside the binary. Each is read in place and never changes.

/// The packed English word graph, aligned for 32-bit reads; README.md describes its format.
extern const unsigned char *_Nonnull const cubist_english_lexicon;
/// The bytes of the word graph.
extern const size_t cubist_english_lexicon_size;

/// The shell script that starts and stops private servers, without a final zero byte.
extern const unsigned char *_Nonnull const cubist_servers_script;
/// The bytes of the script.
extern const size_t cubist_servers_script_size;
