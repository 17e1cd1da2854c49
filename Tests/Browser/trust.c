// Lets every transfer of libcurl, in the processes that preload it, trust the certificates in the
// file AUTHORITY: a push service of a test has one of its own, and the service has no setting for
// that.
#define _GNU_SOURCE
#include <dlfcn.h>

enum { cainfo = 10065 };  // CURLOPT_CAINFO

int curl_multi_add_handle(void *multi, void *easy) {
  int (*set)(void *, int, ...) = dlsym(RTLD_DEFAULT, "curl_easy_setopt");
  int (*add)(void *, void *) = dlsym(RTLD_NEXT, "curl_multi_add_handle");
  set(easy, cainfo, AUTHORITY);
  return add(multi, easy);
}
