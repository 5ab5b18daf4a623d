#include "store/deflate.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "base/limits.h"
#include "store/inflate.h"
#include "store/line_forms.h"
#include "store/matches.h"

#include <pthread.h>

enum phase { IN_MEMBER, IN_BLOCK, IN_TOKENS, IN_TRAILER };

enum {
	TRAILER_BITS = 64,
	SAMPLE = 20000, /* tokens by which a level is chosen */
	FEW_IN = 4,	/* no level is right if more than one in so many guesses is wrong */
	FIRST_TOKENS = 1 << 16,
	FIRST_ITEMS = 256,
	RESTART_WORK = 4096,
	HEAD_WORK = 32768,
	WRONG_BYTES = 16, /* that a wrong guess takes at most */
	REST_MAX = 8 * TS_OBJECT_MAX,
	LARGE = 8 << 20, /* a text of more than so much is opened by one thread at a time */
};

/* What stands in a piece, in this order. */
struct item {
	bool restarts; /* a member begins: what stands before is not matched any more */
	size_t bits;   /* that are written as they are */
	size_t passed; /* bytes of text that they stand for */
	/* Of a block; hidden: it stands in an earlier piece. */
	enum { HEAD_NONE, HEAD_SHOWN, HEAD_HIDDEN } head;
	size_t tokens;
};

/* Beside what is looked at for tokens: tables are made anew. */
static uint64_t work_of(const struct item *item)
{
	return (item->restarts ? RESTART_WORK : 0) + (item->head != HEAD_NONE ? HEAD_WORK : 0);
}

/* The most that a piece may take. */
static uint64_t most_work(size_t len)
{
	return ((uint64_t)len + TS_DEFLATE_MORE) * TS_DEFLATE_WORK;
}

enum { RESTARTS = 1, HEAD_SHIFT = 1, TEXT_ZSTD = 0, TEXT_LINES = 1 };

/* --- what is said of a piece --- */

struct piece {
	struct ts_buf text; /* the window, then what the piece says */
	size_t window;
	struct item *items;
	struct ts_token *tokens;
	size_t n_items, n_tokens, items_cap, tokens_cap;
	struct ts_buf bits; /* those of items, and hidden heads */
	size_t n_bits;
	struct ts_codes *codes;
};

static void piece_finish(struct piece *p)
{
	ts_buf_finish(&p->text);
	ts_buf_finish(&p->bits);
	ts_free(p->items);
	ts_free(p->tokens);
	ts_free(p->codes);
}

static struct item *add_item(struct piece *p)
{
	if (!TS_GROW(p->items, p->items_cap, p->n_items + 1, FIRST_ITEMS))
		return NULL;
	return &p->items[p->n_items++];
}

/* The item to which bits or a head can be added. */
static struct item *open_item(struct piece *p)
{
	struct item *item = p->n_items ? &p->items[p->n_items - 1] : NULL;

	return item && item->head == HEAD_NONE ? item : add_item(p);
}

static bool keep_bits(struct piece *p, const struct ts_bits *in, size_t from, size_t to)
{
	struct ts_bits bits = {.data = in->data, .at = from, .end = to};
	struct ts_bits_out out;
	size_t bytes = (p->n_bits + (to - from) + 7) / 8;

	if (bytes > p->bits.len) {
		uint8_t *room = ts_buf_reserve(&p->bits, bytes - p->bits.len);

		if (!room)
			return false;
		memset(room, 0, bytes - p->bits.len);
		p->bits.len = bytes;
	}
	out = (struct ts_bits_out){.data = p->bits.data, .at = p->n_bits, .end = p->bits.len * 8};
	ts_bits_copy(&bits, to - from, &out);
	p->n_bits = out.at;
	return !out.failed;
}

/* Bits of the piece that are written as they are, and stand for so much text. */
static bool keep(struct piece *p, const struct ts_bits *in, size_t from, size_t to, size_t passed)
{
	struct item *item = open_item(p);

	if (!item || !keep_bits(p, in, from, to))
		return false;
	item->bits += to - from;
	item->passed += passed;
	return true;
}

/* --- reading a piece --- */

