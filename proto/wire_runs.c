/* wire_runs.c - messages about what runs are: list, get, analyze. */
#include "proto/shape/shape_wire.h"
#include "proto/shape/shapes.h"

static ProtobufCMessage *build_list_request(const struct ts_list_request *in, struct ts_arena *arena)
{
	Tscope__V1__ListRunsRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(list_runs_request));

	if (!m)
		return NULL;
	m->project = ts_wire_span(in->project);
	m->kind = ts_wire_kind(in->kind);
	m->filter = ts_wire_span(in->filter);
	m->columns = ts_wire_spans(arena, in->columns, in->n_columns);
	if (!m->columns)
		return NULL;
	m->n_columns = in->n_columns;
	m->sort = ts_wire_span(in->sort);
	m->page_size = in->page_size;
	m->page_token = ts_wire_span(in->page_token);
	return &m->base;
}

static void read_list_request(struct ts_wire_reader *r, const Tscope__V1__ListRunsRequest *m,
			      struct ts_list_request *out)
{
	out->project = ts_wire_text(r, m->project, TS_NAME_MAX, "project");
	out->kind = ts_wire_read_kind(r, m->kind);
	out->filter = ts_wire_text(r, m->filter, TS_WIRE_TEXT_MAX, "filter");
	out->columns = ts_wire_texts(r, m->columns, m->n_columns, TS_WIRE_COLUMNS_MAX, TS_PATH_MAX, "columns",
				     &out->n_columns);
	out->sort = ts_wire_text(r, m->sort, TS_PATH_MAX + 1, "sort");
	out->page_size = (uint32_t)ts_wire_uint(r, m->page_size, TS_PAGE_MAX, "page_size");
	out->page_token = ts_wire_bytes(r, m->page_token, TS_WIRE_TEXT_MAX, "page_token");
}

WIRE_PACK(list_request, ts_list_request);
WIRE_UNPACK(list_request, ts_list_request, list_runs_request);

/* How many columns were asked for stands nowhere in the reply's struct: rows have cells until the request's count, which
 * the packer learns from n_cells of the reply. */
static bool build_cells(Tscope__V1__ListRow *m, const struct ts_list_row *in, size_t n, struct ts_arena *arena)
{
	m->cells = ts_arena_array(arena, n, sizeof *m->cells);
	if (!m->cells)
		return false;
	for (size_t i = 0; i < n; i++) {
		m->cells[i] = in->cells[i].known ? ts_shape_build(&ts_shape_fact, &in->cells[i].value, arena)
						 : ts_wire_new(arena, WIRE_DESCRIPTOR(fact));
		if (!m->cells[i])
			return false;
	}
	m->n_cells = n;
	return true;
}

static ProtobufCMessage *build_list_reply(const struct ts_list_reply *in, struct ts_arena *arena)
{
	Tscope__V1__ListRunsReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(list_runs_reply));

	if (!m)
		return NULL;
	m->rows = ts_wire_rows(arena, in->n, WIRE_DESCRIPTOR(list_row));
	if (!m->rows)
		return NULL;
	m->n_rows = in->n;
	for (size_t i = 0; i < in->n; i++) {
		m->rows[i]->name = ts_wire_span(in->rows[i].name);
		m->rows[i]->id = ts_wire_id_bytes(&in->rows[i].id);
		m->rows[i]->pushed_ns = in->rows[i].pushed_ns;
		if (!build_cells(m->rows[i], &in->rows[i], in->n_cells, arena))
			return NULL;
	}
	m->next_token = ts_wire_span(in->next_token);
	m->examined = in->examined;
	return &m->base;
}

static void read_cells(struct ts_wire_reader *r, const Tscope__V1__ListRow *m, struct ts_list_row *out, size_t want)
{
	size_t n;

	out->cells = ts_wire_array(r, m->n_cells, sizeof *out->cells, TS_WIRE_COLUMNS_MAX, "rows.cells", &n);
	for (size_t i = 0; i < n; i++) {
		out->cells[i].known = m->cells[i]->type != TSCOPE__V1__FACT_TYPE__FACT_TYPE_UNSPECIFIED;
		if (out->cells[i].known)
			ts_shape_read(&ts_shape_fact, r, m->cells[i], &out->cells[i].value);
	}
	if (m->n_cells != want)
		ts_wire_fail(r, "rows.cells", "differs in length from row to row");
}

