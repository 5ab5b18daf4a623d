#include "ingest/logs/reader_huggingface.h"

#include "base/below.h"
#include "base/digest.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/path.h"
#include "ingest/logs/log_json.h"
#include "ingest/logs/log_table.h"

#include <stdio.h>
#include <unistd.h>

const char ts_huggingface_loses[] = "states of callbacks; of weights and optimizers all but size and SHA-256";

#define STATE "trainer_state.json"
#define CHECKPOINT "checkpoint-"

enum {
	SURE = 50,
	STATE_MAX = 256 << 20, /* about a million records */
	CONFIG_MAX = 1 << 20,
	CONFIG_FACTS_MAX =
		16 << 10,   /* bytes of config.json that become one fact each; a head has space for four times as many */
	FILES_MAX = 32,	    /* each file makes two facts */
	HASH_MAX = 1 << 30, /* this takes about a second */
	WINDOW = 1 << 20,
	MEMBERS_MAX = 64,
};

/* A member of the state that is kept as a fact. */
struct member {
	struct ts_span name, json;
};

struct sibling {
	const char *name; /* the path below the folder: "checkpoint-60/optimizer.pt" */
	uint64_t size;
	bool hashed;
	struct ts_id id;
};

struct hugging {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices notices;
	uint64_t bytes_read;
	const char *folder; /* the folder that was named, or that of the file */
	const char *state;  /* the path below it: "trainer_state.json", "checkpoint-60/trainer_state.json" */
	struct ts_buf text; /* the text of the state */
	struct ts_buf scratch, record_scratch;
	uint8_t *window; /* used while a file is hashed */
	/* read from the state */
	struct member config[MEMBERS_MAX], other[MEMBERS_MAX];
	size_t n_config, n_other;
	struct ts_span final; /* the record of the whole training; empty if it did not end */
	int64_t global_step, max_steps, loss_step;
	bool any_loss, spaced; /* spaced: losses lie more than one step apart */
	/* read from the files beside the state */
	struct ts_span model, version; /* members of config.json if it is an object; the version of transformers */
	bool model_is_text;
	struct sibling files[FILES_MAX];
	size_t n_files, n_more;
	struct ts_id more;
};

/* --- which state --- */

/* Reads the name checkpoint-<N>. */
static bool checkpoint_step(const char *name, int64_t *ret_step)
{
	size_t n = strlen(CHECKPOINT);

	return strncmp(name, CHECKPOINT, n) == 0 && ts_parse_i64(ts_span_str(name + n), ret_step) && *ret_step >= 0;
}

/* Finds the checkpoint that has a state and the most steps, but fewer than `below`; NULL if none has a state. *ret_n is the number of
 * all checkpoints with a state. */
static enum ts_status newest(const char *top, const char *folder, int64_t below, struct ts_arena *arena, const char **ret_name,
			     int64_t *ret_step, size_t *ret_n, struct ts_error *err)
{
	char **names;
	size_t n;

	*ret_name = NULL;
	*ret_n = 0;
	if (ts_below_list(top, folder, arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		char *path;
		int64_t step;

		if (!checkpoint_step(names[i], &step))
			continue;
		path = ts_arena_printf(arena, "%s/%s/" STATE, folder, names[i]);
		if (!path)
			return ts_arena_error(arena, err);
		if (ts_below_kind(top, path) != TS_FILE_REGULAR)
			continue;
		++*ret_n;
		if (step >= below || (*ret_name && step <= *ret_step))
			continue;
		*ret_name = names[i];
		*ret_step = step;
	}
	return TS_OK;
}

int ts_huggingface_sniff(const char *path)
{
	enum ts_file_kind kind = ts_file_kind(path);
	struct ts_arena arena;
	struct ts_error err;
	const char *name = NULL;
	int64_t step;
	size_t n;
	char *state;
	int sure = 0;

	if (kind == TS_FILE_REGULAR)
		return strcmp(ts_path_last(path), STATE) == 0 ? SURE : 0;
	if (kind != TS_FILE_DIRECTORY)
		return 0;
	ts_arena_init(&arena, 0);
	state = ts_path_join(&arena, path, STATE);
	if (!state)
		sure = TS_SNIFF_NO_MEMORY;
	else if (ts_below_kind(path, state) == TS_FILE_REGULAR)
		sure = SURE;
	else if (newest(path, path, INT64_MAX, &arena, &name, &step, &n, &err))
		sure = err.status == TS_NO_MEMORY ? TS_SNIFF_NO_MEMORY : 0;
	else
		sure = name ? SURE : 0;
	ts_arena_finish(&arena);
	return sure;
}

/* --- the state --- */

static bool is_one_of(struct ts_span name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ts_span_is(name, names[i]))
			return true;
	return false;
}

