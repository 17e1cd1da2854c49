#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

// The checks of types are macros around the functions, which Swift does not import.
#define CURL_DISABLE_TYPECHECK
#include <arpa/inet.h>
#include <curl/curl.h>
#include <dirent.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

// Says whether an address may be reached. It has 16 bytes, an IPv4 address as
// ::ffff:a.b.c.d.
typedef bool (*ccurl_admits)(void *user, const unsigned char *address,
                             int port);

typedef struct {
  ccurl_admits admits;
  void *user;
} ccurl_gate;

// False for an address of another family.
static inline bool ccurl_bytes(const struct sockaddr *from,
                               unsigned char *address, int *port) {
  memset(address, 0, 16);
  if (from->sa_family == AF_INET) {
    struct sockaddr_in four;
    memcpy(&four, from, sizeof four);
    address[10] = address[11] = 0xff;
    memcpy(address + 12, &four.sin_addr, 4);
    *port = ntohs(four.sin_port);
    return true;
  }
  if (from->sa_family != AF_INET6) return false;
  struct sockaddr_in6 six;
  memcpy(&six, from, sizeof six);
  memcpy(address, &six.sin6_addr, 16);
  *port = ntohs(six.sin6_port);
  return true;
}

// Opens a socket to an address that may be reached. A connection whose other
// side acknowledges nothing for ten seconds ends, so that no later request
// waits on it.
static inline curl_socket_t ccurl_open(void *user, curlsocktype purpose,
                                       struct curl_sockaddr *address) {
  const ccurl_gate *gate = (const ccurl_gate *)user;
  unsigned char bytes[16];
  int port = 0;
  if (purpose != CURLSOCKTYPE_IPCXN) return CURL_SOCKET_BAD;
  if (gate && (!ccurl_bytes(&address->addr, bytes, &port) ||
               !gate->admits(gate->user, bytes, port)))
    return CURL_SOCKET_BAD;
  int type = address->socktype;
#ifdef SOCK_CLOEXEC
  type |= SOCK_CLOEXEC;
#endif
  curl_socket_t made = socket(address->family, type, address->protocol);
#ifdef TCP_USER_TIMEOUT
  unsigned int milliseconds = 10000;
  if (made != CURL_SOCKET_BAD)
    setsockopt(made, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds,
               sizeof milliseconds);
#endif
  return made;
}

// Judges the address of a connection once more before a request goes over it:
// a kept one may have been opened for a request without a gate.
static inline int ccurl_before(void *user, char *remote, char *local,
                               int remote_port, int local_port) {
  (void)local;
  (void)local_port;
  const ccurl_gate *gate = (const ccurl_gate *)user;
  unsigned char bytes[16] = {0};
  char text[INET6_ADDRSTRLEN] = {0};
  struct in_addr four;
  if (!gate) return CURL_PREREQFUNC_OK;
  if (!remote) return CURL_PREREQFUNC_ABORT;
  // Without the zone of a link-local address.
  strncpy(text, remote, sizeof text - 1);
  text[strcspn(text, "%")] = 0;
  if (inet_pton(AF_INET, text, &four) == 1) {
    bytes[10] = bytes[11] = 0xff;
    memcpy(bytes + 12, &four, 4);
  } else if (inet_pton(AF_INET6, text, bytes) != 1) {
    return CURL_PREREQFUNC_ABORT;
  }
  return gate->admits(gate->user, bytes, remote_port) ? CURL_PREREQFUNC_OK
                                                      : CURL_PREREQFUNC_ABORT;
}

// The gate has to live as long as the handle uses it. Null: every address may
// be reached.
static inline CURLcode ccurl_set_gate(CURL *handle, const ccurl_gate *gate) {
  CURLcode result =
      curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, ccurl_open);
  if (result == CURLE_OK)
    result = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, gate);
  if (result == CURLE_OK)
    result = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, ccurl_before);
  if (result == CURLE_OK)
    result = curl_easy_setopt(handle, CURLOPT_PREREQDATA, gate);
  return result;
}

// Whether libcurl speaks TLS by OpenSSL.
static inline bool ccurl_has_openssl(void) {
  const char *name = curl_version_info(CURLVERSION_NOW)->ssl_version;
  return name && strncmp(name, "OpenSSL/", 8) == 0;
}

