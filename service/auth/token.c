#include "service/auth/token.h"

#include "base/clock.h"
#include "base/cursor.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/system.h"
#include "base/text.h"

#include <stdio.h>

#define PREFIX "tscope_"
#define KEY "token/"

enum {
	PREFIX_LEN = sizeof PREFIX - 1,
	ID_BYTES = 8,
	CHECK_BYTES = 4,
	ALL_BYTES = TS_TOKEN_BYTES + CHECK_BYTES,
	DIGITS = 58,
	VERSION = 1,
	TRIES = 100
};

static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567";

/* ---- the secret ---- */

static void checksum(const uint8_t bytes[TS_TOKEN_BYTES], uint8_t out[CHECK_BYTES])
{
	uint8_t text[PREFIX_LEN + TS_TOKEN_BYTES];
	struct ts_id digest;

	memcpy(text, PREFIX, PREFIX_LEN);
	memcpy(text + PREFIX_LEN, bytes, TS_TOKEN_BYTES);
	ts_digest(ts_span_of(text, sizeof text), &digest);
	memcpy(out, digest.bytes, CHECK_BYTES);
}

/* The bits of all bytes, the first one first; the last digit has two zero bits. */
static void encode(const uint8_t bytes[TS_TOKEN_BYTES], char out[TS_TOKEN_SECRET + 1])
{
	uint8_t all[ALL_BYTES + 1] = {0};

	memcpy(all, bytes, TS_TOKEN_BYTES);
	checksum(bytes, all + TS_TOKEN_BYTES);
	memcpy(out, PREFIX, PREFIX_LEN);
	for (int i = 0; i < DIGITS; i++) {
		unsigned two = (unsigned)all[5 * i / 8] << 8 | all[5 * i / 8 + 1];

		out[PREFIX_LEN + i] = alphabet[two >> (11 - 5 * i % 8) & 31];
	}
	out[TS_TOKEN_SECRET] = 0;
}

static bool decode(struct ts_span digits, uint8_t all[ALL_BYTES + 1])
{
	memset(all, 0, ALL_BYTES + 1);
	for (int i = 0; i < DIGITS; i++) {
		const char *at = digits.data[i] ? strchr(alphabet, digits.data[i]) : NULL;
		unsigned two;

		if (!at)
			return false;
		two = (unsigned)(at - alphabet) << (11 - 5 * i % 8);
		all[5 * i / 8] = (uint8_t)(all[5 * i / 8] | two >> 8);
		all[5 * i / 8 + 1] = (uint8_t)(all[5 * i / 8 + 1] | two);
	}
	return all[ALL_BYTES] == 0;
}

enum ts_status ts_token_parse(struct ts_span secret, uint8_t ret_bytes[TS_TOKEN_BYTES], struct ts_error *err)
{
	uint8_t all[ALL_BYTES + 1], check[CHECK_BYTES];

	if (secret.len != TS_TOKEN_SECRET || !ts_span_skip(&secret, PREFIX))
		return ts_error_set(err, TS_INVALID, "this is no token: one begins with " PREFIX " and has %d characters",
				    TS_TOKEN_SECRET);
	if (decode(secret, all))
		checksum(all, check);
	else
		return ts_error_set(err, TS_INVALID, "the token has a character that no token has");
	if (memcmp(check, all + TS_TOKEN_BYTES, CHECK_BYTES) != 0)
		return ts_error_set(err, TS_INVALID, "the token is mistyped or cut: its checksum is wrong");
	memcpy(ret_bytes, all, TS_TOKEN_BYTES);
	return TS_OK;
}

static void hash_of(const uint8_t salt[16], const uint8_t bytes[TS_TOKEN_BYTES], uint8_t out[32])
{
	uint8_t text[16 + TS_TOKEN_BYTES];
	struct ts_id digest;

	memcpy(text, salt, 16);
	memcpy(text + 16, bytes, TS_TOKEN_BYTES);
	ts_digest(ts_span_of(text, sizeof text), &digest);
	memcpy(out, digest.bytes, 32);
}