static const char *const config_members[] = {"max_steps",     "num_train_epochs", "train_batch_size",
					     "logging_steps", "eval_steps",	  "save_steps"};
static const char *const idle_members[] = {"is_local_process_zero", "is_world_process_zero", "stateful_callbacks"};

static enum ts_status take_member(struct hugging *h, struct ts_span name, const struct ts_json_token *value,
				  struct ts_json_reader *r, struct ts_error *err)
{
	bool is_config = is_one_of(name, config_members, sizeof config_members / sizeof config_members[0]);
	struct member *list = is_config ? h->config : h->other;
	size_t *n = is_config ? &h->n_config : &h->n_other;
	struct ts_span kept = ts_arena_span(h->arena, name), json;

	if (!kept.data)
		return ts_arena_error(h->arena, err);
	if ((value->type == TS_JSON_OBJECT || value->type == TS_JSON_ARRAY) && ts_json_skip(r, NULL, err))
		return err->status;
	json = ts_span_of(r->in.data + value->at, r->at - value->at);
	if (value->type == TS_JSON_NUMBER && ts_span_is(kept, "global_step"))
		(void)ts_parse_i64(value->raw, &h->global_step);
	if (value->type == TS_JSON_NUMBER && ts_span_is(kept, "max_steps"))
		(void)ts_parse_i64(value->raw, &h->max_steps);
	if (value->type == TS_JSON_NULL || ts_span_is(kept, "global_step") ||
	    is_one_of(kept, idle_members, sizeof idle_members / sizeof idle_members[0]))
		return TS_OK;
	if (*n == MEMBERS_MAX) {
		ts_notice_add(&h->notices, "long_fact", TS_NOTICE_SKIPPED, ts_span_str(h->state), 0, "more than 64 members");
		return TS_OK;
	}
	list[(*n)++] = (struct member){kept, json};
	return TS_OK;
}

/* The members that a record has tell what kind of record it is. */
struct record_kind {
	bool loss, train_loss, train_runtime, has_step;
	int64_t step;
};

static enum ts_status kind_of(struct hugging *h, struct ts_span json, struct record_kind *kind, struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token token;

	*kind = (struct record_kind){.step = 0};
	ts_json_reader_init(&r, json, &h->record_scratch);
	if (ts_json_next(&r, &token, err))
		return err->status;
	while (!ts_json_next(&r, &token, err) && token.type == TS_JSON_KEY) {
		bool step = ts_span_is(token.text, "step");

		kind->loss |= ts_span_is(token.text, "loss");
		kind->train_loss |= ts_span_is(token.text, "train_loss");
		kind->train_runtime |= ts_span_is(token.text, "train_runtime");
		if (!step) {
			if (ts_json_skip(&r, NULL, err))
				return err->status;
			continue;
		}
		if (ts_json_next(&r, &token, err))
			return err->status;
		if (token.type == TS_JSON_NUMBER && token.integer)
			kind->has_step = ts_parse_i64(token.raw, &kind->step);
		else if ((token.type == TS_JSON_OBJECT || token.type == TS_JSON_ARRAY) && ts_json_skip(&r, NULL, err))
			return err->status;
	}
	return token.type == TS_JSON_END ? TS_OK : err->status;
}