static void read_list_reply(struct ts_wire_reader *r, const Tscope__V1__ListRunsReply *m, struct ts_list_reply *out)
{
	out->rows = ts_wire_array(r, m->n_rows, sizeof *out->rows, TS_PAGE_MAX, "rows", &out->n);
	out->n_cells = out->n ? m->rows[0]->n_cells : 0;
	for (size_t i = 0; i < out->n; i++) {
		out->rows[i].name = ts_wire_text(r, m->rows[i]->name, TS_NAME_MAX, "rows.name");
		out->rows[i].id = ts_wire_id(r, m->rows[i]->id, "rows.id");
		out->rows[i].pushed_ns = m->rows[i]->pushed_ns;
		read_cells(r, m->rows[i], &out->rows[i], out->n_cells);
	}
	out->next_token = ts_wire_bytes(r, m->next_token, TS_WIRE_TEXT_MAX, "next_token");
	out->examined = m->examined;
}

WIRE_PACK(list_reply, ts_list_reply);
WIRE_UNPACK(list_reply, ts_list_reply, list_runs_reply);

static ProtobufCMessage *build_get_request(const struct ts_get_request *in, struct ts_arena *arena)
{
	Tscope__V1__GetRunRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(get_run_request));

	if (!m)
		return NULL;
	m->spec = ts_wire_span(in->spec);
	return &m->base;
}

static void read_get_request(struct ts_wire_reader *r, const Tscope__V1__GetRunRequest *m, struct ts_get_request *out)
{
	out->spec = ts_wire_text(r, m->spec, TS_WIRE_SPEC_MAX, "spec");
}

WIRE_PACK(get_request, ts_get_request);
WIRE_UNPACK(get_request, ts_get_request, get_run_request);

static void fill_column(Tscope__V1__ColumnInfo *m, const struct ts_column_info *in)
{
	m->name = ts_wire_span(in->name);
	m->type = (Tscope__V1__ColumnType)in->type;
	m->role = (Tscope__V1__Role)in->role;
	m->precision = (Tscope__V1__Precision)in->precision;
	m->digits = in->digits;
	m->table = (Tscope__V1__TableKind)in->table;
	m->rank = in->rank;
	m->ranks = in->ranks;
	m->rows = in->rows;
	m->first_key = in->first_key;
	m->last_key = in->last_key;
	m->rows_all = in->rows_all;
}

static void read_column(struct ts_wire_reader *r, const Tscope__V1__ColumnInfo *m, struct ts_column_info *out)
{
	out->name = ts_wire_bytes(r, m->name, TS_PATH_MAX, "columns.name");
	out->type = (enum ts_column_type)ts_wire_enum(r, m->type, TS_COLUMN_F64, TS_COLUMN_JSON, "columns.type");
	out->role = (enum ts_role)ts_wire_enum(r, m->role, TS_ROLE_UNKNOWN, TS_ROLE_OBSERVATION, "columns.role");
	out->precision = (enum ts_precision)ts_wire_enum(r, m->precision, TS_PRECISION_F64, TS_PRECISION_DECIMALS,
							 "columns.precision");
	out->digits = (uint8_t)ts_wire_uint(r, m->digits, UINT8_MAX, "columns.digits");
	out->table =
		(enum ts_table_kind)ts_wire_enum(r, m->table, TS_TABLE_STEPS, TS_TABLE_KINDS, "columns.table");
	out->rank = m->rank;
	out->ranks = m->ranks;
	out->rows = m->rows;
	out->first_key = m->first_key;
	out->last_key = m->last_key;
	out->rows_all = m->rows_all;
}

static void fill_note(Tscope__V1__Note *m, const struct ts_note *in)
{
	m->key = ts_wire_span(in->key);
	m->value = ts_wire_span(in->value);
	m->at_ns = in->at_ns;
	m->who = ts_wire_span(in->who);
}

static void read_note(struct ts_wire_reader *r, const Tscope__V1__Note *m, struct ts_note *out)
{
	out->key = ts_wire_text(r, m->key, TS_NAME_MAX, "notes.key");
	out->value = ts_wire_text(r, m->value, TS_NOTE_MAX, "notes.value");
	out->at_ns = m->at_ns;
	out->who = ts_wire_text(r, m->who, TS_WIRE_WHO_MAX, "notes.who");
}

static void fill_file(Tscope__V1__FileInfo *m, const struct ts_file_info *in)
{
	m->rank = in->rank;
	m->name = ts_wire_span(in->name);
	m->size = in->size;
}