struct reading {
	struct ts_trail *trail;
	struct piece *piece;
	struct ts_bits in; /* what was left, then the piece */
	size_t begin;	   /* where the piece begins in it */
	uint64_t work;	   /* that heads have taken, and the most that they may */
	uint64_t most;
};

static bool add_text(struct piece *p, struct ts_token token)
{
	uint8_t *to;

	if (token.length < TS_MATCH_MIN) {
		ts_buf_u8(&p->text, (uint8_t)token.distance);
		return !p->text.failed;
	}
	to = ts_buf_reserve(&p->text, token.length);
	if (!to || token.distance > p->text.len)
		return false;
	for (size_t i = 0; i < token.length; i++)
		to[i] = (to - token.distance)[i];
	p->text.len += token.length;
	return true;
}

static enum ts_inflate read_member(struct reading *r)
{
	size_t from = r->in.at;
	enum ts_inflate status = ts_inflate_member(&r->in);
	struct item *item;

	if (status)
		return status;
	item = add_item(r->piece);
	if (!item)
		return TS_INFLATE_BAD;
	item->restarts = true;
	r->trail->phase = IN_BLOCK;
	return keep(r->piece, &r->in, from > r->begin ? from : r->begin, r->in.at, 0) ? TS_INFLATE_OK : TS_INFLATE_BAD;
}

/* Remembers the head for the next piece. */
static bool note_head(struct ts_trail *trail, const struct ts_bits *in, size_t from)
{
	struct ts_bits bits = {.data = in->data, .at = from, .end = in->at};
	struct ts_bits_out out = {.end = (in->at - from + 7) / 8 * 8};

	ts_buf_reset(&trail->head);
	out.data = ts_buf_reserve(&trail->head, out.end / 8);
	if (!out.data)
		return false;
	memset(out.data, 0, out.end / 8);
	trail->head.len = out.end / 8;
	trail->head_bits = in->at - from;
	ts_bits_copy(&bits, trail->head_bits, &out);
	return !out.failed;
}

/* The head that an earlier piece has at least a part of. */
static bool hide_head(struct reading *r)
{
	struct ts_bits head = {.data = r->trail->head.data, .end = r->trail->head_bits};
	struct item *item = open_item(r->piece);

	if (!item || !keep_bits(r->piece, &head, 0, head.end))
		return false;
	item->head = HEAD_HIDDEN;
	return true;
}

static bool read_stored(struct reading *r, size_t from, size_t n)
{
	ts_buf_bytes(&r->piece->text, r->in.data + r->in.at / 8 - n, n);
	return !r->piece->text.failed && keep(r->piece, &r->in, from > r->begin ? from : r->begin, r->in.at, n);
}

static enum ts_inflate read_block(struct reading *r)
{
	size_t from = r->in.at;
	struct ts_block block;
	enum ts_inflate status = ts_inflate_block(&r->in, &block, r->piece->codes);
	struct item *item;
	bool ok;

	if (status)
		return status;
	r->trail->last = block.last;
	if (!block.has_codes) {
		r->trail->phase = block.last ? IN_TRAILER : IN_BLOCK;
		return read_stored(r, from, block.stored) ? TS_INFLATE_OK : TS_INFLATE_BAD;
	}
	r->trail->phase = IN_TOKENS;
	r->work += HEAD_WORK;
	ok = r->work <= r->most && note_head(r->trail, &r->in, from);
	if (ok && from < r->begin)
		ok = keep(r->piece, &r->in, r->begin, r->in.at, 0) && hide_head(r);
	else if (ok) {
		item = open_item(r->piece);
		ok = item && keep_bits(r->piece, &r->in, from, r->in.at);
		if (ok)
			item->head = HEAD_SHOWN;
	}
	return ok ? TS_INFLATE_OK : TS_INFLATE_BAD;
}

static enum ts_inflate read_token(struct reading *r)
{
	struct piece *p = r->piece;
	size_t from = r->in.at;
	struct ts_token token;
	enum ts_inflate status = ts_inflate_token(&r->in, p->codes, &token);
	bool ends = token.length == 1, ok;

