/*
 * The pages that c2c cache measured, and whether they lie on the requested
 * node, as the kernel reports it.
 */
#ifndef C2C_CACHE_ACCOUNT_H
#define C2C_CACHE_ACCOUNT_H

#include "engine/campaign.h"
#include "machine/memory.h"
#include "result/result.h"

/* Over several mappings: the smallest kind of pages, and sums. */
struct cache_account {
	enum memory_pages pages;
	size_t huge_bytes, bytes;
	bool bound;
};

void cache_account_init(struct cache_account *account);

/* Add a mapping, inspected before. One that was never made does not count. */
void cache_account_add(
	struct cache_account *account, const struct memory_mapping *memory);

/*
 * Put the account into the record, and warn if the user asked for something
 * else.
 */
int cache_account_record(const struct cache_account *account,
	enum memory_pages asked, struct campaign *campaign,
	struct result *result, struct error *err);

#endif