// The port of this side of the request's connection; 0: it has none yet.
static inline long ccurl_local_port(CURL *handle) {
  long port = 0;
  curl_easy_getinfo(handle, CURLINFO_LOCAL_PORT, &port);
  return port;
}

// Whether a socket's end is at an address and a port.
static inline bool ccurl_is_at(const struct sockaddr_storage *end,
                               const char *text, long port) {
  unsigned char expected[16] = {0}, found[16];
  struct in_addr four;
  int number = 0;
  if (!ccurl_bytes((const struct sockaddr *)end, found, &number)) return false;
  if (inet_pton(AF_INET, text, &four) == 1) {
    expected[10] = expected[11] = 0xff;
    memcpy(expected + 12, &four, 4);
  } else if (inet_pton(AF_INET6, text, expected) != 1) {
    return false;
  }
  return number == port && memcmp(found, expected, 16) == 0;
}

// Ends the connection of a request that is under way, so that libcurl gives
// the connection up. libcurl has no call for that, and it does not tell the
// socket of a running request. The addresses and ports of both sides name it.
static inline void ccurl_end_connection(CURL *handle) {
  char *remote = NULL, *local = NULL;
  long remote_port = 0, local_port = ccurl_local_port(handle);
  curl_easy_getinfo(handle, CURLINFO_PRIMARY_IP, &remote);
  curl_easy_getinfo(handle, CURLINFO_LOCAL_IP, &local);
  curl_easy_getinfo(handle, CURLINFO_PRIMARY_PORT, &remote_port);
  if (!remote || !local || local_port == 0) return;
  DIR *folder = opendir("/dev/fd");
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));) {
    int number = atoi(entry->d_name);
    struct sockaddr_storage here, there;
    socklen_t size = sizeof here, other = sizeof there;
    if (number > 2 && getsockname(number, (struct sockaddr *)&here, &size) == 0 &&
        ccurl_is_at(&here, local, local_port) &&
        getpeername(number, (struct sockaddr *)&there, &other) == 0 &&
        ccurl_is_at(&there, remote, remote_port))
      shutdown(number, SHUT_RDWR);
  }
  closedir(folder);
}

// The bytes that servers may send by HTTP/2 at once, and again in each second:
// room for thousands of answers of a push service.
#define CCURL_HTTP2_BYTES 4000000

// What servers may still send by HTTP/2, over all connections together.
typedef struct {
  long left;
  // A connection that brought more was ended.
  bool is_exceeded;
} ccurl_allowance;

// Sees each message of TLS.
typedef void (*ccurl_observer)(int is_sent, int version, int type,
                               const void *bytes, size_t size, void *session,
                               void *user);

// Charges a record of TLS that comes by HTTP/2, and ends the connection of the
// one that is too much: OpenSSL finds it closed by the server then. The others
// get a whole allowance.
//
// libcurl reads a connection of HTTP/2 until nothing is left to read or the
// answer is there. A server that sends other frames without end keeps the call,
// and so all other requests, for as long as it likes.
//
// The numbers are SSL3_RT_HEADER, with the five bytes before a record, and
// SSL_RECEIVED_SHUTDOWN. A record costs a client some microseconds, whatever its
// size: so each counts as 256 bytes more.
static inline void ccurl_charge(int is_sent, int version, int type,
                                const void *bytes, size_t size, void *session,
                                void *user) {
  (void)version;
  ccurl_allowance *allowance = (ccurl_allowance *)user;
  const unsigned char *head = (const unsigned char *)bytes;
  if (is_sent || type != 256 || size < 5) return;
  allowance->left -= 256 + (head[3] << 8 | head[4]);
  if (allowance->left >= 0) return;
  void (*set_shutdown)(void *, int) =
      (void (*)(void *, int))dlsym(NULL, "SSL_set_shutdown");
  if (set_shutdown) set_shutdown(session, 2);
  allowance->left = CCURL_HTTP2_BYTES;
  allowance->is_exceeded = true;
}

