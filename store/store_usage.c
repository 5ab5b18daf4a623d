/* store_usage.c - what each project and each sender uses: the records, and the bill of one write.
 *
 * What was sent and not named yet has a record by its place. The commit that names it takes the record away, so that each object is
 * charged once, to the project that names it first, and its bytes leave the account of whoever sent it. Records by place lie side by
 * side: a push writes a page or two more, whatever its ids are. */
#include "base/grow.h"
#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/cursor.h"

#include <xxhash.h>

enum { KEY_MAX = 1 + TS_REF_NAME_MAX, VALUE_MAX = 8 * TS_USES + 2 + TS_WHO_MAX + 4 };

/* ---- bills ---- */

void ts_bill_finish(struct ts_bill *bill)
{
	ts_free(bill->charges);
	*bill = (struct ts_bill){0};
}

uint64_t ts_sender_key(struct ts_span name)
{
	return name.len ? XXH3_64bits(name.data, name.len) : 0;
}

struct ts_span ts_project_of(struct ts_span name)
{
	struct ts_span through = ts_span_through(name, '/');

	return through.len ? ts_span_of(through.data, through.len - 1) : name;
}

static bool is_same(const struct ts_charge *a, const struct ts_charge *b)
{
	return a->sender == b->sender && (a->sender ? a->key == b->key : ts_span_eq(a->name, b->name));
}

static enum ts_status charge(struct ts_bill *bill, const struct ts_charge *whose, enum ts_use use, int64_t more, struct ts_error *err)
{
	size_t i = 0;

	while (i < bill->n && !is_same(&bill->charges[i], whose))
		i++;
	if (!TS_GROW(bill->charges, bill->cap, i + 1, 8))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the counts of %zu projects", i + 1);
	if (i == bill->n)
		bill->charges[bill->n++] = *whose;
	bill->charges[i].more[use] += more;
	return TS_OK;
}

enum ts_status ts_bill_project(struct ts_bill *bill, struct ts_span project, enum ts_use use, int64_t more, struct ts_error *err)
{
	return more ? charge(bill, &(struct ts_charge){.name = project}, use, more, err) : TS_OK;
}

enum ts_status ts_bill_sender(struct ts_bill *bill, uint64_t key, struct ts_span name, int64_t more, struct ts_error *err)
{
	if (!key || !more)
		return TS_OK;
	return charge(bill, &(struct ts_charge){.sender = true, .key = key, .name = name}, TS_USE_UNNAMED, more, err);
}

/* ---- records ---- */

static struct ts_span key_of(bool sender, uint64_t key, struct ts_span name, uint8_t room[KEY_MAX])
{
	room[0] = sender ? 's' : 'p';
	if (sender)
		ts_pack_key(key, room + 1);
	else if (name.len)
		memcpy(room + 1, name.data, name.len);
	return ts_span_of(room, 1 + (sender ? 8 : name.len));
}

bool ts_usage_parse(struct ts_span key, struct ts_span stored, struct ts_account *ret, uint64_t *ret_key)
{
	struct ts_account account = {.sender = key.len == 9 && key.data[0] == 's'};
	struct ts_error damage;
	struct ts_span value;
	struct ts_cursor c;

	if (key.len < 1 || (!account.sender && key.data[0] != 'p') || ts_check_split(key, stored, &value, &damage))
		return false;
	c = ts_cursor_of(value);
	for (int i = 0; i < TS_USES; i++)
		account.used[i] = ts_cursor_u64(&c);
	account.name = ts_text_take(&c);
	if (c.failed)
		return false;
	*ret_key = account.sender ? ts_load_be(key.data + 1, 8) : 0;
	*ret = account;
	return true;
}

/* The name of *ret points into the database, or is that which was asked for. */
static enum ts_status read_usage(struct ts_read r, bool sender, uint64_t key, struct ts_span name, struct ts_account *ret,
				 struct ts_error *err)
{
	uint8_t room[KEY_MAX];
	struct ts_span at, stored;
	bool found = false;

	*ret = (struct ts_account){.sender = sender, .name = name};
	if (name.len > TS_REF_NAME_MAX)
		return TS_OK;
	at = key_of(sender, key, name, room);
	if (ts_read_get(r, TS_DB_USAGE, at, &stored, &found, err))
		return err->status;
	if (found && !ts_usage_parse(at, stored, ret, &key))
		*ret = (struct ts_account){.sender = sender, .name = name};
	return TS_OK;
}

