#include "ingest/wandb/wandb_facts.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/text.h"
#include "base/pb.h"
#include "ingest/wandb/wandb_fields.h"

#include <stdio.h>

enum how { TEXT, WORD, COUNT, TRUTH, TIME };

/* A field of a message, and the path of its fact. name is the name of the same value in wandb-metadata.json. */
struct field {
	uint32_t number;
	enum how how;
	const char *path, *name;
};

static const struct field run_fields[] = {
	{RUN_ID, TEXT, "other.wandb.run_id", NULL},
	{RUN_ENTITY, TEXT, "other.wandb.entity", NULL},
	{RUN_PROJECT, TEXT, "other.wandb.project", NULL},
	{RUN_GROUP, TEXT, "other.wandb.group", NULL},
	{RUN_JOB_TYPE, TEXT, "other.wandb.job_type", NULL},
	{RUN_DISPLAY_NAME, TEXT, "session.name", NULL},
	{RUN_NOTES, TEXT, "other.wandb.notes", NULL},
	{RUN_SWEEP_ID, TEXT, "other.wandb.sweep", NULL},
	{RUN_HOST, TEXT, "session.host", NULL},
	{RUN_STARTING_STEP, COUNT, "other.wandb.starting_step", NULL},
	{RUN_RESUMED, TRUTH, "other.wandb.resumed", NULL},
	{RUN_FORKED, TRUTH, "other.wandb.forked", NULL},
	{RUN_START_TIME, TIME, "session.started", NULL}, /* the last, see ts_wandb_run */
};

static const struct field environment_fields[] = {
	{ENVIRONMENT_OS, TEXT, "hardware.platform", "os"},
	{ENVIRONMENT_PYTHON, WORD, "libraries.python", "python"}, /* for example "CPython 3.11.7" */
	{ENVIRONMENT_DOCKER, TEXT, "other.wandb.docker", "docker"},
	{ENVIRONMENT_CODE_PATH, TEXT, "other.wandb.code_path", "codePath"},
	{ENVIRONMENT_ROOT, TEXT, "other.wandb.root", "root"},
	{ENVIRONMENT_HOST, TEXT, "session.host", "host"},
	{ENVIRONMENT_USERNAME, TEXT, "session.user", "username"},
	{ENVIRONMENT_EXECUTABLE, TEXT, "other.wandb.executable", "executable"},
	{ENVIRONMENT_CPU_COUNT, COUNT, "hardware.cpu_cores", "cpu_count"},
	{ENVIRONMENT_CPU_COUNT_LOGICAL, COUNT, "hardware.cpu_count", "cpu_count_logical"},
	{ENVIRONMENT_GPU_TYPE, TEXT, "hardware.gpu", "gpu"},
	{ENVIRONMENT_GPU_COUNT, COUNT, "hardware.gpu_count", "gpu_count"},
	{ENVIRONMENT_CUDA_VERSION, TEXT, "libraries.cuda", "cudaVersion"},
};

static const struct field telemetry_fields[] = {
	{TELEMETRY_PYTHON_VERSION, TEXT, "libraries.python", NULL},
	{TELEMETRY_CLI_VERSION, TEXT, "libraries.wandb", NULL},
	{TELEMETRY_HUGGINGFACE_VERSION, TEXT, "libraries.transformers", NULL},
};

static const struct field git_fields[] = {{GIT_REMOTE_URL, TEXT, "code.remote", "remote"},
					  {GIT_COMMIT, TEXT, "code.commit", "commit"}};
static const struct field memory_fields[] = {{MEMORY_TOTAL, COUNT, "hardware.memory", "total"}};
static const struct field cpu_fields[] = {{CPU_MODEL, TEXT, "hardware.processor", NULL}};
static const struct field branch_fields[] = {{BRANCH_RUN, TEXT, "other.wandb.forked_from", NULL},
					     {BRANCH_METRIC, TEXT, "other.wandb.forked_by", NULL}};
static const struct field version_fields[] = {{VERSION_PRODUCER, TEXT, "other.wandb.producer", NULL}};

#define COUNT_OF(a) (sizeof(a) / sizeof(a)[0])

static enum ts_status set_raw(struct ts_fact_tree *t, const char *path, const char *json, struct ts_error *err)
{
	uint32_t node;

