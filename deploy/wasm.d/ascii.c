// The tables of Unicode that the first module asks for. It compares, hashes and changes the case of ASCII alone, so it needs none of
// the toolchain's tables, a twelfth of its bytes as they are sent. To these functions no character is special.
// Their types are those of SwiftShims/UnicodeData.h in the toolchain's sources.

#include <stddef.h>
#include <stdint.h>

uint16_t _swift_stdlib_getNormData(uint32_t scalar) { return (void)scalar, 0; }

uint32_t _swift_stdlib_getDecompositionEntry(uint32_t scalar) { return (void)scalar, UINT32_MAX; }

const uint8_t *const _swift_stdlib_nfd_decompositions = NULL;

uint32_t _swift_stdlib_getComposition(uint32_t x, uint32_t y) { return (void)x, (void)y, UINT32_MAX; }

uint8_t _swift_stdlib_getGraphemeBreakProperty(uint32_t scalar) { return (void)scalar, UINT8_MAX; }

_Bool _swift_stdlib_isExtendedPictographic(uint32_t scalar) { return (void)scalar, 0; }

_Bool _swift_stdlib_isInCB_Consonant(uint32_t scalar) { return (void)scalar, 0; }

int32_t _swift_stdlib_getMapping(uint32_t scalar, uint8_t mapping) { return (void)scalar, (void)mapping, 0; }

const uint8_t *_swift_stdlib_getSpecialMapping(uint32_t scalar, uint8_t mapping, ptrdiff_t *length) {
  return (void)scalar, (void)mapping, (void)length, NULL;
}
