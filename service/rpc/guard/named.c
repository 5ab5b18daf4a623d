#include "service/rpc/guard/named.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>

static bool keep(struct ts_span name, char out[TS_PEER_TEXT])
{
	if (!name.len || name.len >= TS_PEER_TEXT)
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (name.data[i] < ' ' || name.data[i] > '~')
			return false;
	memcpy(out, name.data, name.len);
	out[name.len] = '\0';
	return true;
}

/* The first alternative name of that kind, which must be fit to be shown whole. */
static bool alternative(const GENERAL_NAMES *names, int kind, char out[TS_PEER_TEXT])
{
	for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
		const GENERAL_NAME *one = sk_GENERAL_NAME_value(names, i);

		if (one->type == kind)
			return keep(ts_span_of(ASN1_STRING_get0_data(one->d.ia5), (size_t)ASN1_STRING_length(one->d.ia5)), out);
	}
	return false;
}

static bool subject(X509 *cert, char out[TS_PEER_TEXT])
{
	BIO *bio = BIO_new(BIO_s_mem());
	char *bytes = NULL;
	bool fine = false;
	long n;

	if (bio && X509_NAME_print_ex(bio, X509_get_subject_name(cert), 0, XN_FLAG_RFC2253) >= 0) {
		n = BIO_get_mem_data(bio, &bytes);
		fine = n > 0 && keep(ts_span_of(bytes, (size_t)n), out);
	}
	BIO_free(bio);
	return fine;
}

static void digest(X509 *cert, char out[TS_PEER_TEXT])
{
	unsigned char bytes[EVP_MAX_MD_SIZE];
	unsigned n = 0;
	size_t at = (size_t)snprintf(out, TS_PEER_TEXT, "sha256:");

	(void)X509_digest(cert, EVP_sha256(), bytes, &n);
	for (unsigned i = 0; i < n; i++)
		at += (size_t)snprintf(out + at, TS_PEER_TEXT - at, "%02x", bytes[i]);
}

/* Whether the certificate has an alternative name of one of the kinds, be it fit to be shown or not. */
static bool has_alternative(const GENERAL_NAMES *names)
{
	for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
		int kind = sk_GENERAL_NAME_value(names, i)->type;

		if (kind == GEN_URI || kind == GEN_EMAIL || kind == GEN_DNS)
			return true;
	}
	return false;
}

void ts_identity_name(X509 *cert, char out[TS_PEER_TEXT])
{
	GENERAL_NAMES *names = X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
	bool found;

	if (has_alternative(names))
		found = alternative(names, GEN_URI, out) || alternative(names, GEN_EMAIL, out) || alternative(names, GEN_DNS, out);
	else
		found = subject(cert, out);
	if (!found)
		digest(cert, out);
	GENERAL_NAMES_free(names);
}

bool ts_identity_of(const SSL *ssl, struct ts_peer *peer)
{
	X509 *cert = SSL_get1_peer_certificate(ssl);
	struct ts_peer found = {.kind = TS_PEER_CERTIFICATE, .private_line = true};

	if (!cert || SSL_get_verify_result(ssl) != X509_V_OK) {
		X509_free(cert);
		return false;
	}
	ts_identity_name(cert, found.name);
	found.key = ts_peer_key(TS_PEER_CERTIFICATE, ts_span_str(found.name));
	*peer = found;
	X509_free(cert);
	return true;
}

const char *ts_identity_refused(const SSL *ssl, char out[TS_PEER_TEXT])
{
	X509 *cert = SSL_get0_peer_certificate(ssl);
	STACK_OF(X509) *chain = SSL_get0_verified_chain(ssl); /* also of a verification that failed */
	long result = SSL_get_verify_result(ssl);

	if (!cert && sk_X509_num(chain) > 0)
		cert = sk_X509_value(chain, 0);
	if (result == X509_V_OK && cert && X509_cmp_current_time(X509_get0_notAfter(cert)) < 0)
		result = X509_V_ERR_CERT_HAS_EXPIRED;
	if (result == X509_V_OK)
		return NULL;
	(void)snprintf(out, TS_PEER_TEXT, "unknown");
	if (cert)
		ts_identity_name(cert, out);
	return X509_verify_cert_error_string(result);
}