	return ts_fact_tree_path(t, path, &node, err) ? err->status : ts_fact_tree_set(t, node, ts_span_str(json), err);
}

static enum ts_status set_text(struct ts_fact_tree *t, const char *path, struct ts_span text, struct ts_error *err)
{
	uint32_t node;

	return ts_fact_tree_path(t, path, &node, err) ? err->status : ts_fact_tree_text(t, node, text, err);
}

static enum ts_status set_count(struct ts_fact_tree *t, const char *path, uint64_t n, struct ts_error *err)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%" PRId64, (int64_t)n);
	return set_raw(t, path, text, err);
}

/* Returns a google.protobuf.Timestamp as seconds since 1970. */
static double seconds_of(struct ts_span message)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	double seconds = 0;

	while (ts_pb_next(&pb, &f))
		if (f.wire == TS_PB_VARINT)
			seconds += f.number == TS_PB_SECONDS ? (double)(int64_t)f.value
				   : f.number == TS_PB_NANOS ? (double)(int64_t)f.value / 1e9
							     : 0;
	return seconds;
}

static struct ts_span last_word(struct ts_span text)
{
	size_t at = text.len;

	while (at > 0 && text.data[at - 1] != ' ')
		at--;
	return ts_span_of(text.data + at, text.len - at);
}

static enum ts_status set_time(struct ts_fact_tree *t, const char *path, struct ts_span message, struct ts_error *err)
{
	char text[TS_DOUBLE_TEXT + 1];
	double seconds = seconds_of(message);

	if (!(seconds > 0))
		return TS_OK;
	text[ts_print_double(seconds, text)] = '\0';
	return set_raw(t, path, text, err);
}

/* A message leaves a field out by an empty text or a zero. */
static enum ts_status take_field(struct ts_fact_tree *t, const struct field *field, const struct ts_pb_field *f, struct ts_error *err)
{
	bool text = field->how == TEXT || field->how == WORD || field->how == TIME;

	if (text ? f->wire != TS_PB_BYTES || !f->bytes.len : f->wire != TS_PB_VARINT || !f->value)
		return TS_OK;
	switch (field->how) {
	case TEXT:
		return set_text(t, field->path, f->bytes, err);
	case WORD:
		return set_text(t, field->path, last_word(f->bytes), err);
	case COUNT:
		return set_count(t, field->path, f->value, err);
	case TRUTH:
		return set_raw(t, field->path, "true", err);
	case TIME:
		return set_time(t, field->path, f->bytes, err);
	}
	return TS_OK;
}

/* Only the lack of memory ends the reading of a message. err keeps the last other error. */
static bool goes_on(enum ts_status status)
{
	return status == TS_OK || status == TS_INVALID || status == TS_TOO_LARGE;
}

static enum ts_status take_fields(struct ts_fact_tree *t, const struct field *fields, size_t n, struct ts_span message,
				  struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	enum ts_status worst = TS_OK;

	while (ts_pb_next(&pb, &f))
		for (size_t i = 0; i < n; i++) {
			enum ts_status status = fields[i].number == f.number ? take_field(t, &fields[i], &f, err) : TS_OK;

			if (!goes_on(status))
				return status;
			worst = status ? status : worst;
		}
	return pb.broken ? ts_error_set(err, TS_INVALID, "a message that does not fit its length") : worst;
}

/* --- config --- */

struct item {
	struct ts_span value;
	uint32_t node;
	bool internal;
};

/* Reads a ConfigItem: key, or all of nested_key, and value_json. Keys come first. */
static enum ts_status item_parts(struct ts_fact_tree *t, struct ts_span message, struct item *item, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	bool any = false;

	item->value = ts_span_str("");
	while (ts_pb_next(&pb, &f)) {
		if (f.wire != TS_PB_BYTES)
			continue;
		if (f.number == ITEM_VALUE_JSON)
			item->value = f.bytes;
		if (f.number != ITEM_KEY && f.number != ITEM_NESTED_KEY)
			continue;
		if (!any) {
			item->internal = ts_span_is(f.bytes, "_wandb");
			if (ts_fact_tree_path(t, item->internal ? "other.wandb.internal" : "config", &item->node, err))
				return err->status;
		}
		if ((any || !item->internal) && ts_fact_tree_node(t, item->node, f.bytes, &item->node, err))
			return err->status;
		any = true;
	}
	return !pb.broken && any ? TS_OK : ts_error_set(err, TS_INVALID, "an item of the configuration without a key");
}

