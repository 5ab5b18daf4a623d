#include "ingest/host/host.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/system.h"
#include "base/text.h"
#include "ingest/facts/redact.h"
#include "ingest/host/environment.h"
#include "ingest/host/spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LIMIT_NS (INT64_C(5) * 1000000000)

enum { ANCESTORS = 200 };

struct host {
	const char *dir;
	const char *command;
	bool want_patch;
	const char *no_patch;
	struct ts_arena *arena;
	struct ts_facts *facts;
	struct ts_buf out; /* the output of the last program */
};

/* The variables that are copied from the environment, and the path of each list. They tell which job this is, or they
 * change results. */
static const struct list {
	const char *path;
	const char *names[136];
} lists[] = {
	{"session.ci",
	 {"CI", "GITHUB_ACTIONS", "GITHUB_REPOSITORY", "GITHUB_REF", "GITHUB_SHA", "GITHUB_RUN_ID", "GITHUB_RUN_NUMBER",
	  "GITHUB_RUN_ATTEMPT", "GITHUB_WORKFLOW", "GITHUB_JOB", "GITHUB_EVENT_NAME", "CI_PIPELINE_ID", "CI_JOB_ID",
	  "CI_JOB_NAME", "CI_COMMIT_SHA", "CI_COMMIT_REF_NAME", "CI_PROJECT_PATH", "BUILD_ID", "BUILD_NUMBER", "JOB_NAME",
	  "BUILDKITE_BUILD_ID", "CIRCLE_BUILD_NUM", NULL}},
	{"session.slurm",
	 {"SLURM_JOB_ID", "SLURM_JOB_NAME", "SLURM_JOB_PARTITION", "SLURM_JOB_NODELIST", "SLURM_JOB_NUM_NODES",
	  "SLURM_NTASKS", "SLURM_CLUSTER_NAME", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_RESTART_COUNT",
	  "SLURM_GPUS", "SLURM_GPUS_ON_NODE", NULL}},
	/* Which search for settings and which group a tracker's agent started this process for; and which job of a scheduler it is. */
	{"session.sweep", {"WANDB_SWEEP_ID", "WANDB_RUN_GROUP", NULL}},
	{"session.scheduler", {"PBS_JOBID", "PBS_ARRAY_INDEX", "LSB_JOBID", "LSB_JOBINDEX", "RAY_JOB_ID", NULL}},
	{"session.topology",
	 {"LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "NODE_RANK", "SLURM_NODEID", "SLURM_LOCALID", NULL}},
	{"determinism.env",
	 {"PYTHONHASHSEED", "CUBLAS_WORKSPACE_CONFIG", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "MKL_CBWR",
	  "CUDA_LAUNCH_BLOCKING", "CUDA_VISIBLE_DEVICES", "NVIDIA_TF32_OVERRIDE", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
	  "PYTORCH_CUDA_ALLOC_CONF", "TF_DETERMINISTIC_OPS", "TF_CUDNN_DETERMINISTIC", "XLA_FLAGS",
	  "FLASH_ATTENTION_DETERMINISTIC", "NCCL_ALGO", "NCCL_PROTO", "NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS",
	  "NCCL_NTHREADS", "NCCL_BUFFSIZE", "NCCL_NVLS_ENABLE", "NCCL_COLLNET_ENABLE", "NCCL_IB_DISABLE",
	  "NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE", "NCCL_CROSS_NIC", "NCCL_SOCKET_IFNAME", "NCCL_TOPO_FILE",
	  "NCCL_NET", "NCCL_IB_HCA", "NCCL_NET_GDR_LEVEL", "NCCL_P2P_LEVEL", "NCCL_MIN_CTAS", "NCCL_MAX_CTAS",
	  "NCCL_CUMEM_ENABLE", "NCCL_LAUNCH_MODE", "NCCL_PXN_DISABLE", "TORCH_NCCL_ASYNC_ERROR_HANDLING",
	  "TORCH_NCCL_BLOCKING_WAIT", "TORCH_NCCL_HIGH_PRIORITY", "TORCH_NCCL_AVOID_RECORD_STREAMS",
	  "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_DEVICE_ORDER", "CUDA_MODULE_LOADING", "CUBLASLT_WORKSPACE_SIZE",
	  "PYTORCH_ALLOC_CONF", "PYTORCH_NO_CUDA_MEMORY_CACHING", "TORCH_BLAS_PREFER_CUBLASLT",
	  "TORCH_LINALG_PREFER_CUSOLVER", "TORCH_CUDNN_V8_API_DISABLED", "TORCH_CUDNN_V8_API_LRU_CACHE_LIMIT",
	  "DISABLE_ADDMM_CUDA_LT", "TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE", "TORCHINDUCTOR_CACHE_DIR",
	  "TORCHINDUCTOR_FX_GRAPH_CACHE", "TORCHINDUCTOR_MAX_AUTOTUNE", "TORCHINDUCTOR_FREEZING", "TRITON_CACHE_DIR",
	  "TRITON_F32_DEFAULT", "ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "ONEDNN_DEFAULT_FPMATH_MODE",
	  "OMP_DYNAMIC", "OMP_PROC_BIND", "OMP_PLACES", "OMP_SCHEDULE", "KMP_AFFINITY", "KMP_BLOCKTIME",
	  "MKL_DYNAMIC", "MKL_ENABLE_INSTRUCTIONS", "OPENBLAS_NUM_THREADS", "NVTE_ALLOW_NONDETERMINISTIC_ALGO",
	  "NVTE_FLASH_ATTN", "NVTE_FUSED_ATTN", "HIP_VISIBLE_DEVICES", "MIOPEN_FIND_MODE",
	  "MKL_THREADING_LAYER", "MKL_DEBUG_CPU_TYPE", "OPENBLAS_CORETYPE", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS",
	  "GOMP_CPU_AFFINITY", "OMP_THREAD_LIMIT", "CUBLAS_EMULATION_STRATEGY", "TORCHINDUCTOR_CPP_WRAPPER",
	  "TORCHINDUCTOR_EMULATE_PRECISION_CASTS", "TORCH_NCCL_USE_COMM_NONBLOCKING",
	  "JAX_ENABLE_X64", "JAX_DEFAULT_MATMUL_PRECISION", "JAX_PLATFORMS", "TF_ENABLE_ONEDNN_OPTS", NULL}},
	/* Which code and which files a command finds. */
	{"session.env",
	 {"PYTHONPATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "VIRTUAL_ENV", "CONDA_PREFIX", "HF_HOME", "HF_DATASETS_CACHE",
	  "HF_HUB_OFFLINE", "TORCH_HOME", "TOKENIZERS_PARALLELISM", "TZ", NULL}},
};

static enum ts_status add(struct host *h, struct ts_fact fact, const char *path, struct ts_error *err)
{
	fact.source = TS_SOURCE_HOST;
	fact.path = ts_arena_span(h->arena, ts_span_str(path));
	if (fact.type == TS_FACT_TEXT)
		fact.text = ts_arena_span(h->arena, fact.text);
	if (!fact.path.data || (fact.type == TS_FACT_TEXT && !fact.text.data))
		return ts_arena_error(h->arena, err);
	if (ts_redact(&fact, ts_secret_path(fact.path), h->arena, err))
		return err->status;
	return ts_facts_add(h->facts, &fact, h->arena, err);
}

/* Adds a text. A text that is not UTF-8 cannot be kept, and an empty one counts as missing. */
static enum ts_status add_text(struct host *h, const char *path, struct ts_span text, struct ts_error *err)
{
	if (text.len == 0 || text.len > TS_FACT_TEXT_MAX || !ts_utf8_valid(text))
		return TS_OK;
	return add(h, (struct ts_fact){.type = TS_FACT_TEXT, .text = text}, path, err);
}

static enum ts_status add_bool(struct host *h, const char *path, bool value, struct ts_error *err)
{
	return add(h, (struct ts_fact){.type = TS_FACT_BOOL, .boolean = value}, path, err);
}

/* Returns what the program printed, trimmed. The span is empty if the program is missing, failed, or took too long. */
static struct ts_span ask(struct host *h, const char *const argv[])
{
	struct ts_error ignored;

	ts_buf_reset(&h->out);
	if (ts_spawn_output(argv, LIMIT_NS, &h->out, &ignored))
		return ts_span_of(NULL, 0);
	return ts_trim(ts_buf_view(&h->out));
}

/* --- git --- */

struct patch {
	struct ts_hasher hasher;
	struct ts_buf *text; /* NULL: only the digest is wanted */
	uint64_t len;
};

static bool patch_more(void *ctx, struct ts_span bytes)
{
	struct patch *patch = ctx;

	ts_hasher_add(&patch->hasher, bytes);
	patch->len += bytes.len;
	if (patch->text)
		ts_buf_span(patch->text, bytes);
	return true;
}

static bool is_hex(struct ts_span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!ts_is_digit(text.data[i]) && (text.data[i] < 'a' || text.data[i] > 'f'))
			return false;
	return text.len >= 40;
}

/* Returns the text behind its first line, which names HEAD. */
static struct ts_span after_line(struct ts_span text)
{
	const uint8_t *newline = text.len ? memchr(text.data, '\n', text.len) : NULL;
	size_t used = newline ? (size_t)(newline - text.data) + 1 : text.len;

	return ts_span_of(text.data + used, text.len - used);
}

/* The text is kept unchanged or not at all, because a changed patch could not be applied. */
static enum ts_status add_patch_text(struct host *h, uint64_t len, struct ts_error *err)
{
	struct ts_span text = ts_buf_view(&h->out);
	size_t line;

	if (len > TS_FACT_TEXT_MAX)
		h->no_patch = ts_arena_printf(h->arena, "it has %" PRIu64 " bytes, and the limit is %d", len,
					      TS_FACT_TEXT_MAX);
	else if (h->out.failed)
		return ts_buf_check(&h->out, err);
	else if (!ts_utf8_valid(text) || memchr(text.data, 0, text.len))
		h->no_patch = "it is not UTF-8";
	else if (ts_secret_code(text, &line))
		h->no_patch = ts_arena_printf(h->arena, "its line %zu looks like it has a secret", line);
	else
		return add_text(h, "session.patch", text, err);
	return h->no_patch ? TS_OK : ts_arena_error(h->arena, err);
}

/* Adds the digest of the uncommitted changes of tracked files. No external diff program is run. */
static enum ts_status add_patch(struct host *h, struct ts_error *err)
{
	const char *diff[] = {"git", "-C", h->dir, "-c", "core.fsmonitor=false", "diff", "--binary", "--no-ext-diff",
			      "--no-textconv", "--no-color", "--no-relative", "HEAD", NULL};
	struct ts_error ignored;
	struct patch patch = {.text = h->want_patch ? &h->out : NULL};
	struct ts_id id;
	enum ts_status status;
	char hex[TS_ID_HEX + 1];

	if (ts_hasher_init(&patch.hasher, err))
		return err->status;
	ts_buf_reset(&h->out);
	ts_hasher_start(&patch.hasher);
	status = ts_spawn(diff, LIMIT_NS, patch_more, &patch, &ignored);
	ts_hasher_end(&patch.hasher, &id);
	ts_hasher_finish(&patch.hasher);
	if (status)
		return TS_OK;
	if (add_bool(h, "code.dirty", patch.len > 0, err))
		return err->status;
	if (patch.len == 0)
		return TS_OK;
	if (add_text(h, "code.patch_sha256", ts_span_str(ts_id_hex(&id, hex)), err))
		return err->status;
	return h->want_patch ? add_patch_text(h, patch.len, err) : TS_OK;
}

static enum ts_status add_git(struct host *h, struct ts_error *err)
{
	const char *head[] = {"git", "-C", h->dir, "rev-parse", "--verify", "HEAD", NULL};
	const char *branch[] = {"git", "-C", h->dir, "symbolic-ref", "--short", "-q", "HEAD", NULL};
	const char *list[] = {"git", "-C", h->dir, "rev-list", "--max-count=201", "HEAD", NULL};
	const char *shallow[] = {"git", "-C", h->dir, "rev-parse", "--is-shallow-repository", NULL};
	struct ts_span text = ask(h, head);

	_Static_assert(ANCESTORS == 200, "the list asks for HEAD and its ancestors");
	if (!is_hex(text))
		return TS_OK;
	if (add_text(h, "code.commit", text, err) || add_text(h, "code.branch", ask(h, branch), err) ||
	    add_text(h, "code.ancestors", after_line(ask(h, list)), err))
		return err->status;
	text = ask(h, shallow);
	if ((ts_span_is(text, "true") || ts_span_is(text, "false")) &&
	    add_bool(h, "code.shallow", ts_span_is(text, "true"), err))
		return err->status;
	return add_patch(h, err);
}

/* --- GPUs --- */

/* Returns the next field of a CSV line of nvidia-smi. */
static struct ts_span next_field(struct ts_span *line)
{
	const uint8_t *comma = line->len ? memchr(line->data, ',', line->len) : NULL;
	size_t len = comma ? (size_t)(comma - line->data) : line->len;
	struct ts_span field = ts_trim(ts_span_of(line->data, len));
	size_t used = comma ? len + 1 : len;

	*line = ts_span_of(line->data + used, line->len - used);
	return field;
}

static enum ts_status add_gpu(struct host *h, size_t i, struct ts_span line, struct ts_error *err)
{
	static const char *const names[] = {"name", "uuid", "driver"};
	int64_t mib;
	char path[64];

	for (size_t k = 0; k < 3; k++) {
		(void)snprintf(path, sizeof path, "hardware.gpus[%zu].%s", i, names[k]);
		if (add_text(h, path, next_field(&line), err))
			return err->status;
	}
	(void)snprintf(path, sizeof path, "hardware.gpus[%zu].memory", i);
	if (!ts_parse_i64(next_field(&line), &mib) || mib <= 0 || mib > INT64_MAX >> 20)
		return TS_OK;
	return add(h, (struct ts_fact){.type = TS_FACT_INT, .integer = mib << 20}, path, err);
}

/* Adds the table that `nvidia-smi topo -m` prints, without its underlining. */
static enum ts_status add_topology(struct host *h, struct ts_error *err)
{
	static const char *const topo[] = {"nvidia-smi", "topo", "-m", NULL};
	struct ts_span text = ask(h, topo);
	uint8_t *plain = ts_arena_alloc(h->arena, text.len + 1);
	size_t n = 0;

	if (!plain)
		return ts_arena_error(h->arena, err);
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == 0x1B && i + 1 < text.len && text.data[i + 1] == '[') {
			while (i < text.len && !ts_is_alpha(text.data[i]))
				i++;
			continue;
		}
		plain[n++] = text.data[i];
	}
	return add_text(h, "hardware.gpu_topology", ts_trim(ts_span_of(plain, n)), err);
}

