// Lets every transfer of libcurl, in a process that it is preloaded into (LD_PRELOAD), trust the
// certificates in the file that CUBIST_TRUST names: a push service of a test has one of its own, and
// the service has no setting for that.
#define _GNU_SOURCE
#include "trusting.h"
#include <dlfcn.h>
#include <stdlib.h>

enum { cainfo = 10065 };  // CURLOPT_CAINFO

int curl_multi_add_handle(void *multi, void *easy) {
  const char *file = getenv("CUBIST_TRUST");
  int (*set)(void *, int, ...) = (int (*)(void *, int, ...))dlsym(RTLD_DEFAULT, "curl_easy_setopt");
  int (*add)(void *, void *) =
      (int (*)(void *, void *))dlsym(RTLD_NEXT, "curl_multi_add_handle");
  if (file) set(easy, cainfo, file);
  return add(multi, easy);
}