static enum ts_status take_record(struct hugging *h, struct ts_log_table *t, struct ts_span json, uint64_t number,
				  struct ts_error *err)
{
	struct record_kind kind;
	struct ts_json_reader r;
	struct ts_json_token token;

	if (kind_of(h, json, &kind, err))
		return err->status;
	if (kind.train_loss && kind.train_runtime && !kind.loss) {
		h->final = json;
		return TS_OK;
	}
	if (kind.loss && kind.has_step) {
		h->spaced |= h->any_loss && kind.step - 1 > h->loss_step;
		h->any_loss = true;
		h->loss_step = kind.step;
	}
	ts_json_reader_init(&r, json, &h->record_scratch);
	ts_log_table_row(t, number);
	if (ts_json_next(&r, &token, err) || ts_log_json_cells(&r, t, ts_span_str(h->state), 0, err))
		return err->status;
	return ts_log_table_end(t, err);
}

static enum ts_status read_history(struct hugging *h, struct ts_log_table *t, struct ts_json_reader *r, struct ts_error *err)
{
	struct ts_json_token token;

	for (uint64_t number = 1;; number++) {
		size_t from;

		if (ts_json_next(r, &token, err))
			return err->status;
		if (token.type == TS_JSON_END)
			return TS_OK;
		from = token.at;
		if (token.type != TS_JSON_OBJECT) {
			ts_notice_add(&h->notices, "not_object", TS_NOTICE_SKIPPED, ts_span_str(h->state), 0,
				      "a record that is not an object");
			if (token.type == TS_JSON_ARRAY && ts_json_skip(r, NULL, err))
				return err->status;
			continue;
		}
		if (ts_json_skip(r, NULL, err) || take_record(h, t, ts_span_of(r->in.data + from, r->at - from), number, err) ||
		    ts_log_table_at(t, r->at, r->in.len, err))
			return err->status;
	}
}

static enum ts_status read_members(struct hugging *h, struct ts_log_table *t, struct ts_json_reader *r, struct ts_error *err)
{
	struct ts_json_token token;

	for (;;) {
		struct ts_span name;

		if (ts_json_next(r, &token, err))
			return err->status;
		if (token.type != TS_JSON_KEY)
			return TS_OK;
		name = ts_arena_span(h->arena, token.text);
		if (!name.data)
			return ts_arena_error(h->arena, err);
		if (ts_json_next(r, &token, err))
			return err->status;
		if (ts_span_is(name, "log_history") && token.type == TS_JSON_ARRAY) {
			if (read_history(h, t, r, err))
				return err->status;
		} else if (take_member(h, name, &token, r, err)) {
			return err->status;
		}
	}
}

static enum ts_status read_state(void *ctx, struct ts_log_table *t, struct ts_error *err)
{
	struct hugging *h = ctx;
	struct ts_json_reader r;
	struct ts_json_token token;

	h->n_config = h->n_other = 0;
	h->any_loss = h->spaced = false;
	h->global_step = h->max_steps = 0;
	h->final.len = 0;
	ts_json_reader_init(&r, ts_buf_view(&h->text), &h->scratch);
	if (ts_json_next(&r, &token, err))
		return ts_error_prefix(err, "%s", h->state);
	if (token.type != TS_JSON_OBJECT)
		return ts_error_set(err, TS_INVALID, "%s: byte 0: expected an object", h->state);
	if (read_members(h, t, &r, err))
		return err->status == TS_CANCELLED ? err->status : ts_error_prefix(err, "%s", h->state);
	h->bytes_read += h->text.len;
	return TS_OK;
}

/* --- what lies beside it --- */

static bool ends(const char *name, const char *with)
{
	size_t n = strlen(name), m = strlen(with);

	return n >= m && strcmp(name + n - m, with) == 0;
}

