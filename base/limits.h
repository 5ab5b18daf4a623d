/* limits.h - every limit of tscope, each with its reason. Bytes unless a unit is named. */
#ifndef TSCOPE_BASE_LIMITS_H
#define TSCOPE_BASE_LIMITS_H

enum {
	/* An object travels in one message; gRPC receives 4 MiB by default. A text block has at most 1 MiB of
	 * dictionary, one last value of 64 KiB and 256 KiB of codes. */
	TS_OBJECT_MAX = 2 << 20,
	/* A head is read for every run that a list filters by a fact: small enough to scan thousands. */
	TS_HEAD_MAX = 64 << 10,
	/* An index is read whole before a column is; longer ones chain to the next. */
	TS_INDEX_MAX = 1 << 20,
	/* One file chunk and its header make exactly 1 MiB. */
	TS_CHUNK_BYTES = (1 << 20) - 16,
	/* Rows of a block: aimed at, and the most before it is cut by row. */
	TS_BLOCK_ROWS_LOG2 = 14,
	TS_BLOCK_ROWS_MAX = 65536,
	/* Dictionary bytes of a text block after which its table is cut by row. */
	TS_BLOCK_TEXT_MAX = 1 << 20,
	/* The longest text cell; longer ones make the record be skipped, with its line. */
	TS_TEXT_MAX = 64 << 10,
	/* Text facts longer than this lie in an object of their own, so that the head stays small. */
	TS_FACT_INLINE_MAX = 1024,
	TS_FACT_TEXT_MAX = 1 << 20,
	/* The longest path of a fact or name of a column, in bytes, escapes included. */
	TS_PATH_MAX = 512,
	/* Columns of one rank: each holds a window of up to 512 KiB while it is written. */
	TS_COLUMNS_MAX = 4096,
	/* Ranks of a run, the job counted: a head without facts has room for them. Facts leave room for fewer (run/head.h). */
	TS_RANKS_MAX = (TS_HEAD_MAX - 26) / 36,
	/* parallelism.world_size, whose missing ranks are listed: a run may have recorded a few ranks of many. */
	TS_WORLD_MAX = 65536,
	/* A line of steps.jsonl; a record of 4 phases, 2 scalars and 4 memory columns has 324. */
	TS_LINE_MAX = 4 << 20,
	/* Nesting of foreign JSON: the parser recurses once a level. */
	TS_JSON_DEPTH = 64,
	/* run.json and facts.json are read whole. */
	TS_JSON_FILE_MAX = 16 << 20,
	/* Times that steps go backwards in one file: a cursor and a read buffer each. */
	TS_SEGMENTS_MAX = 4096,
	/* A name, and a project: they stand in one LMDB key of at most 511 bytes. */
	TS_NAME_MAX = 128,
	/* What a list shows without opening the head. */
	TS_SUMMARY_MAX = 512,
	TS_NOTE_MAX = 4096,
	/* Ids of one have/want question, or one get: 32 KiB of ids. */
	TS_IDS_MAX = 16384,
	/* Bytes of objects in one upload or download message, after which it is sent. */
	TS_BATCH_BYTES = 1 << 20,
	/* The largest message either side receives: a batch and one object over it. */
	TS_MESSAGE_MAX = 4 << 20,
	/* Runs of one page of list. */
	TS_PAGE_MAX = 1000,
	/* Memory of one unary call or one streamed message while it is handled. */
	TS_CALL_ARENA = 64 << 20,
	/* The longest request to which the queue thread itself tries an answer: 64 ids, looked up in 40 us (in a store of 200,000
	 * objects). All other calls wait meanwhile; to wake another thread costs one call 10 to 30 us. */
	TS_QUICK_BYTES = 64 * 32 + 16,
	/* Memory of one analysis: four columns of ten million steps, and room to sort one. */
	TS_ANALYSIS_ARENA = 1 << 30,
	/* Decoded blocks that a matrix of runs keeps: one of ordinary size of each of 256 runs, keys and values, twice over. */
	TS_MATRIX_CACHE = 128 << 20,
	/* Connections of one server: each idle one costs it 15 to 21 KB and a descriptor. */
	TS_SERVER_CONNECTIONS = 1024,
	/* Calls of one server at once, most of them waiting: each may hold two messages of TS_MESSAGE_MAX. */
	TS_SERVER_CALLS = 256,
	/* Calls of one connection at once, as HTTP/2 announces it. */
	TS_CONNECTION_CALLS = 100,
	/* Seconds that a peer may take no byte of a message before its call is given up: it holds a thread meanwhile. */
	TS_STALL_SECONDS = 60,
	/* Seconds without a call after which a server closes a connection; clients connect again by themselves. */
	TS_IDLE_SECONDS = 1800,
	/* Seconds to reach a server, and to hear the first answer; ssh may ask for a password meanwhile. */
	TS_CONNECT_SECONDS = 5,
	TS_SSH_SECONDS = 60,
	/* Seconds for an ordinary answer; for one that reads a whole store or long runs; for a commit in a long queue. */
	TS_CALL_SECONDS = 60,
	TS_LONG_CALL_SECONDS = 3600,
	/* Messages of an upload that wait beside the one on its way: the next is packed while the last is sent. */
	TS_UPLOAD_AHEAD = 4,
	/* Sealed objects of a server that a command keeps: two runs of a million steps have some 70 MB. */
	TS_REMOTE_CACHE = 128 << 20,
};

/* Entries of a list that has no limit of its own: a message holds no more of which each takes at least so many bytes, its tag and its
 * length counted. */
#define TS_ENTRIES_OF(bytes) (TS_MESSAGE_MAX / (bytes))

/* How long an object that no name reaches is safe from gc after it was last leased. */
#define TS_LEASE_SECONDS (24 * 3600)
/* Sending or asking for an object leases it anew only when its lease is older: so asking for ids rarely writes. */
#define TS_LEASE_FRESH_SECONDS (TS_LEASE_SECONDS / 4)

#endif
