/* limits.h - every limit of tscope, each with its reason. Units are bytes unless another is named. */
#ifndef TSCOPE_BASE_LIMITS_H
#define TSCOPE_BASE_LIMITS_H

enum {
	/* An object travels in one message; gRPC receives 4 MiB by default. A text block has at most 1 MiB of
	 * dictionary, one last value of 64 KiB and 256 KiB of codes. */
	TS_OBJECT_MAX = 2 << 20,
	/* A head is read whole, for every run of a list that is filtered by a fact. Most take 2 to 8 KiB; a run with thousands of
	 * columns, or of labels in its configuration, takes hundreds. */
	TS_HEAD_MAX = TS_OBJECT_MAX,
	/* An index is read whole before any column; a longer index is a chain of several objects. */
	TS_INDEX_MAX = 1 << 20,
	/* One file chunk and its header make exactly 1 MiB. */
	TS_CHUNK_BYTES = (1 << 20) - 16,
	/* Rows of a block: the number (log2) that the cut by key aims at, and the number at which it is cut in any case. */
	TS_BLOCK_ROWS_LOG2 = 14,
	TS_BLOCK_ROWS_MAX = 65536,
	/* Dictionary bytes of a text block after which its table is cut by row. */
	TS_BLOCK_TEXT_MAX = 1 << 20,
	/* The longest text cell. A record with a longer one is skipped and reported with its line. */
	TS_TEXT_MAX = 64 << 10,
	/* A text fact longer than this is an object of its own, so that the head stays small; and the longest text fact. */
	TS_FACT_INLINE_MAX = 1024,
	TS_FACT_TEXT_MAX = 1 << 20,
	/* The longest path of a fact or name of a column, in bytes, escapes included. */
	TS_PATH_MAX = 512,
	/* Columns of one rank: each has a window of up to 512 KiB while it is written. */
	TS_COLUMNS_MAX = 16384,
	/* Ranks of a run, with the job as one of them: answers have a row for each. */
	TS_RANKS_MAX = 1819,
	/* parallelism.world_size: the ranks that are missing are listed, and a run may have recorded a few ranks of many. */
	TS_WORLD_MAX = 65536,
	/* A line of steps.jsonl; a record of 4 phases, 2 scalars and 4 memory columns has 324 bytes. */
	TS_LINE_MAX = 4 << 20,
	/* Depth of nesting of foreign JSON: the parser recurses once for each level. */
	TS_JSON_DEPTH = 64,
	/* The size of run.json and of facts.json, which are read whole. */
	TS_JSON_FILE_MAX = 16 << 20,
	/* How often steps may go backwards in one file: each time takes a cursor and a read buffer. */
	TS_SEGMENTS_MAX = 4096,
	/* A name, and a project: both are part of one LMDB key of at most 511 bytes. */
	TS_NAME_MAX = 128,
	/* The summary that a list shows without opening the head; and the text of a note. */
	TS_SUMMARY_MAX = 512,
	TS_NOTE_MAX = 4096,
	/* Entries of the history of one note. */
	TS_NOTE_LOG_MAX = 64,
	/* A record of a store that is about no run. */
	TS_RECORD_KEY_MAX = 128,
	TS_RECORD_MAX = 4096,
	/* Names and entries of logs that one transaction lets go, and that one plan of a policy lists. */
	TS_RETIRE_MAX = 256,
	TS_RETENTION_ITEMS_MAX = 16384,
	/* What a list shows of one column of a run: ten numbers. */
	TS_EXTRACT_MAX = 128,
	/* Number of ids in one question for missing objects, or in one get. */
	TS_IDS_MAX = 16384,
	/* Heads that a request for objects names, of which the caller must be allowed to read one that reaches each. */
	TS_CHANNEL_HEADS = 16,
	/* An upload or download message is sent when it has so many bytes of objects. */
	TS_BATCH_BYTES = 1 << 20,
	/* The largest message that either side receives: a batch and the object that exceeded it. */
	TS_MESSAGE_MAX = 4 << 20,
	/* What the objects of one message unseal to. tscope packs messages of at most 6 MiB; to verify so much takes 60 ms. Those that
	 * are sealed as text or compressed data have a limit of their own: 6 MiB of what gzip -9 wrote take 5 s. */
	TS_UNSEALED_MAX = 64 << 20,
	TS_UNSEALED_TEXT_MAX = 8 << 20,
	/* Runs on one page of a list. */
	TS_PAGE_MAX = 1000,
	/* Memory of one unary call, or of one streamed message, while it is handled. */
	TS_CALL_ARENA = 64 << 20,
	/* The longest request that the queue thread itself tries to answer: 64 ids, which take 40 us to look up (in a store of
 * 200,000 objects). All other calls wait meanwhile; waking another thread would cost the call 10 to 30 us. */
	TS_QUICK_BYTES = 64 * 32 + 16,
	/* Memory of one analysis: four columns of ten million steps, and room to sort one. */
	TS_ANALYSIS_ARENA = 1 << 30,
	/* What a command may use beyond that to say what a trace says: bytes for each of its file, of which an event takes 20 and
	 * more in gzip, and of memory some 500; and the shift of the most, 16 GiB, for TS_TRACE_ROWS_MAX events. */
	TS_TRACE_BYTES_A_BYTE = 64,
	TS_TRACE_ARENA_SHIFT = 34,
	/* Decoded blocks that a matrix of runs keeps: two blocks of ordinary size, with keys and values, of each of 256 runs. */
	TS_MATRIX_CACHE = 128 << 20,
	/* Connections of one server: each idle one costs 15 to 21 KB and a descriptor. */
	TS_SERVER_CONNECTIONS = 1024,
	/* Simultaneous calls of one server, most of which wait: each may hold two messages of TS_MESSAGE_MAX. */
	TS_SERVER_CALLS = 256,
	/* Simultaneous calls of one connection, which HTTP/2 announces. */
	TS_CONNECTION_CALLS = 100,
	/* Threads of the lane of downloads for each of another lane, and at most so many: most of them wait for a client. */
	TS_DOWN_THREADS_EACH = 8,
	TS_DOWN_THREADS = 64,
	/* Steps of nice by which long work stands behind small questions, and uploads behind both: of a core that two want, the first
	 * leaves three fifths and the second three quarters to a small question. */
	TS_LONG_STEP = 2,
	TS_WRITE_STEP = 5,
	/* What one peer may have of what the others leave, in percent: of the threads of a lane (of four, three), of memory, and of
	 * calls. And of its own calls, those that wait for a thread, a disk or a client: the others are for small questions. */
	TS_SHARE_THREADS = 75,
	TS_SHARE_MEMORY = 75,
	TS_SHARE_CALLS = 50,
	TS_SHARE_WAITING = 75,
	/* If a peer takes no byte of a message for so many seconds, its call is ended, because it holds a thread meanwhile. */
	TS_STALL_SECONDS = 60,
	/* An upload of which no message comes for so many seconds is ended: one of 3 MiB takes as long at 10 KB/s. */
	TS_UPLOAD_SECONDS = 300,
	/* A server closes a connection after so many seconds without a call; clients reconnect by themselves. */
	TS_IDLE_SECONDS = 1800,
	/* Seconds to reach a server and get the first answer. Through ssh it may take longer, since ssh may ask for a password. */
	TS_CONNECT_SECONDS = 5,
	TS_SSH_SECONDS = 60,
	/* Seconds for an ordinary answer, and for a long one: a call that reads a whole store or long runs, or a commit in a long
 * queue. */
	TS_CALL_SECONDS = 60,
	TS_LONG_CALL_SECONDS = 3600,
	/* Messages of an upload that wait beside the one that is being sent, so that the next can be packed meanwhile. */
	TS_UPLOAD_AHEAD = 4,
	/* Sealed objects of a server that a command keeps in memory: two runs of a million steps have some 70 MB. */
	TS_REMOTE_CACHE = 128 << 20,
};

/* The most entries of a list that has no limit of its own: a message cannot hold more entries if each takes at least so many
 * bytes, with its tag and its length. */
#define TS_ENTRIES_OF(bytes) (TS_MESSAGE_MAX / (bytes))

/* For so many seconds after its last lease, gc does not delete an object that no name reaches. */
#define TS_LEASE_SECONDS (24 * 3600)
/* Sending an object, or asking whether it is there, renews its lease only if the lease is older than so many seconds, so that
 * asking for ids rarely writes. */
#define TS_LEASE_FRESH_SECONDS (TS_LEASE_SECONDS / 4)
/* For so many seconds a name that was removed is kept, with what it reaches. */
#define TS_KEEP_REMOVED_SECONDS (30 * 24 * 3600)
/* Room that stays free on the disk of a store: gc takes a few MiB a transaction, and gets them back two transactions later unless a
 * backup is being read. */
#define TS_STORE_RESERVE (64 << 20)

#endif
