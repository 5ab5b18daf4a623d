#include "service/rpc/token_file.h"

#include "base/buf.h"
#include "base/file.h"

enum { TOKEN_MAX = 512 };

enum ts_status ts_token_file_login(const char *token_file, const char *ca, struct ts_arena *arena, struct ts_client_login *ret_login,
				   struct ts_error *err)
{
	struct ts_client_login login = {.from = token_file, .ca = ca && ca[0] ? ca : NULL};
	struct ts_buf token = TS_BUF_INIT(TOKEN_MAX);
	enum ts_status status = TS_OK;

	if (token_file && token_file[0]) {
		status = ts_file_read(token_file, &token, err);
		while (token.len && token.data[token.len - 1] <= ' ')
			token.len--;
		login.token = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(ts_buf_view(&token)));
		if (!status && !login.token)
			status = ts_arena_error(arena, err);
	}
	ts_buf_finish(&token);
	if (!status)
		*ret_login = login;
	return status;
}