static bool is_evidence(const char *name)
{
	static const char *const exact[] = {"training_args.bin",      "optimizer.pt",	"optimizer.bin",
					    "scheduler.pt",	      "scaler.pt",	"adapter_config.json",
					    "generation_config.json", "tokenizer.json", "tokenizer_config.json"};

	for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++)
		if (strcmp(name, exact[i]) == 0)
			return true;
	return (strncmp(name, "rng_state", 9) == 0 && ends(name, ".pth")) || ends(name, ".safetensors") ||
	       ends(name, ".safetensors.index.json") || (strncmp(name, "pytorch_model", 13) == 0 && ends(name, ".bin"));
}

static enum ts_status hash_bytes(struct hugging *h, int fd, struct ts_hasher *hasher, uint64_t size, struct ts_error *err)
{
	for (uint64_t at = 0; at < size;) {
		size_t want = size - at < WINDOW ? (size_t)(size - at) : WINDOW, got;

		if (ts_pread_full(fd, h->window, want, at, &got, err))
			return err->status;
		if (got < want)
			return ts_error_set(err, TS_IO, "the file became shorter while it was read");
		ts_hasher_add(hasher, ts_span_of(h->window, got));
		at += got;
	}
	h->bytes_read += size;
	return TS_OK;
}

/* Hashes the file through a window, because weights may be larger than memory. */
static enum ts_status hash_file(struct hugging *h, const char *path, struct sibling *file, struct ts_error *err)
{
	struct ts_hasher hasher;
	enum ts_status status = TS_OK;
	int fd;

	if (ts_below_open(ts_top(h->options), path, &fd, &file->size, err))
		return err->status;
	if (file->size <= HASH_MAX) {
		status = ts_hasher_init(&hasher, err);
		if (!status) {
			ts_hasher_start(&hasher);
			status = hash_bytes(h, fd, &hasher, file->size, err);
			ts_hasher_end(&hasher, &file->id);
			ts_hasher_finish(&hasher);
		}
		file->hashed = !status;
	}
	(void)close(fd);
	return status;
}

/* Files beyond FILES_MAX are counted together: their fact is a chain of digests of each file's name and digest. */
static void add_more(struct hugging *h, const struct sibling *file)
{
	struct ts_buf link = TS_BUF_INIT(16 << 10);

	ts_buf_bytes(&link, h->more.bytes, sizeof h->more.bytes);
	ts_buf_str(&link, file->name);
	ts_buf_u64(&link, file->size);
	ts_buf_bytes(&link, file->id.bytes, sizeof file->id.bytes);
	ts_digest(ts_buf_view(&link), &h->more);
	ts_buf_finish(&link);
	h->n_more++;
}

/* Adds a file. If it cannot be read, a notice says so, and the import goes on without it. */
static enum ts_status add_file(struct hugging *h, const char *path, const char *name, struct ts_error *err)
{
	struct sibling file = {.name = name};
	struct ts_error why;
	enum ts_status status = hash_file(h, path, &file, &why);

	if (status == TS_NO_MEMORY) {
		*err = why;
		return status;
	}
	if (status)
		ts_notice_add(&h->notices, "unread_file", TS_NOTICE_SKIPPED, ts_span_str(name), 0, why.text);
	else if (h->n_files == FILES_MAX)
		add_more(h, &file);
	else
		h->files[h->n_files++] = file;
	return TS_OK;
}

static enum ts_status add_files(struct hugging *h, const char *below, struct ts_error *err)
{
	const char *folder = *below ? ts_path_join(h->arena, h->folder, below) : h->folder;
	char **names;
	size_t n;