// Makes OpenSSL give up a read after each record that brings no data. By
// itself it reads on as long as such records come (SSL_MODE_AUTO_RETRY): a
// server that floods a client with new keys or tickets keeps the call, and so
// all other requests, for as long as it likes.
//
// With an allowance each record is charged to it.
//
// The numbers are SSL_CTRL_CLEAR_MODE and SSL_MODE_AUTO_RETRY, and
// SSL_CTRL_SET_MSG_CALLBACK_ARG. They and the functions are a part of OpenSSL's
// stable interface. Its library is in the process, since libcurl needs it.
static inline CURLcode ccurl_prepare_openssl(CURL *handle, void *context,
                                             void *allowance) {
  (void)handle;
  long (*control)(void *, int, long, void *) =
      (long (*)(void *, int, long, void *))dlsym(NULL, "SSL_CTX_ctrl");
  if (!control) return CURLE_ABORTED_BY_CALLBACK;
  control(context, 78, 4, NULL);
  if (!allowance) return CURLE_OK;
  void (*observe)(void *, ccurl_observer) = (void (*)(
      void *, ccurl_observer))dlsym(NULL, "SSL_CTX_set_msg_callback");
  if (!observe || !dlsym(NULL, "SSL_set_shutdown"))
    return CURLE_ABORTED_BY_CALLBACK;
  observe(context, ccurl_charge);
  control(context, 16, 0, allowance);
  return CURLE_OK;
}

// Bounds what a server can make a client do by way of TLS, and by HTTP/2 with an
// allowance, which has to live as long as the connections. Where libcurl has
// another library than OpenSSL, its own bounds hold, and HTTP/2 has none: it is
// not spoken.
//
// A key exchange over a finite field costs a client a quarter of a second at
// 8,192 bits; those over curves cost less than a thousandth of that.
static inline CURLcode ccurl_bound_tls(CURL *handle,
                                       ccurl_allowance *allowance) {
  if (!ccurl_has_openssl()) return allowance ? CURLE_NOT_BUILT_IN : CURLE_OK;
  CURLcode result = curl_easy_setopt(
      handle, CURLOPT_SSL_CIPHER_LIST,
      "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES256:ECDHE+AES128");
  if (result == CURLE_OK)
    result = curl_easy_setopt(handle, CURLOPT_SSL_EC_CURVES,
                              "X25519:P-256:P-384:P-521");
  if (result == CURLE_OK)
    result = curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION,
                              ccurl_prepare_openssl);
  if (result == CURLE_OK)
    result = curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, allowance);
  return result;
}

// Makes a request a handshake of TLS alone, with any server, whose certificate
// is kept to be read. Nothing may be sent over such a connection.
static inline CURLcode ccurl_only_look(CURL *handle) {
  CURLcode result = curl_easy_setopt(handle, CURLOPT_CONNECT_ONLY, 1L);
  if (result == CURLE_OK)
    result = curl_easy_setopt(handle, CURLOPT_CERTINFO, 1L);
  if (result == CURLE_OK)
    result = curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
  if (result == CURLE_OK)
    result = curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
  return result;
}

// When the server's certificate ends, in seconds since 1970; 0 where libcurl
// does not tell.
static inline long long ccurl_certificate_end(CURL *handle) {
  static const char name[] = "Expire date:";
  struct curl_certinfo *chain = NULL;
  if (curl_easy_getinfo(handle, CURLINFO_CERTINFO, &chain) != CURLE_OK ||
      !chain || chain->num_of_certs < 1)
    return 0;
  for (struct curl_slist *line = chain->certinfo[0]; line; line = line->next)
    if (strncmp(line->data, name, sizeof name - 1) == 0) {
      time_t end = curl_getdate(line->data + sizeof name - 1, NULL);
      return end < 0 ? 0 : end;
    }
  return 0;
}

static inline CURLcode ccurl_set_header_taker(CURL *handle,
                                              curl_write_callback taker) {
  return curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, taker);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option,
                                             long value) {
  return curl_multi_setopt(multi, option, value);
}

// The next request that has ended, or null.
static inline CURL *ccurl_next_ended(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

// Swift does not import macros that cast.
static const long CCURL_GLOBAL_DEFAULT = CURL_GLOBAL_DEFAULT;

#endif
