#include "service/rpc/guard/test_cert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>

static void extend(X509 *cert, X509 *issuer, int what, const char *value)
{
	X509_EXTENSION *extension;
	X509V3_CTX context;

	X509V3_set_ctx(&context, issuer, cert, NULL, NULL, 0);
	extension = X509V3_EXT_conf_nid(NULL, &context, what, value);
	assert_non_null(extension);
	assert_int_equal(X509_add_ext(cert, extension, -1), 1);
	X509_EXTENSION_free(extension);
}

static struct test_cert make(const char *subject, const char *names, const struct test_cert *issuer, int days, bool is_ca)
{
	static long serial;
	struct test_cert made = {.key = EVP_EC_gen("P-256"), .cert = X509_new()};
	const struct test_cert *by = issuer ? issuer : &made;
	X509_NAME *name;

	assert_non_null(made.key);
	assert_non_null(made.cert);
	assert_int_equal(X509_set_version(made.cert, X509_VERSION_3), 1);
	assert_int_equal(ASN1_INTEGER_set(X509_get_serialNumber(made.cert), ++serial), 1);
	assert_non_null(X509_gmtime_adj(X509_getm_notBefore(made.cert), -3 * 86400));
	assert_non_null(X509_gmtime_adj(X509_getm_notAfter(made.cert), days * 86400L));
	assert_int_equal(X509_set_pubkey(made.cert, made.key), 1);
	name = X509_get_subject_name(made.cert);
	assert_int_equal(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)subject, -1, -1, 0), 1);
	assert_int_equal(X509_set_issuer_name(made.cert, X509_get_subject_name(by->cert)), 1);
	if (is_ca)
		extend(made.cert, made.cert, NID_basic_constraints, "critical,CA:TRUE");
	if (names)
		extend(made.cert, by->cert, NID_subject_alt_name, names);
	assert_true(X509_sign(made.cert, by->key, EVP_sha256()) > 0);
	return made;
}

struct test_cert test_cert_make(const char *subject, const char *names, const struct test_cert *issuer, int days)
{
	return make(subject, names, issuer, days, !issuer);
}

struct test_cert test_cert_make_ca(const char *subject, const struct test_cert *issuer, int days)
{
	return make(subject, NULL, issuer, days, true);
}

void test_cert_write(const struct test_cert *cert, const char *cert_path, const char *key_path)
{
	FILE *f;

	if (cert_path) {
		f = fopen(cert_path, "w");
		assert_non_null(f);
		assert_int_equal(PEM_write_X509(f, cert->cert), 1);
		assert_int_equal(fclose(f), 0);
	}
	if (key_path) {
		f = fopen(key_path, "w");
		assert_non_null(f);
		assert_int_equal(PEM_write_PrivateKey(f, cert->key, NULL, NULL, 0, NULL, NULL), 1);
		assert_int_equal(fclose(f), 0);
	}
}

static void revoke(const struct test_cert *ca, const struct test_cert *revoked, int seconds, const char *path, const char *mode)
{
	X509_CRL *list = X509_CRL_new();
	ASN1_TIME *at = X509_gmtime_adj(NULL, -3 * 86400);
	X509_REVOKED *entry;
	FILE *f = fopen(path, mode);

	assert_non_null(list);
	assert_non_null(f);
	assert_int_equal(X509_CRL_set_version(list, X509_CRL_VERSION_2), 1);
	assert_int_equal(X509_CRL_set_issuer_name(list, X509_get_subject_name(ca->cert)), 1);
	assert_int_equal(X509_CRL_set1_lastUpdate(list, at), 1);
	if (revoked) {
		entry = X509_REVOKED_new();
		assert_int_equal(X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(revoked->cert)), 1);
		assert_int_equal(X509_REVOKED_set_revocationDate(entry, at), 1);
		assert_int_equal(X509_CRL_add0_revoked(list, entry), 1);
	}
	assert_non_null(X509_gmtime_adj(at, seconds));
	assert_int_equal(X509_CRL_set1_nextUpdate(list, at), 1);
	assert_true(X509_CRL_sign(list, ca->key, EVP_sha256()) > 0);
	assert_int_equal(PEM_write_X509_CRL(f, list), 1);
	assert_int_equal(fclose(f), 0);
	ASN1_TIME_free(at);
	X509_CRL_free(list);
}

void test_cert_revoke(const struct test_cert *ca, const struct test_cert *revoked, int seconds, const char *path)
{
	revoke(ca, revoked, seconds, path, "w");
}

void test_cert_revoke_too(const struct test_cert *ca, const struct test_cert *revoked, int seconds, const char *path)
{
	revoke(ca, revoked, seconds, path, "a");
}

void test_cert_expire(struct test_cert *cert, const struct test_cert *issuer, int seconds)
{
	assert_non_null(X509_gmtime_adj(X509_getm_notAfter(cert->cert), seconds));
	assert_true(X509_sign(cert->cert, issuer->key, EVP_sha256()) > 0);
}

void test_cert_free(struct test_cert *cert)
{
	X509_free(cert->cert);
	EVP_PKEY_free(cert->key);
}