	if (!folder)
		return ts_arena_error(h->arena, err);
	if (ts_below_list(ts_top(h->options), folder, h->arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		char *path = ts_path_join(h->arena, folder, names[i]);
		const char *name = *below ? ts_arena_printf(h->arena, "%s/%s", below, names[i]) : names[i];

		if (!path || !name)
			return ts_arena_error(h->arena, err);
		if (is_evidence(names[i]) && ts_reader_has(ts_top(h->options), path, ts_span_str(name), &h->notices) &&
		    add_file(h, path, name, err))
			return err->status;
	}
	return TS_OK;
}

/* There may be thousands of class names. */
static const char *const long_members[] = {"id2label", "label2id"};

/* Splits config.json into its members, and the version apart. TS_INVALID: it is not such a file. */
static enum ts_status split_config(struct hugging *h, struct ts_span text, struct ts_json *j, struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token token;

	ts_json_reader_init(&r, text, &h->scratch);
	if (ts_json_next(&r, &token, err))
		return err->status;
	if (token.type != TS_JSON_OBJECT)
		return ts_error_set(err, TS_INVALID, "byte 0: expected an object");
	ts_json_object(j);
	for (;;) {
		struct ts_span name, raw;

		if (ts_json_next(&r, &token, err))
			return err->status;
		if (token.type != TS_JSON_KEY)
			break;
		name = ts_arena_span(h->arena, token.text);
		if (!name.data)
			return ts_arena_error(h->arena, err);
		if (ts_json_skip(&r, &raw, err))
			return err->status;
		if (ts_span_is(name, "transformers_version")) {
			h->version = ts_arena_span(h->arena, raw);
		} else if (!is_one_of(name, long_members, sizeof long_members / sizeof long_members[0])) {
			ts_json_key_span(j, name);
			ts_json_raw(j, raw);
		}
	}
	ts_json_end(j);
	return TS_OK;
}

static enum ts_status read_config(struct hugging *h, const char *path, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(CONFIG_MAX), members = TS_BUF_INIT(2 * CONFIG_MAX);
	struct ts_json j = ts_json_of(&members);
	struct ts_error why;
	enum ts_status status = ts_below_read(ts_top(h->options), path, &text, &why);

	if (!status)
		status = split_config(h, ts_buf_view(&text), &j, &why);
	if (!status)
		status = ts_buf_check(&members, &why);
	if (status == TS_NO_MEMORY) {
		*err = why;
	} else if (status) {
		ts_notice_add(&h->notices, "bad_config", TS_NOTICE_SKIPPED, ts_span_str("config.json"), 0, why.text);
	} else {
		h->model_is_text = members.len > CONFIG_FACTS_MAX;
		h->model = ts_arena_span(h->arena, ts_buf_view(h->model_is_text ? &text : &members));
	}
	h->bytes_read += text.len;
	ts_buf_finish(&text);
	ts_buf_finish(&members);
	if (status == TS_NO_MEMORY)
		return status;
	return h->model.len == 0 || h->model.data ? TS_OK : ts_arena_error(h->arena, err);
}

/* config.json lies beside the weights: in the folder of the state, or in the folder above its checkpoint. */
static enum ts_status find_config(struct hugging *h, const char *below, struct ts_error *err)
{
	const char *folder = *below ? ts_path_join(h->arena, h->folder, below) : h->folder;
	char *path = folder ? ts_path_join(h->arena, folder, "config.json") : NULL;

	if (!path)
		return ts_arena_error(h->arena, err);
	if (ts_reader_has(ts_top(h->options), path, ts_span_str(path + strlen(h->folder) + 1), &h->notices))
		return read_config(h, path, err);
	return *below ? find_config(h, "", err) : TS_OK;
}

/* --- facts --- */

static void write_members(struct ts_json *j, const struct member *members, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ts_json_key_span(j, members[i].name);
		ts_json_raw(j, members[i].json);
	}
}

static void write_files(const struct hugging *h, struct ts_json *j)
{
	char hex[TS_ID_HEX + 1];

	ts_json_key(j, "files");
	ts_json_object(j);
	for (size_t i = 0; i < h->n_files; i++) {
		ts_json_key(j, h->files[i].name);
		ts_json_object(j);
		ts_json_key(j, "bytes");
		ts_json_u64(j, h->files[i].size);
		if (h->files[i].hashed) {
			ts_json_key(j, "sha256");
			ts_json_string(j, ts_id_hex(&h->files[i].id, hex));
		}
		ts_json_end(j);
	}
	ts_json_end(j);
	if (!h->n_more)
		return;
	ts_json_key(j, "more_files");
	ts_json_object(j);
	ts_json_key(j, "count");
	ts_json_u64(j, h->n_more);
	ts_json_key(j, "sha256");
	ts_json_string(j, ts_id_hex(&h->more, hex));
	ts_json_end(j);
}

