#ifndef LIBFUZZER_H
#define LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

// Source: compiler-rt, lib/fuzzer/FuzzerInterface.h has LLVMFuzzerTestOneInput; the driver below is
// described in docs/LibFuzzer.rst under "Using libFuzzer as a library".
int LLVMFuzzerRunDriver(int *argc, char ***argv,
                        int (*run)(const uint8_t *data, size_t size));

#endif
