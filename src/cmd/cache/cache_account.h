/*
 * Which pages c2c cache measured, and whether they are on the requested node,
 * as the kernel reports it.
 */
#ifndef C2C_CACHE_ACCOUNT_H
#define C2C_CACHE_ACCOUNT_H

#include "engine/campaign.h"
#include "machine/memory.h"
#include "result/result.h"

/* An account of several mappings: the smallest kind of pages, and sums. */
struct cache_account {
	enum memory_pages pages;
	size_t huge_bytes, bytes;
	bool bound;
};

void cache_account_init(struct cache_account *account);

/* Add a mapping that was inspected. A mapping that failed does not count. */
void cache_account_add(
	struct cache_account *account, const struct memory_mapping *memory);

/*
 * Put the account into the record, and warn if it is not what the user asked
 * for.
 */
int cache_account_record(const struct cache_account *account,
	enum memory_pages asked, struct campaign *campaign,
	struct result *result, struct error *err);

#endif