	if (status)
		return status;
	if (ends)
		r->trail->phase = r->trail->last ? IN_TRAILER : IN_BLOCK;
	else if (!add_text(p, token))
		return TS_INFLATE_BAD;
	if (from < r->begin) {
		ok = keep(p, &r->in, r->begin, r->in.at, ends ? 0 : token.length ? token.length : 1) && (ends || hide_head(r));
	} else if (ends) {
		ok = keep(p, &r->in, from, r->in.at, 0);
	} else {
		ok = TS_GROW(p->tokens, p->tokens_cap, p->n_tokens + 1, FIRST_TOKENS);
		if (ok) {
			p->tokens[p->n_tokens++] = token;
			p->items[p->n_items - 1].tokens++;
		}
	}
	return ok ? TS_INFLATE_OK : TS_INFLATE_BAD;
}

static enum ts_inflate read_trailer(struct reading *r)
{
	struct ts_bits bits = r->in;
	size_t from = bits.at;

	ts_bits_skip(&bits, (8 - bits.at % 8) % 8 + TRAILER_BITS);
	if (bits.failed)
		return TS_INFLATE_SHORT;
	r->in = bits;
	r->trail->phase = IN_MEMBER;
	return keep(r->piece, &r->in, from > r->begin ? from : r->begin, r->in.at, 0) ? TS_INFLATE_OK : TS_INFLATE_BAD;
}

static enum ts_inflate read_part(struct reading *r)
{
	switch ((enum phase)r->trail->phase) {
	case IN_MEMBER:
		return read_member(r);
	case IN_BLOCK:
		return read_block(r);
	case IN_TOKENS:
		return read_token(r);
	case IN_TRAILER:
		break;
	}
	return read_trailer(r);
}

/* A piece that begins within a block goes on with its codes. */
static bool resume_block(struct reading *r)
{
	struct ts_bits head = {.data = r->trail->head.data, .end = r->trail->head_bits};
	struct ts_block block;

	if (ts_inflate_block(&head, &block, r->piece->codes))
		return false;
	return r->trail->left.len || hide_head(r);
}

/* What of the bytes belongs to a part that is not whole waits for the next piece. */
static bool leave(struct reading *r, size_t at)
{
	struct ts_buf left = TS_BUF_INIT(TS_OBJECT_MAX);

	ts_buf_bytes(&left, r->in.data + at / 8, r->in.end / 8 - at / 8);
	ts_buf_finish(&r->trail->left);
	r->trail->left = left;
	r->trail->left_bit = at % 8;
	return !left.failed;
}

static bool keep_window(struct ts_trail *trail, const struct ts_buf *text)
{
	size_t n = text->len < TS_MATCH_WINDOW ? text->len : TS_MATCH_WINDOW;

	ts_buf_finish(&trail->window);
	trail->window = TS_BUF_INIT(TS_MATCH_WINDOW);
	ts_buf_bytes(&trail->window, text->data + text->len - n, n);
	return !trail->window.failed;
}

static bool read_parts(struct reading *r)
{
	enum ts_inflate status = TS_INFLATE_OK;
	size_t at = 0;

	if (r->trail->phase == IN_TOKENS && !resume_block(r))
		return false;
	while (!status && r->in.at < r->in.end) {
		at = r->in.at;
		status = read_part(r);
		if (r->piece->text.len > TS_DEFLATE_TEXT_MAX)
			return false;
	}
	if (status == TS_INFLATE_BAD)
		return false;
	if (!status)
		at = r->in.at;
	if (at < r->in.end && !keep(r->piece, &r->in, at > r->begin ? at : r->begin, r->in.end, 0))
		return false;
	return leave(r, at) && keep_window(r->trail, &r->piece->text);
}