static enum ts_status add_gpus(struct host *h, struct ts_error *err)
{
	static const char *const query[] = {"nvidia-smi", "--query-gpu=name,uuid,driver_version,memory.total",
					    "--format=csv,noheader,nounits", NULL};
	struct ts_span text = ask(h, query);
	size_t n = 0;

	if (text.len == 0)
		return TS_OK;
	while (text.len) {
		const uint8_t *newline = memchr(text.data, '\n', text.len);
		size_t len = newline ? (size_t)(newline - text.data) : text.len;

		if (add_gpu(h, n++, ts_span_of(text.data, len), err))
			return err->status;
		len += newline != NULL;
		text = ts_span_of(text.data + len, text.len - len);
	}
	return add_topology(h, err);
}

/* --- the session --- */

static enum ts_status add_lists(struct host *h, struct ts_error *err)
{
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		for (size_t k = 0; lists[i].names[k]; k++) {
			const char *value = getenv(lists[i].names[k]);
			char path[128];

			(void)snprintf(path, sizeof path, "%s.%s", lists[i].path, lists[i].names[k]);
			if (value && add_text(h, path, ts_span_str(value), err))
				return err->status;
		}
	return TS_OK;
}

/* The kind of container that this process runs in: by a file that its engine makes, else by a variable. */
static enum ts_status add_container(struct host *h, struct ts_error *err)
{
	static const struct {
		const char *file, *variable, *kind;
	} marks[] = {
		{"/.dockerenv", NULL, "docker"},
		{"/run/.containerenv", NULL, "podman"},
		{NULL, "APPTAINER_CONTAINER", "apptainer"},
		{NULL, "SINGULARITY_CONTAINER", "apptainer"},
		{NULL, "KUBERNETES_SERVICE_HOST", "kubernetes"},
	};
	const char *kind = getenv("container"), *value;