/* Looks at every byte, whatever the ones before it were. */
static bool same(const uint8_t a[32], const uint8_t b[32])
{
	volatile uint8_t differ = 0;

	for (int i = 0; i < 32; i++)
		differ = (uint8_t)(differ | (a[i] ^ b[i]));
	return differ == 0;
}

/* ---- the record ---- */

static struct ts_span key_of(const char id[TS_TOKEN_ID_HEX + 1], char room[32])
{
	return ts_span_of(room, (size_t)snprintf(room, 32, KEY "%s", id));
}

static void put_text(struct ts_buf *buf, const char *text)
{
	ts_buf_u16(buf, (uint16_t)strlen(text));
	ts_buf_str(buf, text);
}

static void pack(const struct ts_token *t, struct ts_buf *buf)
{
	ts_buf_u8(buf, VERSION);
	ts_buf_u8(buf, (uint8_t)t->role);
	ts_buf_u64(buf, (uint64_t)t->made_ns);
	ts_buf_u64(buf, (uint64_t)t->expires_ns);
	ts_buf_bytes(buf, t->salt, sizeof t->salt);
	ts_buf_bytes(buf, t->hash, sizeof t->hash);
	put_text(buf, t->name);
	put_text(buf, t->projects);
	put_text(buf, t->maker);
}

static bool take_bytes(struct ts_cursor *c, uint8_t *out, size_t n)
{
	struct ts_span bytes = ts_cursor_bytes(c, n);

	if (!c->failed)
		memcpy(out, bytes.data, n);
	return !c->failed;
}

static bool take_text(struct ts_cursor *c, char *out, size_t cap)
{
	struct ts_span text = ts_cursor_bytes(c, ts_cursor_u16(c));

	if (c->failed || text.len >= cap || (text.len && memchr(text.data, 0, text.len)))
		return false;
	(void)snprintf(out, cap, "%.*s", TS_SPAN_ARG(text));
	return true;
}

static enum ts_status unpack(struct ts_span key, struct ts_span value, struct ts_token *ret, struct ts_error *err)
{
	struct ts_cursor c = ts_cursor_of(value);
	struct ts_token t = {.role = TS_AUTH_NONE};
	uint8_t version = ts_cursor_u8(&c), role = ts_cursor_u8(&c);
	struct ts_span id = key;

	if (version > VERSION)
		return ts_error_set(err, TS_UNSUPPORTED, "%.*s was made by a newer tscope", TS_SPAN_ARG(key));
	t.role = (enum ts_auth_role)role;
	t.made_ns = (int64_t)ts_cursor_u64(&c);
	t.expires_ns = (int64_t)ts_cursor_u64(&c);
	if (!ts_span_skip(&id, KEY) || id.len != TS_TOKEN_ID_HEX || role == TS_AUTH_NONE || role >= TS_AUTH_ROLES ||
	    !take_bytes(&c, t.salt, sizeof t.salt) || !take_bytes(&c, t.hash, sizeof t.hash) || !take_text(&c, t.name, sizeof t.name) ||
	    !take_text(&c, t.projects, sizeof t.projects) || !take_text(&c, t.maker, sizeof t.maker) || ts_cursor_left(&c))
		return ts_error_set(err, TS_DAMAGED, "%.*s is no record of a token", TS_SPAN_ARG(key));
	memcpy(t.id, id.data, id.len);
	*ret = t;
	return TS_OK;
}

enum ts_status ts_token_check(const struct ts_token *token, struct ts_error *err)
{
	struct ts_span rest = ts_span_str(token->projects);

	if (!token->name[0])
		return ts_error_set(err, TS_INVALID, "a token needs a name");
	for (const char *c = token->name; *c; c++)
		if (!ts_is_alnum((unsigned char)*c) && !strchr("._-@", *c))
			return ts_error_set(err, TS_INVALID, "the name of a token has letters, digits and ._-@ only");
	if (!rest.len)
		return ts_error_set(err, TS_INVALID, "a token needs a project, or * for all");
	if (token->role == TS_AUTH_ADMIN && !ts_span_is(rest, "*"))
		return ts_error_set(err, TS_INVALID, "admin is about the whole server, so the project of its token must be *");
	while (rest.len) {
		size_t through = ts_span_through(rest, ' ').len;

		if (ts_grant_project_check(ts_span_part(rest, 0, through ? through - 1 : rest.len), err))
			return err->status;
		rest = ts_span_from(rest, through ? through : rest.len);
	}
	return TS_OK;
}