/* Reads the piece behind what the trail has. False if it does not go on there, or memory or limits end it: then the trail is closed. */
static bool read_piece(struct ts_trail *trail, struct ts_span in, struct piece *p)
{
	struct ts_buf all = TS_BUF_INIT(2 * (size_t)TS_OBJECT_MAX);
	struct reading r = {.trail = trail, .piece = p, .most = most_work(in.len)};
	bool ok;

	p->text = TS_BUF_INIT(TS_DEFLATE_TEXT_MAX + TS_MATCH_WINDOW + TS_MATCH_MAX);
	p->bits = TS_BUF_INIT(4 * (size_t)TS_OBJECT_MAX);
	p->codes = ts_alloc(sizeof *p->codes);
	if (trail->phase == IN_MEMBER && !trail->left.len)
		ts_buf_reset(&trail->window); /* a member matches no text before it */
	ts_buf_span(&all, ts_buf_view(&trail->left));
	ts_buf_span(&all, in);
	ts_buf_span(&p->text, ts_buf_view(&trail->window));
	p->window = p->text.len;
	r.in = (struct ts_bits){.data = all.data, .at = trail->left_bit, .end = all.len * 8};
	r.begin = trail->left.len * 8;
	ok = p->codes && !all.failed && !p->text.failed && read_parts(&r);
	ts_buf_finish(&all);
	if (!ok)
		ts_trail_finish(trail);
	return ok;
}

static bool begins_gzip(struct ts_span piece)
{
	return piece.len > 2 && piece.data[0] == 0x1f && piece.data[1] == 0x8b;
}

/* Goes on with the data before, or begins anew. */
static bool follow(struct ts_trail *trail, struct ts_span in, struct piece *p)
{
	if (trail->open && read_piece(trail, in, p))
		return true;
	if (!begins_gzip(in))
		return false;
	piece_finish(p);
	*p = (struct piece){0};
	ts_trail_finish(trail);
	trail->open = true;
	trail->phase = IN_MEMBER;
	trail->left = TS_BUF_INIT(TS_OBJECT_MAX);
	trail->head = TS_BUF_INIT(TS_BLOCK_HEAD_BITS);
	return read_piece(trail, in, p);
}

void ts_trail_finish(struct ts_trail *trail)
{
	ts_buf_finish(&trail->left);
	ts_buf_finish(&trail->head);
	ts_buf_finish(&trail->window);
	*trail = (struct ts_trail){0};
}

enum ts_status ts_trail_follow(struct ts_trail *trail, struct ts_span piece, struct ts_error *err)
{
	struct piece p = {0};
	bool ok = follow(trail, piece, &p);

	piece_finish(&p);
	return ok ? TS_OK : ts_error_set(err, TS_UNSUPPORTED, "no compressed data");
}

/* --- encoding --- */

static void put_number(struct ts_buf *out, uint64_t v)
{
	for (; v > 127; v >>= 7)
		ts_buf_u8(out, (uint8_t)(v | 128));
	ts_buf_u8(out, (uint8_t)v);
}

static bool same_token(struct ts_token a, struct ts_token b)
{
	return a.length == b.length && (a.length < TS_MATCH_MIN || a.distance == b.distance);
}

/* Guesses the first tokens of the piece, and writes what is wrong: how many were right, the length, and of a match its distance. */
static enum ts_status guess_tokens(const struct piece *p, struct ts_matches_how how, size_t most, uint64_t work,
				   struct ts_buf *ret_wrong, size_t *ret_n, struct ts_error *err)
{
	struct ts_matches m = {.text = p->text.data, .end = p->text.len, .how = how};
	const struct ts_token *token = p->tokens;
	size_t right = 0, n_wrong = 0;

	if (ts_matches_begin(&m, p->window, err))
		return err->status;
	for (size_t i = 0; i < p->n_items && most && m.work < work; i++) {
		m.work += work_of(&p->items[i]);
		if (p->items[i].restarts)
			ts_matches_restart(&m);
		if (p->items[i].passed)
			ts_matches_pass(&m, p->items[i].passed);
		for (size_t k = 0; k < p->items[i].tokens && most && m.work < work; k++, token++, most--) {
			if (same_token(ts_matches_guess(&m), *token)) {
				right++;
			} else {
				put_number(ret_wrong, right);
				put_number(ret_wrong, token->length);
				if (token->length)
					put_number(ret_wrong, token->distance);
				right = 0;
				n_wrong++;
			}
			ts_matches_take(&m, *token);
		}
	}
	ts_matches_finish(&m);
	*ret_n = m.work < work ? n_wrong : SIZE_MAX;
	return ts_buf_check(ret_wrong, err);
}

