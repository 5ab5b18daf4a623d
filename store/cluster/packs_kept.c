#include "store/cluster/packs_kept.h"

#include "base/alloc.h"

/* The value of an id; in the older age also `moved`, where the pack became young again. */
struct pack {
	size_t len;
	uint8_t bytes[];
};
static struct pack moved;

static void let_go(struct ts_packs_kept *kept, struct pack *pack)
{
	ts_budget_give(kept->budget, pack->len);
	ts_free(pack);
}

static void end_age(struct ts_packs_kept *kept, struct ts_packs_age *age)
{
	for (size_t i = 0; i < age->packs.n; i++)
		if (age->packs.items[i].value != &moved)
			let_go(kept, age->packs.items[i].value);
	ts_idmap_finish(&age->packs);
	age->bytes = 0;
}

void ts_packs_kept_init(struct ts_packs_kept *kept)
{
	*kept = (struct ts_packs_kept){.budget = ts_budget_current()};
}

void ts_packs_kept_finish(struct ts_packs_kept *kept)
{
	end_age(kept, &kept->young);
	end_age(kept, &kept->old);
}

/* Makes a pack the newest. */
static enum ts_status add(struct ts_packs_kept *kept, const struct ts_id *digest, struct pack *pack, struct ts_span *ret,
			  struct ts_error *err)
{
	struct ts_packs_age *young = &kept->young;

	if (young->bytes && young->bytes + pack->len > TS_PACKS_KEPT_BYTES) {
		end_age(kept, &kept->old);
		kept->old = *young;
		*young = (struct ts_packs_age){.bytes = 0};
	}
	if (ts_idmap_put(&young->packs, digest, pack, err))
		return err->status;
	young->bytes += pack->len;
	*ret = ts_span_of(pack->bytes, pack->len);
	return TS_OK;
}

bool ts_packs_kept_find(struct ts_packs_kept *kept, const struct ts_id *digest, struct ts_span *ret)
{
	struct pack *pack = ts_idmap_get(&kept->young.packs, digest);
	struct ts_error ignored;

	if (pack) {
		*ret = ts_span_of(pack->bytes, pack->len);
		return true;
	}
	pack = ts_idmap_get(&kept->old.packs, digest);
	if (!pack || pack == &moved)
		return false;
	(void)ts_idmap_put(&kept->old.packs, digest, &moved, &ignored); /* it is there already, so no memory is asked for */
	if (add(kept, digest, pack, ret, &ignored) == TS_OK)
		return true;
	let_go(kept, pack);
	return false;
}

enum ts_status ts_packs_kept_add(struct ts_packs_kept *kept, const struct ts_id *digest, struct ts_span bytes, struct ts_span *ret,
				 struct ts_error *err)
{
	const struct ts_budget *lacks = ts_budget_take(kept->budget, bytes.len);
	struct pack *pack;

	if (lacks)
		return ts_budget_error(lacks, err);
	pack = ts_alloc(sizeof *pack + bytes.len);
	if (!pack) {
		ts_budget_give(kept->budget, bytes.len);
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a pack");
	}
	pack->len = bytes.len;
	if (bytes.len)
		memcpy(pack->bytes, bytes.data, bytes.len);
	if (add(kept, digest, pack, ret, err) == TS_OK)
		return TS_OK;
	let_go(kept, pack);
	return ts_error_set(err, TS_NO_MEMORY, "out of memory for a pack");
}