static void read_file(struct ts_wire_reader *r, const Tscope__V1__FileInfo *m, struct ts_file_info *out)
{
	out->rank = m->rank;
	out->name = ts_wire_bytes(r, m->name, TS_PATH_MAX, "files.name");
	out->size = m->size;
}

static ProtobufCMessage *build_get_reply(const struct ts_get_reply *in, struct ts_arena *arena)
{
	Tscope__V1__GetRunReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(get_run_reply));

	if (!m)
		return NULL;
	m->run = ts_shape_build(&ts_shape_run, &in->run, arena);
	if (in->by_ref)
		m->ref = ts_wire_new(arena, WIRE_DESCRIPTOR(ref));
	m->head = ts_wire_span(in->head);
	m->notes = ts_wire_rows(arena, in->n_notes, WIRE_DESCRIPTOR(note));
	m->columns = ts_wire_rows(arena, in->n_columns, WIRE_DESCRIPTOR(column_info));
	m->files = ts_wire_rows(arena, in->n_files, WIRE_DESCRIPTOR(file_info));
	m->names = ts_wire_rows(arena, in->n_names, WIRE_DESCRIPTOR(ref));
	if (in->lineage.named && !(m->lineage = ts_shape_build(&ts_shape_lineage, &in->lineage, arena)))
		return NULL;
	if (!m->run || (in->by_ref && !m->ref) || !m->notes || !m->columns || !m->files || !m->names)
		return NULL;
	if (in->by_ref)
		ts_wire_fill_ref(m->ref, &in->ref);
	m->n_notes = in->n_notes;
	for (size_t i = 0; i < in->n_notes; i++)
		fill_note(m->notes[i], &in->notes[i]);
	m->n_columns = in->n_columns;
	for (size_t i = 0; i < in->n_columns; i++)
		fill_column(m->columns[i], &in->columns[i]);
	m->n_files = in->n_files;
	for (size_t i = 0; i < in->n_files; i++)
		fill_file(m->files[i], &in->files[i]);
	m->missing_ranks = ts_wire_ranks(in->missing_ranks);
	m->n_missing_ranks = in->n_missing;
	m->n_names = in->n_names;
	for (size_t i = 0; i < in->n_names; i++)
		ts_wire_fill_ref(m->names[i], &in->names[i]);
	return &m->base;
}

static void read_get_reply(struct ts_wire_reader *r, const Tscope__V1__GetRunReply *m, struct ts_get_reply *out)
{
	ts_shape_read_one(&ts_shape_run, r, m->run, "run", &out->run);
	out->by_ref = m->ref != NULL;
	if (m->ref)
		ts_wire_read_ref(r, m->ref, &out->ref);
	out->head = ts_wire_bytes(r, m->head, TS_HEAD_MAX, "head");
	out->notes = ts_wire_array(r, m->n_notes, sizeof *out->notes, TS_MESSAGE_MAX, "notes", &out->n_notes);
	for (size_t i = 0; i < out->n_notes; i++)
		read_note(r, m->notes[i], &out->notes[i]);
	out->columns = ts_wire_array(r, m->n_columns, sizeof *out->columns, TS_MESSAGE_MAX, "columns", &out->n_columns);
	for (size_t i = 0; i < out->n_columns; i++)
		read_column(r, m->columns[i], &out->columns[i]);
	out->files = ts_wire_array(r, m->n_files, sizeof *out->files, TS_MESSAGE_MAX, "files", &out->n_files);
	for (size_t i = 0; i < out->n_files; i++)
		read_file(r, m->files[i], &out->files[i]);
	out->missing_ranks =
		ts_wire_int32s(r, m->missing_ranks, m->n_missing_ranks, TS_WORLD_MAX, "missing_ranks", &out->n_missing);
	out->names = ts_wire_array(r, m->n_names, sizeof *out->names, TS_WIRE_REPORTED_MAX, "names", &out->n_names);
	for (size_t i = 0; i < out->n_names; i++)
		ts_wire_read_ref(r, m->names[i], &out->names[i]);
	if (m->lineage)
		ts_shape_read_one(&ts_shape_lineage, r, m->lineage, "lineage", &out->lineage);
}

WIRE_PACK(get_reply, ts_get_reply);
WIRE_UNPACK(get_reply, ts_get_reply, get_run_reply);
