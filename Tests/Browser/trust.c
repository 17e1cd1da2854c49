// Lets the transfers that go on side by side, in the processes that preload it, trust the certificates
// in the file AUTHORITY: a push service of a test has one of its own, and the service has no setting
// for that. Single transfers are libcurl's own calls here; those go to the broker, which has another
// authority.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

enum { cainfo = 10065 };  // CURLOPT_CAINFO

int curl_multi_add_handle(void *multi, void *easy) {
  int (*set)(void *, int, ...) = dlsym(RTLD_DEFAULT, "curl_easy_setopt");
  int (*add)(void *, void *) = dlsym(RTLD_NEXT, "curl_multi_add_handle");
  Dl_info caller;
  int is_single = dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "libcurl");
  if (!is_single) set(easy, cainfo, AUTHORITY);
  return add(multi, easy);
}