	for (size_t i = sizeof marks / sizeof marks[0]; i-- > 0;) {
		value = marks[i].variable ? getenv(marks[i].variable) : NULL;
		if (marks[i].file ? access(marks[i].file, F_OK) == 0 : value && *value)
			kind = marks[i].kind;
	}
	return kind ? add_text(h, "session.container", ts_span_str(kind), err) : TS_OK;
}

/* Adds the digests of all variables, and by which key they are made; nothing where there is no key. */
static enum ts_status add_environment(struct host *h, struct ts_error *err)
{
	struct ts_environment_key key;

	if (!ts_environment_key(&key))
		return TS_OK;
	ts_buf_reset(&h->out);
	if (ts_environment_write(&key, h->arena, &h->out, err))
		return err->status;
	if (add_text(h, "session.environment", ts_buf_view(&h->out), err))
		return err->status;
	return add_text(h, "session.environment_key", ts_span_str(key.id), err);
}

static enum ts_status add_session(struct host *h, struct ts_error *err)
{
	struct ts_error ignored;
	char name[256] = "";
	char time[TS_TIME_TEXT];

	if (gethostname(name, sizeof name - 1) == 0 && add_text(h, "session.host", ts_span_str(name), err))
		return err->status;
	ts_buf_reset(&h->out);
	if (!ts_system_boot_id(&h->out, &ignored) &&
	    add_text(h, "session.boot_id", ts_trim(ts_buf_view(&h->out)), err))
		return err->status;
	return add_text(h, "session.collected_at", ts_span_str(ts_time_text(ts_now_real_ns(), time)), err);
}