static enum ts_status take_item(struct ts_fact_tree *t, const struct ts_pb_field *f, struct ts_error *err)
{
	struct item item = {.node = TS_KEY_ROOT};

	if (item_parts(t, f->bytes, &item, err))
		return err->status;
	if (f->number == CONFIG_UPDATE && item.internal && ts_span_is(item.value, "{}"))
		return TS_OK;
	if (f->number == CONFIG_UPDATE)
		return ts_fact_tree_set(t, item.node, item.value, err);
	ts_fact_tree_remove(t, item.node);
	return TS_OK;
}

enum ts_status ts_wandb_config(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	enum ts_status worst = TS_OK;

	while (ts_pb_next(&pb, &f)) {
		bool is_item = f.wire == TS_PB_BYTES && (f.number == CONFIG_UPDATE || f.number == CONFIG_REMOVE);
		enum ts_status status = is_item ? take_item(t, &f, err) : TS_OK;

		if (!goes_on(status))
			return status;
		worst = status ? status : worst;
	}
	return pb.broken ? ts_error_set(err, TS_INVALID, "a configuration that does not fit its length") : worst;
}

/* --- run, environment --- */

/* The parts of a message that are messages themselves. Each has its own function. */
struct part {
	uint32_t number;
	const struct field *fields;
	size_t n;
};

static enum ts_status take_parts(struct ts_fact_tree *t, const struct part *parts, size_t n, struct ts_span message,
				 struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	enum ts_status worst = TS_OK;

	while (ts_pb_next(&pb, &f))
		for (size_t i = 0; i < n; i++) {
			enum ts_status status = TS_OK;

			if (f.number == parts[i].number && f.wire == TS_PB_BYTES)
				status = take_fields(t, parts[i].fields, parts[i].n, f.bytes, err);
			if (!goes_on(status))
				return status;
			worst = status ? status : worst;
		}
	return worst;
}

/* Takes all texts of one repeated field as a list, behind `first`. */
static enum ts_status take_list(struct ts_fact_tree *t, const char *path, struct ts_span message, uint32_t first, uint32_t number,
				struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(TS_JSON_FILE_MAX);
	struct ts_json j = ts_json_of(&buf);
	struct ts_pb_field f;
	enum ts_status status = TS_OK;
	size_t n = 0;

	ts_json_array(&j);
	for (struct ts_pb pb = ts_pb_of(message); ts_pb_next(&pb, &f);)
		if (f.number == first && f.wire == TS_PB_BYTES) {
			ts_json_span(&j, f.bytes);
			break;
		}
	for (struct ts_pb pb = ts_pb_of(message); ts_pb_next(&pb, &f);)
		if (f.number == number && f.wire == TS_PB_BYTES) {
			ts_json_span(&j, f.bytes);
			n++;
		}
	ts_json_end(&j);
	if (n > 0)
		status = ts_buf_check(&buf, err);
	if (n > 0 && !status) {
		ts_buf_char(&buf, '\0');
		status = ts_buf_check(&buf, err) ? err->status : set_raw(t, path, (const char *)buf.data, err);
	}
	ts_buf_finish(&buf);
	return status;
}

enum ts_status ts_wandb_run(struct ts_fact_tree *t, struct ts_span message, bool first, struct ts_error *err)
{
	static const struct part parts[] = {{RUN_TELEMETRY, telemetry_fields, COUNT_OF(telemetry_fields)},
					    {RUN_GIT, git_fields, COUNT_OF(git_fields)},
					    {RUN_BRANCH_POINT, branch_fields, COUNT_OF(branch_fields)}};
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	enum ts_status worst = take_fields(t, run_fields, COUNT_OF(run_fields) - !first, message, err), status;