static enum ts_status list_seen(struct ts_engine *e, struct ts_arena *arena, struct ts_records_seen *ret_seen,
				struct ts_token **ret_tokens, struct ts_error *err)
{
	struct ts_record *records;
	struct ts_token *tokens;
	size_t n;

	if (e->ops->record_list(e, ts_span_str(KEY), arena, &records, &n, err))
		return err->status;
	tokens = ts_arena_array(arena, n, sizeof *tokens);
	if (!tokens)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		if (unpack(records[i].key, records[i].value, &tokens[i], err))
			return err->status;
	*ret_tokens = tokens;
	*ret_seen = (struct ts_records_seen){ts_span_str(KEY), records, n};
	return TS_OK;
}

enum ts_status ts_token_list(struct ts_engine *e, struct ts_arena *arena, struct ts_token **ret_tokens, size_t *ret_n,
			     struct ts_error *err)
{
	struct ts_records_seen seen;

	if (list_seen(e, arena, &seen, ret_tokens, err))
		return err->status;
	*ret_n = seen.n;
	return TS_OK;
}

/* What is to be done to the tokens, decided by those that there are: again where others changed them meanwhile. */
struct change {
	struct ts_record record;
	enum ts_status (*decide)(struct change *change, const struct ts_token *tokens, size_t n, struct ts_error *err);
	const struct ts_token *made;
	struct ts_span which;
	struct ts_token found;
	char room[32];
};

static enum ts_status change_tokens(struct ts_engine *e, struct change *change, struct ts_error *err)
{
	struct ts_records_seen seen;
	struct ts_token *tokens;
	struct ts_arena arena;
	enum ts_status status;
	bool decided;

	ts_arena_init(&arena, TS_CALL_ARENA);
	for (int tries = 0;; tries++) {
		ts_arena_reset(&arena);
		status = list_seen(e, &arena, &seen, &tokens, err);
		if (!status)
			status = change->decide(change, tokens, seen.n, err);
		decided = !status;
		if (decided)
			status = e->ops->record_put(e, &change->record, &seen, err);
		if (!decided || status != TS_CONFLICT || tries == TRIES)
			break;
	}
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status name_free(struct change *change, const struct ts_token *tokens, size_t n, struct ts_error *err)
{
	if (n >= TS_TOKENS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "the server has %d tokens already; revoke some", TS_TOKENS_MAX);
	for (size_t i = 0; i < n; i++)
		if (strcmp(tokens[i].name, change->made->name) == 0)
			return ts_error_set(err, TS_CONFLICT, "there is a token %s already; revoke it first, or take another name",
					    change->made->name);
	return TS_OK;
}

enum ts_status ts_token_make(struct ts_engine *e, struct ts_token *io_token, char ret_secret[TS_TOKEN_SECRET + 1], struct ts_error *err)
{
	struct ts_buf value = TS_BUF_INIT(TS_RECORD_MAX), hex = TS_BUF_INIT(64);
	struct change change = {.decide = name_free, .made = io_token};
	uint8_t bytes[TS_TOKEN_BYTES];
	enum ts_status status;