/* Adds the folder of the repository in which the command was started. It matters only for repeating the command. */
static enum ts_status add_command(struct host *h, struct ts_error *err)
{
	const char *prefix[] = {"git", "-C", h->dir, "rev-parse", "--show-prefix", NULL};
	struct ts_span command = ts_trim(ts_span_str(h->command ? h->command : "")), directory;

	if (!h->command)
		return TS_OK;
	if (command.len == 0 || !ts_utf8_valid(command))
		return ts_error_set(err, TS_INVALID, "the command %s", command.len ? "is not UTF-8" : "is empty");
	if (add_text(h, "session.command", command, err))
		return err->status;
	directory = ask(h, prefix);
	if (directory.len)
		directory.len--; /* without the last '/' */
	return add_text(h, "session.directory", directory, err);
}

enum ts_status ts_host_facts(const struct ts_host_wanted *wanted, struct ts_arena *arena, struct ts_facts *facts,
			     const char **ret_no_patch, struct ts_error *err)
{
	struct host h = {
		.dir = wanted->dir,
		.command = wanted->command,
		.want_patch = wanted->patch,
		.arena = arena,
		.facts = facts,
		.out = TS_BUF_INIT(TS_FACT_TEXT_MAX),
	};
	enum ts_status status = TS_OK;

	if (add_git(&h, err) || add_gpus(&h, err) || add_lists(&h, err) || add_environment(&h, err) || add_session(&h, err) ||
	    add_container(&h, err) || add_command(&h, err))
		status = err->status;
	ts_buf_finish(&h.out);
	if (!status)
		*ret_no_patch = h.no_patch;
	return status;
}
