/* client_tls.c - a channel over TLS: whose certificates the client believes, and its own if it has one. */
#include "service/rpc/client_call.h"

#include "base/file.h"
#include "base/text.h"

#include <grpc/grpc_security.h>
#include <stdio.h>
#include <unistd.h>

enum { PEM_MAX = 4 << 20 };

/* Where systems keep the certificates of the CAs that everybody believes. */
static const char *const bundles[] = {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"};

static enum ts_status read_pem(const char *path, const char *what, struct ts_buf *out, struct ts_error *err)
{
	if (ts_file_read(path, out, err))
		return ts_error_prefix(err, "%s", what);
	ts_buf_char(out, 0);
	if (ts_buf_check(out, err))
		return err->status;
	if (strlen((const char *)out->data) + 1 != out->len || !strstr((const char *)out->data, "-----BEGIN "))
		return ts_error_set(err, TS_INVALID, "%s: %s is no PEM file", what, path);
	return TS_OK;
}

static enum ts_status read_roots(const char *path, struct ts_buf *out, struct ts_error *err)
{
	for (size_t i = 0; !path && i < sizeof bundles / sizeof bundles[0]; i++)
		if (access(bundles[i], R_OK) == 0)
			path = bundles[i];
	if (!path)
		return ts_error_set(err, TS_NOT_FOUND,
				    "this system has no file of CA certificates; name one by tscope login --ca, or TSCOPE_CA");
	return read_pem(path, "the certificate of the CA", out, err);
}

enum ts_status ts_client_tls(struct ts_client *client, const grpc_channel_args *args, struct ts_error *err)
{
	struct ts_buf ca = TS_BUF_INIT(PEM_MAX), cert = TS_BUF_INIT(PEM_MAX), key = TS_BUF_INIT(PEM_MAX);
	const struct ts_client_login *login = &client->login;
	grpc_channel_credentials *credentials = NULL;
	enum ts_status status = read_roots(login->ca, &ca, err);
	grpc_ssl_pem_key_cert_pair pair;
	char target[300];

	if (!status && !login->cert != !login->key)
		status = ts_error_set(err, TS_INVALID, "a client certificate needs its key, and a key its certificate");
	if (!status && login->cert)
		status = read_pem(login->cert, "the client's certificate", &cert, err);
	if (!status && login->cert)
		status = read_pem(login->key, "the client's key", &key, err);
	if (!status) {
		pair = (grpc_ssl_pem_key_cert_pair){(const char *)key.data, (const char *)cert.data};
		credentials = grpc_ssl_credentials_create((const char *)ca.data, login->cert ? &pair : NULL, NULL, NULL);
		if (!credentials)
			status = ts_error_set(err, TS_INVALID, "C-core does not take the certificates");
	}
	if (!status) {
		(void)snprintf(target, sizeof target, strchr(client->address.host, ':') ? "[%s]:%s" : "%s:%s", client->address.host,
			       client->address.port);
		client->core = grpc_channel_create(target, credentials, args);
	}
	if (credentials)
		grpc_channel_credentials_release(credentials);
	if (key.data)
		memset(key.data, 0, key.len);
	ts_buf_finish(&key);
	ts_buf_finish(&cert);
	ts_buf_finish(&ca);
	return status;
}