/* Counts in *io_least how many of the first guesses are wrong, if that is fewer, and takes this way then. */
static enum ts_status try_how(const struct piece *p, struct ts_matches_how how, size_t sample, uint64_t work, size_t *io_least,
			      struct ts_matches_how *io_how, struct ts_error *err)
{
	struct ts_buf wrong = TS_BUF_INIT((size_t)SAMPLE * WRONG_BYTES);
	size_t n = 0;
	enum ts_status status = guess_tokens(p, how, sample, work, &wrong, &n, err);

	if (!status && n < *io_least) {
		*io_least = n;
		*io_how = how;
	}
	ts_buf_finish(&wrong);
	return status;
}

/* The level whose guesses are wrong least often at first; of equal ones the one that is more common. Then the size of the hash. */
static enum ts_status choose_how(const struct piece *p, uint64_t work, struct ts_matches_how *ret, struct ts_error *err)
{
	static const uint8_t levels[TS_LEVELS] = {9, 6, 1, 8, 7, 5, 4, 3, 2};
	size_t sample = p->n_tokens < SAMPLE ? p->n_tokens : SAMPLE, least = sample / FEW_IN + 1;
	struct ts_matches_how how = {0};

	for (int i = 0; i < TS_LEVELS && least; i++)
		if (try_how(p, (struct ts_matches_how){levels[i], 15}, sample, work, &least, &how, err))
			return err->status;
	if (!how.level)
		return ts_error_set(err, TS_UNSUPPORTED, "compressed by other rules");
	if (least && try_how(p, (struct ts_matches_how){how.level, 16}, sample, work, &least, &how, err))
		return err->status;
	*ret = how;
	return TS_OK;
}

static void put_items(const struct piece *p, struct ts_buf *out)
{
	put_number(out, p->n_items);
	for (size_t i = 0; i < p->n_items; i++) {
		const struct item *item = &p->items[i];

		put_number(out, (item->restarts ? RESTARTS : 0) | (uint64_t)item->head << HEAD_SHIFT);
		put_number(out, item->bits);
		put_number(out, item->passed);
		put_number(out, item->tokens);
	}
}

static enum ts_status put_text(struct ts_scratch *s, struct ts_span text, struct ts_buf *out, struct ts_error *err)
{
	size_t at = out->len;

	ts_buf_u8(out, TEXT_LINES);
	ts_buf_u32(out, 0);
	if (!ts_lines_encode(s, text, out, err)) {
		ts_store_u32(out->data + at + 1, (uint32_t)(out->len - at - 5));
		return TS_OK;
	}
	if (err->status != TS_UNSUPPORTED)
		return err->status;
	out->len = at;
	ts_buf_u8(out, TEXT_ZSTD);
	return ts_zstd_put(s, text, out, err);
}

static enum ts_status put_piece(struct ts_scratch *s, const struct piece *p, struct ts_matches_how how, const struct ts_buf *wrong,
				struct ts_buf *out, struct ts_error *err)
{
	struct ts_buf rest = TS_BUF_INIT(REST_MAX);
	enum ts_status status;

	put_items(p, &rest);
	put_number(&rest, wrong->len);
	ts_buf_span(&rest, ts_buf_view(wrong));
	ts_buf_span(&rest, ts_buf_view(&p->bits));
	ts_buf_u32(out, (uint32_t)p->text.len);
	ts_buf_u32(out, (uint32_t)p->window);
	ts_buf_u8(out, how.level);
	ts_buf_u8(out, how.hash_bits);
	ts_buf_u32(out, (uint32_t)rest.len);
	status = ts_buf_check(&rest, err);
	if (!status)
		status = ts_zstd_put(s, ts_buf_view(&rest), out, err);
	if (!status)
		status = put_text(s, ts_buf_view(&p->text), out, err);
	if (!status)
		status = ts_buf_check(out, err);
	ts_buf_finish(&rest);
	return status;
}

enum ts_status ts_deflate_encode(struct ts_scratch *s, struct ts_trail *trail, struct ts_span in, struct ts_buf *out,
				 struct ts_error *err)
{
	uint64_t work = most_work(in.len);
	struct ts_buf wrong = TS_BUF_INIT(4 * (size_t)TS_OBJECT_MAX);
	struct ts_matches_how how = {0};
	struct piece p = {0};
	enum ts_status status;
	size_t n, begin = out->len;

