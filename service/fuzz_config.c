/* Any bytes as tscoped.conf: refused with a line, or every setting is one that the table allows. */
#include "service/config.h"

#include "base/log.h"
#include "service/config_table.h"
#include "service/rpc/listen.h"
#include "tests/fuzz/fuzz_files.h"
#include "tests/fuzz/fuzz_hold.h"

#include <stdio.h>
#include <unistd.h>

static void check(const struct ts_config *config)
{
	struct ts_address address;
	struct ts_quota quota;
	enum ts_tls_client client;
	struct ts_error err;
	bool tls;

	for (size_t i = 0; i < ts_n_options; i++) {
		const struct ts_option *option = &ts_options[i];
		unsigned value;

		if (option->type != TS_OPTION_NUMBER && option->type != TS_OPTION_OCTAL)
			continue;
		memcpy(&value, (const char *)config + option->offset, sizeof value);
		hold(value >= option->min && value <= option->max);
	}
	hold(config->log_level <= TS_LOG_DEBUG && config->n_listen <= TS_CONFIG_LISTEN_MAX);
	for (unsigned i = 0; i < config->n_listen; i++)
		hold(ts_listen_parse(config->listen[i], &address, &tls, &err) == TS_OK && address.kind == TS_ADDRESS_TCP);
	for (unsigned i = 0; i < config->n_quotas; i++)
		hold(ts_quota_parse(ts_span_str(config->quotas[i].text), &quota, &err) == TS_OK && quota.whose.len &&
		     quota.kind >= 0 && quota.kind < TS_QUOTA_KINDS);
	hold(ts_tls_client_word(config->tls_client_auth, &client) && (!client || config->tls_client_ca[0]));
	hold(config->store[0] && (config->socket[0] || config->n_listen));
	hold(!config->check && !config->help && !config->backup[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz_file("tscoped.conf");
	char flag[300], program[] = "tscoped", *argv[] = {program, flag, NULL};
	struct ts_config config;
	struct ts_error err;

	fuzz_write(fd, data, size);
	(void)snprintf(flag, sizeof flag, "--config=%s", fuzz_file_path(fd));
	ts_config_init(&config);
	if (!ts_config_load(&config, 2, argv, &err))
		check(&config);
	ts_config_finish(&config);
	(void)close(fd);
	return 0;
}