	if (!goes_on(worst))
		return worst;
	while (ts_pb_next(&pb, &f)) {
		status = f.number == RUN_CONFIG && f.wire == TS_PB_BYTES ? ts_wandb_config(t, f.bytes, err) : TS_OK;
		if (!goes_on(status))
			return status;
		worst = status ? status : worst;
	}
	status = take_parts(t, parts, COUNT_OF(parts), message, err);
	if (!goes_on(status))
		return status;
	worst = status ? status : worst;
	status = take_list(t, "other.wandb.tags", message, 0, RUN_TAGS, err);
	return status ? status : worst;
}

enum ts_status ts_wandb_run_about(struct ts_span message, struct ts_arena *arena, struct ts_run_about *ret_about, struct ts_error *err)
{
	struct ts_span id = {NULL, 0}, project = {NULL, 0}, name = {NULL, 0};
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;

	while (ts_pb_next(&pb, &f)) {
		if (f.wire != TS_PB_BYTES)
			continue;
		id = f.number == RUN_ID ? f.bytes : id;
		project = f.number == RUN_PROJECT ? f.bytes : project;
		name = f.number == RUN_DISPLAY_NAME ? f.bytes : name;
	}
	if (name.len && !(ret_about->own_name = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(name))))
		return ts_arena_error(arena, err);
	if (id.len && !(ret_about->key = ts_arena_printf(arena, "%.*s/%.*s", TS_SPAN_ARG(project), TS_SPAN_ARG(id))))
		return ts_arena_error(arena, err);
	return TS_OK;
}

static void write_gpu(struct ts_json *j, struct ts_span message)
{
	static const struct {
		uint32_t number;
		const char *name;
	} parts[] = {{GPU_NAME, "name"},
		     {GPU_MEMORY_TOTAL, "memory"},
		     {GPU_CUDA_CORES, "cuda_cores"},
		     {GPU_ARCHITECTURE, "architecture"},
		     {GPU_UUID, "uuid"}};
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;

	ts_json_object(j);
	while (ts_pb_next(&pb, &f))
		for (size_t i = 0; i < COUNT_OF(parts); i++) {
			if (parts[i].number != f.number)
				continue;
			ts_json_key(j, parts[i].name);
			if (f.wire == TS_PB_BYTES)
				ts_json_span(j, f.bytes);
			else
				ts_json_i64(j, (int64_t)f.value);
		}
	ts_json_end(j);
}

static enum ts_status take_gpus(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(TS_JSON_FILE_MAX);
	struct ts_json j = ts_json_of(&buf);
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	enum ts_status status = TS_OK;
	uint32_t node;
	bool any = false;

	ts_json_array(&j);
	while (ts_pb_next(&pb, &f))
		if (f.number == ENVIRONMENT_GPU_NVIDIA && f.wire == TS_PB_BYTES) {
			any = true;
			write_gpu(&j, f.bytes);
		}
	ts_json_end(&j);
	if (any && !ts_buf_check(&buf, err) && !ts_fact_tree_path(t, "hardware.gpus", &node, err))
		(void)ts_fact_tree_set(t, node, ts_buf_view(&buf), err);
	if (any)
		status = ts_buf_check(&buf, err);
	ts_buf_finish(&buf);
	return status;
}

