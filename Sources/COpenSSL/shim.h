#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

// Nothing that OpenSSL 3.0 has deprecated.
#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <stdbool.h>
#include <string.h>

// Swift does not import arrays of parameters well, nor macros that cast.

// A key of the curve P-256 from its parts, or null.
static inline EVP_PKEY *copenssl_key(int selection, OSSL_PARAM *parts) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  if (context && EVP_PKEY_fromdata_init(context) > 0)
    EVP_PKEY_fromdata(context, &key, selection, parts);
  EVP_PKEY_CTX_free(context);
  return key;
}

// A public key of 65 bytes, an uncompressed point. Null if it is not on the
// curve.
static inline EVP_PKEY *copenssl_public_key(const unsigned char *point) {
  OSSL_PARAM parts[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME,
                                       (char *)"P-256", 0),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point,
                                        65),
      OSSL_PARAM_construct_end(),
  };
  return copenssl_key(EVP_PKEY_PUBLIC_KEY, parts);
}

// A private key of 32 bytes, a number with the highest byte first. Null if it
// is 0, or not below the order of the curve. Writes the 65 bytes of the public
// half: OpenSSL does not compute them for a key from parts.
static inline EVP_PKEY *copenssl_private_key(const unsigned char *scalar,
                                             unsigned char *point) {
  EVP_PKEY *key = NULL;
  unsigned char native[32];
  EC_GROUP *curve = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  EC_POINT *product = curve ? EC_POINT_new(curve) : NULL;
  BIGNUM *number = BN_new();
  if (product && number && BN_bin2bn(scalar, 32, number) &&
      !BN_is_zero(number) && BN_cmp(number, EC_GROUP_get0_order(curve)) < 0) {
    BN_set_flags(number, BN_FLG_CONSTTIME);
    if (EC_POINT_mul(curve, product, number, NULL, NULL, NULL) == 1 &&
        EC_POINT_point2oct(curve, product, POINT_CONVERSION_UNCOMPRESSED, point,
                           65, NULL) == 65 &&
        BN_bn2nativepad(number, native, sizeof native) == sizeof native) {
      OSSL_PARAM parts[] = {
          OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME,
                                           (char *)"P-256", 0),
          OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native,
                                  sizeof native),
          OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, 65),
          OSSL_PARAM_construct_end(),
      };
      key = copenssl_key(EVP_PKEY_KEYPAIR, parts);
    }
  }
  OPENSSL_cleanse(native, sizeof native);
  BN_clear_free(number);
  EC_POINT_free(product);
  EC_GROUP_free(curve);
  return key;
}

// An encrypted document is refused. By itself OpenSSL asks a terminal for the
// password.
static inline int copenssl_no_password(char *buffer, int size, int is_written,
                                       void *user) {
  (void)buffer;
  (void)size;
  (void)is_written;
  (void)user;
  return -1;
}

// Reads the 32 bytes of a private key of P-256 from a PEM document, of the form
// PKCS#8 or SEC 1.
static inline bool copenssl_read_pem(const void *text, int count,
                                     unsigned char *scalar) {
  bool is_read = false;
  char curve[64] = "";
  BIGNUM *number = NULL;
  BIO *source = BIO_new_mem_buf(text, count);
  EVP_PKEY *key =
      source ? PEM_read_bio_PrivateKey(source, NULL, copenssl_no_password, NULL)
             : NULL;
  if (key && EVP_PKEY_is_a(key, "EC") &&
      EVP_PKEY_get_group_name(key, curve, sizeof curve, NULL) == 1 &&
      strcmp(curve, SN_X9_62_prime256v1) == 0 &&
      EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1)
    is_read = BN_bn2binpad(number, scalar, 32) == 32;
  BN_clear_free(number);
  EVP_PKEY_free(key);
  BIO_free_all(source);
  return is_read;
}

// HKDF with SHA-256, one of its two steps. `name` is that of the other value.
static inline bool copenssl_hkdf(const char *step, const void *key,
                                 size_t key_count, const char *name,
                                 const void *value, size_t value_count,
                                 void *result, size_t count) {
  OSSL_PARAM parts[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_MODE, (char *)step, 0),
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256",
                                       0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key,
                                        key_count),
      OSSL_PARAM_construct_octet_string(name, (void *)value, value_count),
      OSSL_PARAM_construct_end(),
  };
  EVP_KDF *function = EVP_KDF_fetch(NULL, "HKDF", NULL);
  EVP_KDF_CTX *context = function ? EVP_KDF_CTX_new(function) : NULL;
  bool is_done =
      context &&
      EVP_KDF_derive(context, (unsigned char *)result, count, parts) > 0;
  EVP_KDF_CTX_free(context);
  EVP_KDF_free(function);
  return is_done;
}

static inline bool copenssl_extract(const void *key, size_t key_count,
                                    const void *salt, size_t salt_count,
                                    void *result, size_t count) {
  return copenssl_hkdf("EXTRACT_ONLY", key, key_count, OSSL_KDF_PARAM_SALT,
                       salt, salt_count, result, count);
}

static inline bool copenssl_expand(const void *key, size_t key_count,
                                   const void *info, size_t info_count,
                                   void *result, size_t count) {
  return copenssl_hkdf("EXPAND_ONLY", key, key_count, OSSL_KDF_PARAM_INFO, info,
                       info_count, result, count);
}

// The text in a BIO of memory.
static inline long copenssl_text(BIO *bio, char **text) {
  return BIO_get_mem_data(bio, text);
}

#endif
