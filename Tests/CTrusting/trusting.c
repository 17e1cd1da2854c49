// The world of a test's push services, in a process that it is preloaded into (LD_PRELOAD).
//
// Every transfer of libcurl trusts the certificates in the file that CUBIST_TRUST names: a push
// service of a test has one of its own, and the service has no setting for that. And the name
// servers of names that end in ".silent" never answer.
#define _GNU_SOURCE
#include "trusting.h"
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { cainfo = 10065 };  // CURLOPT_CAINFO

int curl_multi_add_handle(void *multi, void *easy) {
  const char *file = getenv("CUBIST_TRUST");
  int (*set)(void *, int, ...) = (int (*)(void *, int, ...))dlsym(RTLD_DEFAULT, "curl_easy_setopt");
  int (*add)(void *, void *) =
      (int (*)(void *, void *))dlsym(RTLD_NEXT, "curl_multi_add_handle");
  if (file) set(easy, cainfo, file);
  return add(multi, easy);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **found) {
  static const char ending[] = ".silent";
  size_t length = name ? strlen(name) : 0;
  if (length >= sizeof ending && !strcmp(name + length - (sizeof ending - 1), ending))
    for (;;) pause();
  int (*look)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
      (int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **))dlsym(
          RTLD_NEXT, "getaddrinfo");
  return look(name, service, hints, found);
}