static void look_at(const struct ts_charge *c, const struct ts_spending *spending, struct ts_over *over)
{
	for (int use = 0; use < TS_USES && !over->found; use++) {
		uint64_t limit = UINT64_MAX, used = over->account.used[use];

		if (c->more[use] > 0)
			limit = spending->limit(spending->ctx, &over->account, (enum ts_use)use);
		over->found = limit != UINT64_MAX && (used > limit || (uint64_t)c->more[use] > limit - used);
		over->use = (enum ts_use)use;
		over->more = (uint64_t)c->more[use];
	}
}

enum ts_status ts_bill_look(const struct ts_bill *bill, struct ts_read r, const struct ts_spending *spending, struct ts_over *ret,
			    struct ts_error *err)
{
	struct ts_over over = {.found = false};

	for (size_t i = 0; spending && i < bill->n && !over.found; i++) {
		const struct ts_charge *c = &bill->charges[i];

		if (read_usage(r, c->sender, c->key, c->name, &over.account, err))
			return err->status;
		look_at(c, spending, &over);
	}
	*ret = over;
	return TS_OK;
}

enum ts_status ts_bill_check(const struct ts_bill *bill, struct ts_read r, const struct ts_spending *spending, struct ts_error *err)
{
	struct ts_over over;

	if (ts_bill_look(bill, r, spending, &over, err))
		return err->status;
	return over.found ? spending->refuse(spending->ctx, &over.account, over.use, over.more, err) : TS_OK;
}

static uint64_t add(uint64_t used, int64_t more)
{
	uint64_t less = more < 0 ? (uint64_t)-more : 0;

	if (more >= 0)
		return used + (uint64_t)more;
	return used > less ? used - less : 0;
}

/* What uses nothing has no record. */
static enum ts_status write_charge(struct ts_write *w, const struct ts_charge *c, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(VALUE_MAX);
	struct ts_account account;
	uint8_t room[KEY_MAX];
	struct ts_span key;
	enum ts_status status;
	bool any = false;

	if (read_usage(ts_read_of(w), c->sender, c->key, c->name, &account, err))
		return err->status;
	for (int i = 0; i < TS_USES; i++) {
		uint64_t used = add(account.used[i], c->more[i]);

		any |= used != 0;
		ts_buf_u64(&buf, used);
	}
	ts_text_append(&buf, account.name.len ? account.name : c->name);
	key = key_of(c->sender, c->key, c->name, room);
	ts_check_append(&buf, key);
	status = ts_buf_check(&buf, err);
	if (!status)
		status = any ? ts_write_put(w, TS_DB_USAGE, key, ts_buf_view(&buf), err) : ts_write_delete(w, TS_DB_USAGE, key, err);
	ts_buf_finish(&buf);
	return status;
}

enum ts_status ts_bill_write(const struct ts_bill *bill, struct ts_write *w, struct ts_error *err)
{
	for (size_t i = 0; i < bill->n; i++) {
		const struct ts_charge *c = &bill->charges[i];
		bool any = false;

		for (int use = 0; use < TS_USES; use++)
			any |= c->more[use] != 0;
		if (any && write_charge(w, c, err))
			return err->status;
	}
	return TS_OK;
}

/* ---- what was sent and not named ---- */

struct ts_span ts_unnamed_key(uint64_t pack, uint32_t offset, uint8_t out[TS_UNNAMED_KEY])
{
	ts_pack_key(pack, out);
	ts_store_be(out + 8, offset, 4);
	return ts_span_of(out, TS_UNNAMED_KEY);
}

bool ts_unnamed_parse(struct ts_span key, struct ts_span stored, struct ts_unnamed *ret)
{
	struct ts_error damage;
	struct ts_span value;
	struct ts_cursor c;

	if (key.len != TS_UNNAMED_KEY || ts_check_split(key, stored, &value, &damage) || value.len != 12)
		return false;
	c = ts_cursor_of(value);
	ret->sender = ts_cursor_u64(&c);
	ret->len = ts_cursor_u32(&c);
	return true;
}

enum ts_status ts_unnamed_get(struct ts_read r, uint64_t pack, uint32_t offset, struct ts_unnamed *ret, bool *ret_found,
			      struct ts_error *err)
{
	uint8_t room[TS_UNNAMED_KEY];
	struct ts_span key = ts_unnamed_key(pack, offset, room), stored;

	*ret_found = false;
	if (ts_read_get(r, TS_DB_UNNAMED, key, &stored, ret_found, err))
		return err->status;
	*ret_found = *ret_found && ts_unnamed_parse(key, stored, ret);
	return TS_OK;
}

