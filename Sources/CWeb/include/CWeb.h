#pragma once

#include <stddef.h>

/// A file of the page, carried inside the binary.
struct cubist_web_file {
  /// Its name, as other files of the page call it.
  const char *_Nonnull name;
  const char *_Nonnull media_type;
  /// The content, without a final zero byte.
  const unsigned char *_Nonnull bytes;
  size_t size;
};

/// The files of Web/ that a player's browser loads: first index.html, then worker.js.
extern const struct cubist_web_file *_Nonnull const cubist_web_files;
/// How many files there are.
extern const size_t cubist_web_files_count;
/// How many of them, from the first on, the game needs without a service.
extern const size_t cubist_web_game_files_count;
