#ifndef CPOSTGRESQL_SHIM_H
#define CPOSTGRESQL_SHIM_H

#include <dlfcn.h>
#include <libpq-fe.h>
#include <time.h>

// The fields of an error are character macros, which Swift does not import.
enum {
  CPQ_DIAG_SEVERITY = PG_DIAG_SEVERITY_NONLOCALIZED,
  CPQ_DIAG_SQLSTATE = PG_DIAG_SQLSTATE,
  CPQ_DIAG_MESSAGE = PG_DIAG_MESSAGE_PRIMARY,
  CPQ_DIAG_DETAIL = PG_DIAG_MESSAGE_DETAIL,
  CPQ_DIAG_TABLE = PG_DIAG_TABLE_NAME,
  CPQ_DIAG_COLUMN = PG_DIAG_COLUMN_NAME,
  CPQ_DIAG_CONSTRAINT = PG_DIAG_CONSTRAINT_NAME,
  CPQ_DIAG_FUNCTION = PG_DIAG_SOURCE_FUNCTION
};

// When the certificate of the server ends, in seconds since 1970; 0 without
// TLS, and where libpq has another library for it than OpenSSL.
//
// The functions are a part of OpenSSL's stable interface. Its library is in
// the process, since libpq needs it.
static inline long long cpq_certificate_end(PGconn *connection) {
  void *session = PQsslStruct(connection, "OpenSSL");
  void *(*peer)(const void *) =
      (void *(*)(const void *))dlsym(NULL, "SSL_get1_peer_certificate");
  const void *(*end)(const void *) =
      (const void *(*)(const void *))dlsym(NULL, "X509_get0_notAfter");
  int (*read)(const void *, struct tm *) =
      (int (*)(const void *, struct tm *))dlsym(NULL, "ASN1_TIME_to_tm");
  void (*release)(void *) = (void (*)(void *))dlsym(NULL, "X509_free");
  if (!session || !peer || !end || !read || !release) return 0;
  void *certificate = peer(session);
  if (!certificate) return 0;
  struct tm date;
  long long seconds = read(end(certificate), &date) == 1 ? timegm(&date) : 0;
  release(certificate);
  return seconds;
}

#endif
