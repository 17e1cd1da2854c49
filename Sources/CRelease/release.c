#include "CRelease.h"

// Package.swift defines it.
#ifdef CUBIST_COMMIT
const char *const cubist_commit = CUBIST_COMMIT;
#else
const char *const cubist_commit = 0;
#endif
