#pragma once

#include <stddef.h>

// Files carried inside the binary. Each is read in place and never changes.

/// The packed English word graph, aligned for 32-bit reads; README.md describes its format.
extern const unsigned char *_Nonnull const cubist_english_lexicon;
/// The bytes of the word graph.
extern const size_t cubist_english_lexicon_size;

/// One step from one version of the schema to the next.
struct cubist_migration {
  /// The version that it leads to.
  int version;
  /// The SQL, without a final zero byte.
  const unsigned char *_Nonnull bytes;
  /// The bytes of the SQL.
  size_t size;
};

/// The migrations, in their order.
extern const struct cubist_migration *_Nonnull const cubist_migrations;
/// How many migrations there are.
extern const size_t cubist_migrations_count;

/// The description of the gateway's API: OpenAPI 3.1, without a final zero byte.
extern const unsigned char *_Nonnull const cubist_openapi;
/// The bytes of the description.
extern const size_t cubist_openapi_size;
