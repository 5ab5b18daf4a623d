#include "ingest/trace/trace_foreign.h"

#include "base/below.h"
#include "base/text.h"
#include "ingest/trace/trace_input.h"

#include <unistd.h>

enum { LOOK = 64 << 10 };

#define RECORD_A_TRACE "record the run with torch.profiler.profile(), and analyze what export_chrome_trace() writes"

static const char execution_trace[] =
	"an execution trace of PyTorch (Chakra), which has operators and their tensors, but no times of devices: " RECORD_A_TRACE;
static const char xplane[] =
	"an xplane of XLA's profiler (JAX, TensorFlow), which tscope does not read: analyze the trace.json.gz beside it, which "
	"jax.profiler.trace(DIR) writes, too";
static const char rocprof[] = "an output of rocprofv3, which tscope does not read: if PyTorch ran, " RECORD_A_TRACE;
static const char nsys[] =
	"a report of Nsight Systems, whose form is not public: analyze what nsys export --type sqlite REPORT writes of it";
static const char timeline[] =
	"a memory timeline of torch.profiler, which has sums and no blocks: call torch.cuda.memory._record_memory_history() when "
	"the run begins, and analyze what torch.cuda.memory._dump_snapshot() writes";

static bool is_timeline(struct ts_span text)
{
	size_t brackets = 0, numbers = 0;

	/* [[time, action, bytes, category], ...] raw, or [[times], [[sizes]]]. */
	for (size_t i = 0; i < text.len && i < 256; i++) {
		uint8_t c = text.data[i];

		if (c == '[')
			brackets++;
		else if (ts_is_digit(c))
			numbers++;
		else if (c != ',' && c != ' ' && c != '\n' && c != ']' && c != '-' && c != '.')
			return false;
	}
	return brackets >= 2 && numbers;
}

static const char *by_text(struct ts_span text)
{
	while (text.len && ts_is_space(text.data[0]))
		text = ts_span_from(text, 1);
	if (!text.len || (text.data[0] != '{' && text.data[0] != '['))
		return NULL;
	if (text.data[0] == '[')
		return is_timeline(text) ? timeline : NULL;
	if (ts_span_contains(text, "\"rocprofiler-sdk-tool\""))
		return rocprof;
	if (!ts_span_contains(text, "\"schema\"") || !ts_span_contains(text, "\"nodes\""))
		return NULL;
	return ts_span_contains(text, "chakra") || ts_span_contains(text, "\"ctrl_deps\"") ? execution_trace : NULL;
}

static const char *by_name(struct ts_span name)
{
	static const struct {
		const char *end, *what;
	} names[] = {{".xplane.pb", xplane}, {".nsys-rep", nsys}, {".qdrep", nsys}, {".pftrace", rocprof}};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (ts_span_ends(name, names[i].end))
			return names[i].what;
	return NULL;
}

enum ts_status ts_trace_foreign(const char *path, const char **ret_what, struct ts_error *err)
{
	struct ts_source source = {.path = ts_span_str(path), .name = ts_span_str(path)};
	const char *what = NULL;
	struct ts_trace_input in;
	struct ts_error cannot;
	enum ts_status status;

	*ret_what = NULL;
	if (ts_below_kind(path, path) != TS_FILE_REGULAR || ts_below_open(path, path, &source.fd, &source.size, &cannot))
		return TS_OK;
	status = ts_trace_input_open(&in, &source, LOOK, &cannot);
	if (!status) {
		status = ts_trace_input_more(&in, 0, &cannot);
		what = status ? NULL : by_text(ts_span_of(in.window, in.len));
		ts_trace_input_close(&in);
	}
	(void)close(source.fd);
	if (status == TS_NO_MEMORY) {
		*err = cannot;
		return err->status;
	}
	*ret_what = what ? what : by_name(ts_span_str(path));
	return TS_OK;
}
