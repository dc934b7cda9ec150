/*
 * The pages that c2c cache measured, and whether the kernel put them on the
 * requested node.
 */
#ifndef C2C_CACHE_ACCOUNT_H
#define C2C_CACHE_ACCOUNT_H

#include "engine/campaign.h"
#include "machine/memory.h"
#include "result/result.h"

/* An account of several mappings: their smallest pages, and sums of bytes. */
struct cache_account {
	enum memory_pages pages;
	size_t huge_bytes, bytes;
	bool bound;
};

void cache_account_init(struct cache_account *account);

/* Add an inspected mapping, unless mapping failed. */
void cache_account_add(
	struct cache_account *account, const struct memory_mapping *memory);

/*
 * Put the account into the record, and warn if pages or node differ from the
 * request.
 */
int cache_account_record(const struct cache_account *account,
	enum memory_pages asked, struct campaign *campaign,
	struct result *result, struct error *err);

#endif