/* Takes map<string, string>, the variables of the scheduler. */
static enum ts_status take_slurm(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;

	while (ts_pb_next(&pb, &f)) {
		struct ts_pb entry = ts_pb_of(f.bytes);
		struct ts_pb_field part;
		struct ts_span key = {NULL, 0}, value = {NULL, 0};
		uint32_t node;

		if (f.number != ENVIRONMENT_SLURM || f.wire != TS_PB_BYTES)
			continue;
		while (ts_pb_next(&entry, &part)) {
			key = part.number == TS_PB_MAP_KEY && part.wire == TS_PB_BYTES ? part.bytes : key;
			value = part.number == TS_PB_MAP_VALUE && part.wire == TS_PB_BYTES ? part.bytes : value;
		}
		if (key.len && (ts_fact_tree_path(t, "session.slurm", &node, err) || ts_fact_tree_node(t, node, key, &node, err) ||
				ts_fact_tree_text(t, node, value, err)))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_wandb_environment(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err)
{
	static const struct part parts[] = {{ENVIRONMENT_GIT, git_fields, COUNT_OF(git_fields)},
					    {ENVIRONMENT_MEMORY, memory_fields, COUNT_OF(memory_fields)},
					    {ENVIRONMENT_CPU, cpu_fields, COUNT_OF(cpu_fields)}};
	enum ts_status status[5], worst = TS_OK;

	status[0] = take_fields(t, environment_fields, COUNT_OF(environment_fields), message, err);
	status[1] = take_parts(t, parts, COUNT_OF(parts), message, err);
	status[2] = take_list(t, "session.argv", message, ENVIRONMENT_PROGRAM, ENVIRONMENT_ARGS, err);
	status[3] = take_gpus(t, message, err);
	status[4] = take_slurm(t, message, err);
	for (size_t i = 0; i < COUNT_OF(status); i++)
		if (status[i] && goes_on(worst))
			worst = status[i];
	return worst;
}

enum ts_status ts_wandb_telemetry(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err)
{
	return take_fields(t, telemetry_fields, COUNT_OF(telemetry_fields), message, err);
}

enum ts_status ts_wandb_header(struct ts_fact_tree *t, struct ts_span message, struct ts_error *err)
{
	static const struct part parts[] = {{HEADER_VERSION_INFO, version_fields, COUNT_OF(version_fields)}};

	return take_parts(t, parts, COUNT_OF(parts), message, err);
}

enum ts_status ts_wandb_exit(struct ts_fact_tree *t, struct ts_span message, int64_t *ret_code, struct ts_error *err)
{
	static const struct field fields[] = {{EXIT_RUNTIME, COUNT, "session.wall_time", NULL}};
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;

	*ret_code = 0;
	while (ts_pb_next(&pb, &f))
		if (f.number == EXIT_CODE && f.wire == TS_PB_VARINT)
			*ret_code = (int64_t)f.value;
	if (take_fields(t, fields, COUNT_OF(fields), message, err))
		return err->status;
	return set_count(t, "other.wandb.exit_code", (uint64_t)*ret_code, err);
}

/* --- the files beside it --- */

static enum ts_status take_member(struct ts_fact_tree *t, const struct field *field, struct ts_json_reader *r, struct ts_error *err)
{
	struct ts_json_token token;
	char text[32];

	if (ts_json_next(r, &token, err))
		return err->status;
	if (token.type == TS_JSON_STRING && token.text.len)
		return set_text(t, field->path, field->how == WORD ? last_word(token.text) : token.text, err);
	if (token.type == TS_JSON_NUMBER && token.integer && token.raw.len < sizeof text) {
		memcpy(text, token.raw.data, token.raw.len);
		text[token.raw.len] = '\0';
		return set_raw(t, field->path, text, err);
	}
	return token.type == TS_JSON_OBJECT || token.type == TS_JSON_ARRAY ? ts_json_skip(r, NULL, err) : TS_OK;
}

static const struct field *find_member(const struct field *fields, size_t n, struct ts_span name)
{
	for (size_t i = 0; i < n; i++)
		if (fields[i].name && ts_span_is(name, fields[i].name))
			return &fields[i];
	return NULL;
}

/* Takes program and args of the metadata as one list of words. */
static enum ts_status take_words(struct ts_fact_tree *t, struct ts_span program, struct ts_span args, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(2 * TS_JSON_FILE_MAX);
	uint32_t node;
	enum ts_status status;

	if (program.len < 2 || args.len < 2 || program.data[0] != '"' || args.data[0] != '[')
		return TS_OK;
	ts_buf_char(&buf, '[');
	ts_buf_span(&buf, program);
	if (memchr(args.data, '"', args.len))
		ts_buf_char(&buf, ',');
	ts_buf_span(&buf, ts_span_of(args.data + 1, args.len - 1));
	status = ts_buf_check(&buf, err);
	if (!status)
		status = ts_fact_tree_path(t, "session.argv", &node, err);
	if (!status)
		status = ts_fact_tree_set(t, node, ts_buf_view(&buf), err);
	ts_buf_finish(&buf);
	return status;
}

/* Members that are kept unchanged: lists. */
struct kept {
	struct ts_span program, args, gpus;
};

static struct ts_span *kept_as(struct kept *kept, struct ts_span name)
{
	if (ts_span_is(name, "program"))
		return &kept->program;
	if (ts_span_is(name, "args"))
		return &kept->args;
	return ts_span_is(name, "gpu_nvidia") ? &kept->gpus : NULL;
}

static enum ts_status end_metadata(struct ts_fact_tree *t, const struct kept *kept, struct ts_error *err)
{
	uint32_t node;

	if (kept->gpus.len && (ts_fact_tree_path(t, "hardware.gpus", &node, err) || ts_fact_tree_set(t, node, kept->gpus, err)))
		return err->status;
	return take_words(t, kept->program, kept->args, err);
}

static enum ts_status take_metadata(struct ts_fact_tree *t, struct ts_json_reader *r, struct ts_error *err)
{
	struct ts_json_token token;
	struct kept kept = {.program = {NULL, 0}};
	bool in_git = false;

	if (ts_json_next(r, &token, err))
		return err->status;
	if (token.type != TS_JSON_OBJECT)
		return ts_error_set(err, TS_INVALID, "it is not a JSON object");
	for (;;) {
		const struct field *field;

		if (ts_json_next(r, &token, err))
			return err->status;
		if (token.type == TS_JSON_END && !in_git)
			return end_metadata(t, &kept, err);
		if (token.type == TS_JSON_END) {
			in_git = false;
			continue;
		}
		if (!in_git && ts_span_is(token.text, "git")) {
			in_git = true;
			if (ts_json_next(r, &token, err))
				return err->status;
			if (token.type == TS_JSON_ARRAY && ts_json_skip(r, NULL, err))
				return err->status;
			in_git = token.type == TS_JSON_OBJECT;
			continue;
		}
		if (!in_git && kept_as(&kept, token.text)) {
			if (ts_json_skip(r, kept_as(&kept, token.text), err))
				return err->status;
			continue;
		}
		field = in_git ? find_member(git_fields, COUNT_OF(git_fields), token.text)
			       : find_member(environment_fields, COUNT_OF(environment_fields), token.text);
		if (field ? take_member(t, field, r, err) : ts_json_skip(r, NULL, err))
			return err->status;
	}
}

enum ts_status ts_wandb_metadata(struct ts_fact_tree *t, struct ts_span json, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(2 * TS_JSON_FILE_MAX);
	struct ts_json_reader r;
	enum ts_status status;

	ts_json_reader_init(&r, json, &scratch);
	status = take_metadata(t, &r, err);
	ts_buf_finish(&scratch);
	return status;
}

/* The packages on which numbers or speed depend. A list of everything that is installed would hide them. */
static const char *const told[] = {
	"torch", "torchvision", "torchao", "torchtitan", "triton", "numpy", "jax", "jaxlib", "flax", "optax", "tensorflow", "keras",
	"transformers", "tokenizers", "datasets", "accelerate", "peft", "trl", "deepspeed", "lightning", "pytorch-lightning",
	"megatron-core", "transformer-engine", "flash-attn", "xformers", "bitsandbytes", "apex", "nvidia-cudnn-cu12",
	"nvidia-cublas-cu12", "nvidia-nccl-cu12",
};

static enum ts_status take_requirement(struct ts_fact_tree *t, struct ts_span line, struct ts_error *err)
{
	for (size_t i = 0; i < COUNT_OF(told); i++) {
		struct ts_span name = ts_span_str(told[i]);
		uint32_t node;

		if (!ts_span_starts(line, name) || line.len < name.len + 3 || memcmp(line.data + name.len, "==", 2) != 0)
			continue;
		if (ts_fact_tree_path(t, "libraries", &node, err) || ts_fact_tree_node(t, node, name, &node, err))
			return err->status;
		return ts_fact_tree_text(t, node, ts_span_of(line.data + name.len + 2, line.len - name.len - 2), err);
	}
	return TS_OK;
}

enum ts_status ts_wandb_requirements(struct ts_fact_tree *t, struct ts_span text, struct ts_error *err)
{
	while (text.len > 0) {
		const uint8_t *end = memchr(text.data, '\n', text.len);
		size_t n = end ? (size_t)(end - text.data) : text.len;

		if (take_requirement(t, ts_span_of(text.data, n - (n > 0 && text.data[n - 1] == '\r')), err))
			return err->status;
		text = ts_span_of(text.data + n, text.len - n);
		if (end)
			text = ts_span_of(text.data + 1, text.len - 1);
	}
	return TS_OK;
}