	if (follow(trail, in, &p) && p.n_tokens)
		status = choose_how(&p, work, &how, err);
	else
		status = ts_error_set(err, TS_UNSUPPORTED, "no compressed data");
	if (!status)
		status = guess_tokens(&p, how, SIZE_MAX, work, &wrong, &n, err);
	if (!status && n == SIZE_MAX)
		status = ts_error_set(err, TS_UNSUPPORTED, "too much work");
	if (!status)
		status = put_piece(s, &p, how, &wrong, out, err);
	if (status)
		out->len = begin;
	ts_buf_finish(&wrong);
	piece_finish(&p);
	ts_scratch_trim(s);
	return status;
}

/* --- decoding --- */

static enum ts_status damaged(struct ts_error *err)
{
	return ts_error_set(err, TS_DAMAGED, "deflate: the parts do not make the bytes");
}

static uint64_t get_number(struct ts_cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 35; shift += 7) {
		uint8_t byte = ts_cursor_u8(c);

		v |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return v;
	}
	c->failed = true;
	return 0;
}

struct writing {
	struct ts_cursor items, wrong;
	struct ts_bits bits;
	struct ts_bits_out out;
	struct ts_codes *codes;
	struct ts_matches matches;
	uint64_t right;	 /* guesses before the next wrong one */
	bool none_wrong; /* any more */
	uint64_t work;
};

static void next_wrong(struct writing *w)
{
	w->none_wrong = !ts_cursor_left(&w->wrong);
	w->right = w->none_wrong ? 0 : get_number(&w->wrong);
}

static bool write_token(struct writing *w)
{
	struct ts_matches *m = &w->matches;
	struct ts_token token = ts_matches_guess(m);

	if (!w->none_wrong && !w->right) {
		token.length = (uint16_t)get_number(&w->wrong);
		token.distance = token.length ? (uint16_t)get_number(&w->wrong) : m->at < m->end ? m->text[m->at] : 0;
		next_wrong(w);
	} else if (!w->none_wrong) {
		w->right--;
	}
	if (w->wrong.failed || token.length == 1 || token.length == 2 || token.length > TS_MATCH_MAX ||
	    token.distance > TS_MATCH_WINDOW || m->end - m->at < (token.length ? token.length : 1u) ||
	    (token.length && !token.distance) || m->work > w->work || !ts_deflate_token(&w->out, w->codes, token))
		return false;
	ts_matches_take(m, token);
	return !w->out.failed;
}

static bool write_head(struct writing *w, bool shown)
{
	size_t from = w->bits.at;
	struct ts_block block;

	if (ts_inflate_block(&w->bits, &block, w->codes) || !block.has_codes)
		return false;
	if (shown) {
		struct ts_bits head = {.data = w->bits.data, .at = from, .end = w->bits.at};

		ts_bits_copy(&head, w->bits.at - from, &w->out);
	}
	return true;
}

static bool write_item(struct writing *w, bool *io_codes)
{
	uint64_t flags = get_number(&w->items);
	struct item item = {.restarts = flags & RESTARTS};

	item.bits = get_number(&w->items);
	item.passed = get_number(&w->items);
	item.tokens = get_number(&w->items);
	if (w->items.failed || flags >> HEAD_SHIFT > HEAD_HIDDEN || item.passed > w->matches.end - w->matches.at)
		return false;
	item.head = flags >> HEAD_SHIFT;
	w->matches.work += work_of(&item);
	ts_bits_copy(&w->bits, item.bits, &w->out);
	if (item.restarts)
		ts_matches_restart(&w->matches);
	if (item.passed)
		ts_matches_pass(&w->matches, item.passed);
	if (w->matches.work > w->work || (item.head != HEAD_NONE && !write_head(w, item.head == HEAD_SHOWN)))
		return false;
	*io_codes = *io_codes || item.head != HEAD_NONE;
	if (item.tokens && !*io_codes)
		return false;
	for (size_t i = 0; i < item.tokens; i++)
		if (!write_token(w))
			return false;
	return !w->bits.failed && !w->out.failed;
}