static void write_config(const struct hugging *h, struct ts_json *j)
{
	ts_json_key(j, "config");
	ts_json_object(j);
	write_members(j, h->config, h->n_config);
	if (h->model.len) {
		ts_json_key(j, "model");
		if (h->model_is_text)
			ts_json_span(j, h->model);
		else
			ts_json_raw(j, h->model);
	}
	ts_json_end(j);
}

/* Finds the seconds that the training took according to the final record. */
static bool runtime_of(struct hugging *h, struct ts_span *ret_raw)
{
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error ignored;

	ts_json_reader_init(&r, h->final, &h->record_scratch);
	if (!h->final.len || ts_json_next(&r, &token, &ignored))
		return false;
	while (!ts_json_next(&r, &token, &ignored) && token.type == TS_JSON_KEY) {
		bool wanted = ts_span_is(token.text, "train_runtime");

		if (ts_json_skip(&r, ret_raw, &ignored))
			return false;
		if (wanted)
			return true;
	}
	return false;
}

/* What changes from checkpoint to checkpoint stands in the session, so that a run that still trains can be pushed again. */
static void write_session(struct hugging *h, struct ts_json *j)
{
	struct ts_span runtime;

	ts_json_key(j, "session");
	ts_json_object(j);
	if (h->global_step > 0) {
		ts_json_key(j, "n_steps");
		ts_json_i64(j, h->global_step);
	}
	if (runtime_of(h, &runtime)) {
		ts_json_key(j, "wall_time");
		ts_json_raw(j, runtime);
	}
	ts_json_key(j, "huggingface");
	ts_json_object(j);
	write_members(j, h->other, h->n_other);
	ts_json_key(j, "state");
	ts_json_string(j, h->state);
	if (h->final.len) {
		ts_json_key(j, "final");
		ts_json_raw(j, h->final);
	}
	write_files(h, j);
	ts_json_end(j);
	ts_json_end(j);
}

static enum ts_status write_facts(void *ctx, struct ts_json *j, struct ts_error *err)
{
	struct hugging *h = ctx;

	(void)err;
	write_config(h, j);
	write_session(h, j);
	if (h->version.len) {
		ts_json_key(j, "libraries");
		ts_json_object(j);
		ts_json_key(j, "transformers");
		ts_json_raw(j, h->version);
		ts_json_end(j);
	}
	return TS_OK;
}

static void write_column(void *ctx, struct ts_span source, struct ts_json *j)
{
	const struct hugging *h = ctx;

	if (h->spaced && ts_span_is(source, "loss")) {
		ts_json_key(j, "interval_mean");
		ts_json_bool(j, true);
	}
	if (ts_span_ends(source, "_runtime") || ts_span_ends(source, "_per_second")) {
		ts_json_key(j, "role");
		ts_json_string(j, "observation");
	}
	if (ts_span_is(source, "num_input_tokens_seen")) {
		ts_json_key(j, "role");
		ts_json_string(j, "trajectory");
	}
}

static bool finished(void *ctx)
{
	const struct hugging *h = ctx;

	return h->final.len || (h->max_steps > 0 && h->global_step >= h->max_steps);
}

/* --- the folder --- */