enum ts_status ts_unnamed_put(struct ts_write *w, uint64_t pack, uint32_t offset, const struct ts_unnamed *unnamed,
			      struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(64);
	uint8_t room[TS_UNNAMED_KEY];
	struct ts_span key = ts_unnamed_key(pack, offset, room);

	ts_buf_u64(&buf, unnamed->sender);
	ts_buf_u32(&buf, unnamed->len);
	return ts_write_record(w, TS_DB_UNNAMED, key, &buf, err);
}

enum ts_status ts_unnamed_drop(struct ts_write *w, uint64_t pack, uint32_t offset, struct ts_bill *bill, struct ts_error *err)
{
	struct ts_unnamed unnamed;
	uint8_t room[TS_UNNAMED_KEY];
	bool found;

	if (ts_unnamed_get(ts_read_of(w), pack, offset, &unnamed, &found, err))
		return err->status;
	if (!found)
		return TS_OK;
	if (ts_bill_sender(bill, unnamed.sender, ts_span_of(NULL, 0), -(int64_t)unnamed.len, err))
		return err->status;
	return ts_write_delete(w, TS_DB_UNNAMED, ts_unnamed_key(pack, offset, room), err);
}

enum ts_status ts_unnamed_move(struct ts_write *w, uint64_t pack, uint32_t offset, uint64_t to_pack, uint32_t to_offset,
			       struct ts_error *err)
{
	struct ts_unnamed unnamed;
	uint8_t room[TS_UNNAMED_KEY];
	bool found;

	if (ts_unnamed_get(ts_read_of(w), pack, offset, &unnamed, &found, err))
		return err->status;
	if (!found)
		return TS_OK;
	if (ts_write_delete(w, TS_DB_UNNAMED, ts_unnamed_key(pack, offset, room), err))
		return err->status;
	return ts_unnamed_put(w, to_pack, to_offset, &unnamed, err);
}

/* ---- asking ---- */

static enum ts_status read_counted(struct ts_read r, bool *ret_counted, struct ts_error *err)
{
	uint64_t counted;

	if (ts_read_u64(r, "counted", &counted, err))
		return err->status;
	*ret_counted = counted != 0;
	return TS_OK;
}

enum ts_status ts_store_usage_get(struct ts_engine *e, bool sender, struct ts_span name, uint64_t ret_used[TS_USES], bool *ret_counted,
				 struct ts_error *err)
{
	struct ts_account account;
	enum ts_status status;
	struct ts_read r;
	bool counted = false;

	if (ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	status = read_usage(r, sender, ts_sender_key(name), name, &account, err);
	if (!status)
		status = read_counted(r, &counted, err);
	ts_read_end(&r);
	if (status)
		return status;
	memcpy(ret_used, account.used, sizeof account.used);
	*ret_counted = counted;
	return TS_OK;
}

static enum ts_status list_usage(struct ts_read r, struct ts_arena *arena, struct ts_account *accounts, size_t cap, size_t *ret_n,
				 struct ts_error *err)
{
	enum ts_status status;
	struct ts_walk walk;
	uint64_t key;
	bool found;
	size_t n = 0;

	for (status = ts_walk_open(&walk, r, TS_DB_USAGE, ts_span_of(NULL, 0), &found, err); !status && found && n < cap;
	     status = status ? status : ts_walk_on(&walk, &found, err)) {
		if (ts_usage_parse(walk.key, walk.value, &accounts[n], &key)) {
			accounts[n].name = ts_arena_span(arena, accounts[n].name);
			if (!accounts[n].name.data)
				status = ts_arena_error(arena, err);
			n++;
		}
	}
	ts_walk_end(&walk);
	*ret_n = n;
	return status;
}

enum ts_status ts_store_usage_list(struct ts_engine *e, struct ts_arena *arena, struct ts_account **ret_accounts, size_t *ret_n,
				  bool *ret_counted, struct ts_error *err)
{
	struct ts_account *accounts = NULL;
	enum ts_status status;
	struct ts_read r;
	uint64_t cap = 0;
	size_t n = 0;
	bool counted = false;

	if (ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	status = read_counted(r, &counted, err);
	if (!status)
		status = ts_read_count(r, TS_DB_USAGE, &cap, err);
	if (!status) {
		accounts = ts_arena_array(arena, cap, sizeof *accounts);
		status = accounts ? TS_OK : ts_arena_error(arena, err);
	}
	if (!status && cap)
		status = list_usage(r, arena, accounts, cap, &n, err);
	ts_read_end(&r);
	if (status)
		return status;
	*ret_accounts = accounts;
	*ret_n = n;
	*ret_counted = counted;
	return TS_OK;
}
