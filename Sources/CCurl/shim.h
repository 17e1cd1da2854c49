#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

// The checks of types are macros around the functions, which Swift does not import.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Swift does not import C variadic functions.
static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option,
                                      long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option,
                                      const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option,
                                         void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_writer(CURL *handle,
                                        curl_write_callback writer) {
  return curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
}

static inline long ccurl_status(CURL *handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

// Seconds; 0 where the answer names none. Dates count from now.
static inline long long ccurl_retry_after(CURL *handle) {
  curl_off_t seconds = 0;
  curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
  return seconds;
}

// Swift does not import macros that cast.
static const long CCURL_GLOBAL_DEFAULT = CURL_GLOBAL_DEFAULT;

#endif