/* Finds the global_step of a state. If the state is damaged, the later reading reports why. */
static enum ts_status find_step(struct hugging *h, int64_t *ret_step, struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token token;

	ts_json_reader_init(&r, ts_buf_view(&h->text), &h->scratch);
	if (ts_json_next(&r, &token, err))
		return err->status;
	while (token.type == TS_JSON_OBJECT || token.type == TS_JSON_KEY) {
		if (ts_json_next(&r, &token, err))
			return err->status;
		if (token.type != TS_JSON_KEY)
			return TS_OK;
		if (!ts_span_is(token.text, "global_step")) {
			if (ts_json_skip(&r, NULL, err))
				return err->status;
			continue;
		}
		if (ts_json_next(&r, &token, err))
			return err->status;
		if (token.type == TS_JSON_NUMBER)
			(void)ts_parse_i64(token.raw, ret_step);
		return TS_OK;
	}
	return TS_OK;
}

/* Returns the step of the root's state, or 0 if it cannot be read. */
static enum ts_status steps_of(struct hugging *h, const char *path, int64_t *ret_step, struct ts_error *err)
{
	struct ts_error why;
	enum ts_status status;

	*ret_step = 0;
	ts_buf_reset(&h->text);
	status = ts_below_read(ts_top(h->options), path, &h->text, &why);
	if (!status)
		status = find_step(h, ret_step, &why);
	if (status != TS_NO_MEMORY)
		return TS_OK;
	*err = why;
	return status;
}

/* Whether the state at the path below the folder is whole JSON; notes one that is not, as a crash leaves it. */
static enum ts_status is_whole(struct hugging *h, const char *state, bool *ret_whole, struct ts_error *err)
{
	struct ts_error why;
	struct ts_json_reader r;
	char *path = ts_path_join(h->arena, h->folder, state);
	enum ts_status status;

	if (!path)
		return ts_arena_error(h->arena, err);
	ts_buf_reset(&h->text);
	status = ts_below_read(ts_top(h->options), path, &h->text, &why);
	if (!status) {
		ts_json_reader_init(&r, ts_buf_view(&h->text), &h->scratch);
		status = ts_json_skip(&r, NULL, &why);
	}
	*ret_whole = !status;
	if (status == TS_NO_MEMORY)
		*err = why;
	else if (status)
		ts_notice_add(&h->notices, "cut_state", TS_NOTICE_SKIPPED, ts_span_str(state), 0, why.text);
	return status == TS_NO_MEMORY ? status : TS_OK;
}

/* The states of the folder, the one with the most steps first. */
struct states {
	bool root_left;		  /* that of the folder itself was not taken yet */
	int64_t root_step, below; /* the steps of the checkpoints that are left lie below */
	size_t n;		  /* how many there are in all */
};

/* Takes the next one; *ret_state is NULL at the end. *ret_checkpoint: its folder; NULL for the root's. */
static enum ts_status next_state(struct hugging *h, struct states *s, const char **ret_state, const char **ret_checkpoint,
				 struct ts_error *err)
{
	int64_t step = -1;
	size_t ignored;

	*ret_state = NULL;
	if (newest(ts_top(h->options), h->folder, s->below, h->arena, ret_checkpoint, &step, &ignored, err))
		return err->status;
	if (s->root_left && (!*ret_checkpoint || s->root_step >= step)) {
		s->root_left = false;
		*ret_state = STATE;
		*ret_checkpoint = NULL;
		return TS_OK;
	}
	s->below = step;
	if (*ret_checkpoint && !(*ret_state = ts_arena_printf(h->arena, "%s/" STATE, *ret_checkpoint)))
		return ts_arena_error(h->arena, err);
	return TS_OK;
}

static void tell_others(struct hugging *h, size_t n, bool some_cut)
{
	char detail[256];

	if (n < 2)
		return;
	(void)snprintf(detail, sizeof detail,
		       "%s has the most steps%s and was read; %zu other state%s below this folder %s not", h->state,
		       some_cut ? " of those that are whole" : "", n - 1, n == 2 ? "" : "s", n == 2 ? "was" : "were");
	ts_notice_add(&h->notices, "other_states", TS_NOTICE_INFO, ts_span_str(""), 0, detail);
}