static bool write_items(struct writing *w)
{
	uint64_t n = get_number(&w->items);
	bool codes = false;

	for (uint64_t i = 0; i < n; i++)
		if (!write_item(w, &codes))
			return false;
	return !w->items.failed && w->out.at == w->out.end;
}

/* rest: items, then what was guessed wrong, then bits. */
static enum ts_status write_piece(struct ts_span rest, struct writing *w, struct ts_error *err)
{
	struct ts_cursor c = ts_cursor_of(rest);
	uint64_t n = get_number(&c);
	enum ts_status status = TS_OK;

	w->items = ts_cursor_of(rest);
	for (uint64_t i = 0; i < 4 * n && !c.failed; i++)
		(void)get_number(&c);
	n = get_number(&c);
	w->wrong = ts_cursor_of(ts_cursor_bytes(&c, n));
	if (c.failed)
		return damaged(err);
	w->bits = (struct ts_bits){.data = rest.data + c.at, .end = (rest.len - c.at) * 8};
	next_wrong(w);
	if (!write_items(w))
		status = damaged(err);
	return status;
}

static enum ts_status get_text(struct ts_scratch *s, struct ts_cursor *c, uint8_t *text, size_t len, struct ts_error *err)
{
	uint8_t how = ts_cursor_u8(c);

	if (how == TEXT_LINES)
		return ts_lines_decode(s, ts_cursor_bytes(c, ts_cursor_u32(c)), text, len, err);
	return how == TEXT_ZSTD ? ts_zstd_get(s, c, text, len, err) : damaged(err);
}

static enum ts_status get_parts(struct ts_scratch *s, struct ts_cursor *c, size_t text_len, uint8_t *text, size_t rest_len,
				uint8_t *rest, struct ts_error *err)
{
	if (ts_zstd_get(s, c, rest, rest_len, err) || get_text(s, c, text, text_len, err))
		return err->status;
	return c->failed || ts_cursor_left(c) ? damaged(err) : TS_OK;
}

static enum ts_status open_piece(struct ts_scratch *s, struct ts_cursor *c, size_t text_len, struct writing *w, struct ts_error *err)
{
	size_t window = ts_cursor_u32(c), rest_len;
	uint8_t *text, *rest;
	enum ts_status status;

	w->matches.how.level = ts_cursor_u8(c);
	w->matches.how.hash_bits = ts_cursor_u8(c);
	rest_len = ts_cursor_u32(c);
	if (c->failed || window > text_len || rest_len > REST_MAX || !ts_matches_how_holds(w->matches.how))
		return damaged(err);
	text = ts_alloc(text_len + 1);
	rest = ts_alloc(rest_len + 1);
	w->codes = ts_alloc(sizeof *w->codes);
	status = text && rest && w->codes ? get_parts(s, c, text_len, text, rest_len, rest, err)
					  : ts_error_set(err, TS_NO_MEMORY, "out of memory for compressed data");
	w->matches.text = text;
	w->matches.end = text_len;
	if (!status)
		status = ts_matches_begin(&w->matches, window, err);
	if (!status) {
		status = write_piece(ts_span_of(rest, rest_len), w, err);
		ts_matches_finish(&w->matches);
	}
	ts_free(text);
	ts_free(rest);
	ts_free(w->codes);
	ts_scratch_trim(s);
	return status;
}

enum ts_status ts_deflate_decode(struct ts_scratch *s, struct ts_span in, uint8_t *out, size_t len, struct ts_error *err)
{
	/* What a piece takes while it is opened is in no call's budget. */
	static pthread_mutex_t one_large = PTHREAD_MUTEX_INITIALIZER;
	struct ts_cursor c = ts_cursor_of(in);
	struct writing w = {.out = {.data = out, .end = len * 8}, .work = most_work(len)};
	size_t text_len = ts_cursor_u32(&c);
	enum ts_status status;

	if (text_len > TS_DEFLATE_TEXT_MAX)
		return damaged(err);
	memset(out, 0, len);
	if (text_len <= LARGE)
		return open_piece(s, &c, text_len, &w, err);
	pthread_mutex_lock(&one_large);
	status = open_piece(s, &c, text_len, &w, err);
	pthread_mutex_unlock(&one_large);
	return status;
}
