/* test_cert.h - certificates for tests: an authority, and what it signs. All functions abort the test on failure. */
#ifndef TSCOPE_SERVICE_RPC_GUARD_TEST_CERT_H
#define TSCOPE_SERVICE_RPC_GUARD_TEST_CERT_H

#include <openssl/evp.h>
#include <openssl/x509.h>

struct test_cert {
	EVP_PKEY *key;
	X509 *cert;
};

/* subject: a common name. names: as in openssl.cnf, "URI:spiffe://a/b,DNS:c", or NULL. issuer: NULL signs itself and may sign others.
 * days: until when it is valid; below 0 it has expired. */
struct test_cert test_cert_make(const char *subject, const char *names, const struct test_cert *issuer, int days);
/* An authority that another one signed. */
struct test_cert test_cert_make_ca(const char *subject, const struct test_cert *issuer, int days);
/* Writes PEM; either path may be NULL. */
void test_cert_write(const struct test_cert *cert, const char *cert_path, const char *key_path);
/* Writes a list of the certificates that ca revoked, PEM, which expires in so many seconds. NULL: revoked none. */
void test_cert_revoke(const struct test_cert *ca, const struct test_cert *revoked, int seconds, const char *path);
/* The same, behind the lists that the file has. */
void test_cert_revoke_too(const struct test_cert *ca, const struct test_cert *revoked, int seconds, const char *path);
/* Sets when a certificate expires, to so many seconds from now. */
void test_cert_expire(struct test_cert *cert, const struct test_cert *issuer, int seconds);
void test_cert_free(struct test_cert *cert);

#endif