	if (ts_token_check(io_token, err) || ts_system_random(bytes, sizeof bytes, err) ||
	    ts_system_random(io_token->salt, sizeof io_token->salt, err))
		return err->status;
	hash_of(io_token->salt, bytes, io_token->hash);
	ts_print_hex(&hex, ts_span_of(bytes, ID_BYTES));
	pack(io_token, &value);
	status = ts_buf_check(&hex, err) || ts_buf_check(&value, err) ? err->status : TS_OK;
	if (!status) {
		(void)snprintf(io_token->id, sizeof io_token->id, "%.*s", TS_SPAN_ARG(ts_buf_view(&hex)));
		change.record = (struct ts_record){key_of(io_token->id, change.room), ts_buf_view(&value)};
		status = change_tokens(e, &change, err);
	}
	if (!status)
		encode(bytes, ret_secret);
	ts_buf_finish(&hex);
	ts_buf_finish(&value);
	return status;
}

static enum ts_status find_named(struct change *change, const struct ts_token *tokens, size_t n, struct ts_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (ts_span_is(change->which, tokens[i].id) || ts_span_is(change->which, tokens[i].name)) {
			change->found = tokens[i];
			change->record = (struct ts_record){.key = key_of(change->found.id, change->room)};
			return TS_OK;
		}
	return ts_error_set(err, TS_NOT_FOUND, "there is no token %.*s", TS_SPAN_ARG(change->which));
}

enum ts_status ts_token_revoke(struct ts_engine *e, struct ts_span which, struct ts_token *ret_token, struct ts_error *err)
{
	struct change change = {.decide = find_named, .which = which};

	if (change_tokens(e, &change, err))
		return err->status;
	*ret_token = change.found;
	return TS_OK;
}

static enum ts_status judge(const struct ts_token *token, const uint8_t bytes[TS_TOKEN_BYTES], int64_t now_ns, struct ts_error *err)
{
	uint8_t hash[32];
	char when[TS_TIME_TEXT];

	hash_of(token->salt, bytes, hash);
	if (!same(hash, token->hash))
		return ts_error_set(err, TS_DENIED, "the server knows no such token: it was revoked, or is of another server");
	if (now_ns >= token->expires_ns)
		return ts_error_set(err, TS_DENIED, "the token %s expired at %s", token->name, ts_time_text(token->expires_ns, when));
	return TS_OK;
}

enum ts_status ts_token_find(struct ts_engine *e, struct ts_span secret, int64_t now_ns, struct ts_token *ret_token,
			     struct ts_error *err)
{
	struct ts_buf hex = TS_BUF_INIT(64);
	uint8_t bytes[TS_TOKEN_BYTES];
	struct ts_token token = {.role = TS_AUTH_NONE};
	struct ts_arena arena;
	struct ts_span value;
	enum ts_status status;
	char room[32];

	if (ts_token_parse(secret, bytes, err)) {
		err->status = TS_DENIED;
		return TS_DENIED;
	}
	ts_arena_init(&arena, 2 * TS_RECORD_MAX);
	ts_print_hex(&hex, ts_span_of(bytes, ID_BYTES));
	status = ts_buf_check(&hex, err);
	if (!status) {
		(void)snprintf(token.id, sizeof token.id, "%.*s", TS_SPAN_ARG(ts_buf_view(&hex)));
		status = e->ops->record_get(e, key_of(token.id, room), &arena, &value, err);
		/* No such record: the hash of a token without one is compared all the same. */
		if (!status)
			status = unpack(key_of(token.id, room), value, &token, err);
		else if (status == TS_NOT_FOUND)
			status = TS_OK;
	}
	if (!status)
		status = judge(&token, bytes, now_ns, err);
	if (!status)
		*ret_token = token;
	ts_buf_finish(&hex);
	ts_arena_finish(&arena);
	return status;
}

bool ts_token_lives(struct ts_engine *e, const char id[TS_TOKEN_ID_HEX + 1], int64_t now_ns)
{
	struct ts_token token = {.expires_ns = INT64_MAX};
	struct ts_arena arena;
	struct ts_span value;
	struct ts_error err;
	enum ts_status status;
	char room[32];

	ts_arena_init(&arena, 2 * TS_RECORD_MAX);
	status = e->ops->record_get(e, key_of(id, room), &arena, &value, &err);
	if (!status)
		status = unpack(key_of(id, room), value, &token, &err);
	ts_arena_finish(&arena);
	return status ? status != TS_NOT_FOUND : now_ns < token.expires_ns;
}
