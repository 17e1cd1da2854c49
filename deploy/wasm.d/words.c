// The word graph in the form of pack-words, and how the graph is made of it again: as in
// Sources/CubeLexicon/WordGraphLayout.swift.

#include "words.h"

#include "CEmbedded.h"
#include <stdint.h>

static const unsigned char packed[] = {
#embed "english.packed"
};

enum {
  header = 64,
  node_limit = 1 << 16,
  arc_limit = 1 << 17,
  unit_limit = 1 << 17,
  depth_limit = 128,
  window = 4096,
};

static _Alignas(8) unsigned char graph[header + 4 * unit_limit];
const unsigned char *const cubist_english_lexicon = graph;
// The unit count stands in the header; the pack has the graph's own size.
const size_t cubist_english_lexicon_size = CUBIST_GRAPH_BYTES;
_Static_assert(CUBIST_GRAPH_BYTES <= sizeof graph, "raise unit_limit");

// For the module that is lent the graph.
const unsigned char *words(void) { return graph; }

size_t wordBytes(void) { return cubist_english_lexicon_size; }

static uint32_t number(const unsigned char *at) {
  return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
}

// Of each node its first arc, its place in the order in which a walk leaves nodes, its height, the
// greatest index of an arc to it, and its place in the graph.
static uint32_t first_arc[node_limit], left[node_limit], places[node_limit];
static uint8_t heights[node_limit];
static int32_t arrivals[node_limit];
// Of each arc its letter with the bits of pack-words, and its node; no_node leads nowhere.
static uint8_t letters[arc_limit];
static uint32_t targets[arc_limit];
static const uint32_t no_node = UINT32_MAX;

static uint64_t taken_units[unit_limit / 64 + 2], taken_places[unit_limit / 64 + 2];

static uint64_t bits(const uint64_t *set, uint32_t at) {
  uint64_t low = set[at / 64] >> at % 64;
  return at % 64 ? low | set[at / 64 + 1] << (64 - at % 64) : low;
}

static void take(uint64_t *set, uint32_t at) { set[at / 64] |= (uint64_t)1 << at % 64; }

// The arcs of all nodes; the number of nodes.
static uint32_t read_walk(void) {
  static uint32_t shared[node_limit], order[node_limit];
  const unsigned char *at = packed + header;
  uint32_t node_count = number(at), arc_count = number(at + 4), reference_count = number(at + 8);
  if (node_count > node_limit || arc_count > arc_limit) __builtin_trap();
  const unsigned char *marks = at + 12, *walk = marks + (node_count + 7) / 8;
  const unsigned char *low = walk + arc_count, *high = low + reference_count;
  uint32_t shared_count = 0, left_count = 0, arc = 0, node = 0, depth = 0;
  // The arcs of a node lie apart in the walk, with the nodes below it in between.
  struct {
    uint32_t node, arc;
  } stack[depth_limit];
  static uint32_t sizes[node_limit], starts[node_limit], of_arc[arc_limit];
  static uint8_t read[arc_limit];
  static uint32_t read_targets[arc_limit];
  stack[depth++].node = node++;
  if (marks[0] & 1) shared[++shared_count] = 0;
  while (depth) {
    uint8_t byte = walk[arc];
    uint32_t from = stack[depth - 1].node;
    of_arc[arc] = from;
    read[arc] = byte;
    sizes[from]++;
    if (byte & 128) {
      uint32_t reference = *low++ | *high++ << 8;
      read_targets[arc++] = reference ? shared[reference] : no_node;
    } else {
      if (depth == depth_limit) __builtin_trap();
      if (marks[node / 8] >> node % 8 & 1) shared[++shared_count] = node;
      read_targets[arc++] = node;
      stack[depth - 1].arc = byte;
      stack[depth++].node = node++;
      continue;
    }
    // A node ends with its last arc, and that may end the nodes above it.
    while (depth && byte & 64) {
      order[left_count] = stack[--depth].node;
      left[order[left_count]] = left_count;
      left_count++;
      byte = depth ? (uint8_t)stack[depth - 1].arc : 0;
    }
  }
  uint32_t start = 0;
  for (uint32_t each = 0; each < node_count; each++) {
    first_arc[each] = starts[each] = start;
    start += sizes[each];
  }
  for (uint32_t each = 0; each < arc_count; each++) {
    uint32_t place = starts[of_arc[each]]++;
    letters[place] = read[each];
    targets[place] = read_targets[each];
  }
  // Nodes are left after all nodes below them.
  for (uint32_t each = 0; each < node_count; each++) {
    uint32_t from = order[each];
    uint8_t height = 0;
    for (uint32_t place = first_arc[from];; place++) {
      uint8_t below = targets[place] == no_node ? 0 : heights[targets[place]];
      if (below >= height) height = below + 1;
      if (letters[place] & 64) break;
    }
    heights[from] = height;
    arrivals[from] = -1;
  }
  return node_count;
}

static void lay(uint32_t node, uint32_t *end) {
  uint32_t start = first_arc[node], place = (uint32_t)(arrivals[node] + 1);
  if (*end > window && *end - window > place) place = *end - window;
  for (;;) {
    uint64_t fitting = ~bits(taken_places, place);
    for (uint32_t arc = start;; arc++) {
      fitting &= ~bits(taken_units, place + (letters[arc] & 31) - 1);
      if (letters[arc] & 64) break;
    }
    if (fitting) {
      place += (uint32_t)__builtin_ctzll(fitting);
      break;
    }
    place += 64;
    if (place + 64 > unit_limit) __builtin_trap();
  }
  places[node] = place;
  take(taken_places, place);
  for (uint32_t arc = start;; arc++) {
    uint32_t unit = place + (letters[arc] & 31) - 1;
    take(taken_units, unit);
    if (unit >= *end) *end = unit + 1;
    uint32_t target = targets[arc];
    if (target != no_node && arrivals[target] < (int32_t)unit) arrivals[target] = (int32_t)unit;
    if (letters[arc] & 64) break;
  }
}

void cubist_unpack_words(void) {
  static bool is_done;
  if (is_done) return;
  is_done = true;
  static uint32_t by_leaving[node_limit];
  uint32_t node_count = read_walk(), end = 0;
  for (uint32_t node = 0; node < node_count; node++) by_leaving[left[node]] = node;
  uint8_t greatest = heights[0];
  for (uint32_t height = greatest; height > 0; height--) {
    for (uint32_t index = node_count; index-- > 0;) {
      if (heights[by_leaving[index]] == height) lay(by_leaving[index], &end);
    }
  }
  for (size_t at = 0; at < header; at++) graph[at] = packed[at];
  uint32_t *units = (uint32_t *)(graph + header);
  for (uint32_t node = 0; node < node_count; node++) {
    for (uint32_t arc = first_arc[node];; arc++) {
      uint32_t place = targets[arc] == no_node ? 0 : places[targets[arc]];
      units[places[node] + (letters[arc] & 31) - 1] = (letters[arc] & 63u) | place << 6;
      if (letters[arc] & 64) break;
    }
  }
}

bool cubist_words_are_whole(void) {
  uint32_t crc = UINT32_MAX;
  for (size_t at = 16; at < cubist_english_lexicon_size; at++) {
    crc ^= graph[at];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc == number(graph + 12);
}