/* Finds the states, and the folder of the newest checkpoint, whose files lie beside the state of the folder itself. */
static enum ts_status find_states(struct hugging *h, struct states *ret_states, const char **ret_checkpoint, struct ts_error *err)
{
	char *root = ts_path_join(h->arena, h->folder, STATE);
	struct states s = {.below = INT64_MAX};
	int64_t step;

	if (!root)
		return ts_arena_error(h->arena, err);
	s.root_left = ts_below_kind(ts_top(h->options), root) == TS_FILE_REGULAR;
	if (newest(ts_top(h->options), h->folder, INT64_MAX, h->arena, ret_checkpoint, &step, &s.n, err))
		return err->status;
	if (*ret_checkpoint && s.root_left && steps_of(h, root, &s.root_step, err))
		return err->status;
	s.n += s.root_left;
	*ret_states = s;
	return TS_OK;
}

/* Chooses the newest state that is whole; if none is, the newest, and reading it says why it cannot be read. */
static enum ts_status choose_state(struct hugging *h, const char **ret_checkpoint, struct ts_error *err)
{
	size_t n_notices = h->notices.n;
	struct states s = {0};
	bool whole = false;

	if (find_states(h, &s, ret_checkpoint, err))
		return err->status;
	h->state = NULL;
	while (!whole) {
		const char *state, *checkpoint;

		if (next_state(h, &s, &state, &checkpoint, err))
			return err->status;
		if (!state)
			break;
		whole = s.n == 1;
		if (!whole && is_whole(h, state, &whole, err))
			return err->status;
		if (h->state && !whole)
			continue;
		h->state = state;
		*ret_checkpoint = checkpoint ? checkpoint : *ret_checkpoint;
	}
	if (!whole)
		h->notices.n = n_notices;
	tell_others(h, s.n, h->notices.n > n_notices);
	return TS_OK;
}

static enum ts_status find_state(struct hugging *h, struct ts_error *err)
{
	const char *path = h->options->path, *checkpoint = NULL, *name = ts_path_last(path);

	if (ts_file_kind(path) == TS_FILE_REGULAR) {
		h->folder = name == path ? "." : ts_arena_printf(h->arena, "%.*s", (int)(name - path), path);
		h->state = name;
		return h->folder ? TS_OK : ts_arena_error(h->arena, err);
	}
	h->folder = path;
	if (choose_state(h, &checkpoint, err) || find_config(h, strcmp(h->state, STATE) == 0 ? "" : checkpoint, err) ||
	    add_files(h, "", err))
		return err->status;
	return checkpoint ? add_files(h, checkpoint, err) : TS_OK;
}

static enum ts_status load(struct hugging *h, struct ts_error *err)
{
	char *path;

	if (find_state(h, err))
		return err->status;
	path = ts_path_join(h->arena, h->folder, h->state);
	if (!path)
		return ts_arena_error(h->arena, err);
	ts_buf_reset(&h->text);
	return ts_below_read(ts_top(h->options), path, &h->text, err);
}

enum ts_status ts_huggingface_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx,
				   struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct hugging h = {.options = options,
			    .arena = arena,
			    .notices = {.arena = arena},
			    .text = TS_BUF_INIT(STATE_MAX),
			    .scratch = TS_BUF_INIT(STATE_MAX),
			    .record_scratch = TS_BUF_INIT(STATE_MAX),
			    .window = ts_arena_alloc(arena, WINDOW)};
	struct ts_log_source source = {.format = "Hugging Face trainer state",
				       .read = read_state,
				       .facts = write_facts,
				       .column = write_column,
				       .finished = finished,
				       .ctx = &h};
	enum ts_status status = h.window ? load(&h, err) : ts_arena_error(arena, err);

	if (!status) {
		source.file = ts_span_str(h.state);
		source.directory = h.folder;
		status = ts_log_table_import(&source, options, sink, ctx, &h.notices, &h.bytes_read, arena, ret_result, err);
	}
	ts_buf_finish(&h.text);
	ts_buf_finish(&h.scratch);
	ts_buf_finish(&h.record_scratch);
	return status;
}
