#include "cmd/cache/cache_account.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/measure/measure.h"

void cache_account_init(struct cache_account *account)
{
	*account = (struct cache_account){
		.pages = MEMORY_PAGES_HUGETLB, .bound = true};
}

void cache_account_add(
	struct cache_account *account, const struct memory_mapping *memory)
{
	if (!memory->base)
		return;
	if (memory->pages < account->pages)
		account->pages = memory->pages;
	account->bound = account->bound && memory->bound;
	account->huge_bytes += memory->huge_bytes;
	account->bytes += memory->bytes;
}

int cache_account_record(const struct cache_account *account,
	enum memory_pages asked, struct campaign *campaign,
	struct result *result, struct error *err)
{
	struct run_facts *run;
	char *pages;

	if (account->bytes == 0)
		return 0;
	run = &result->run;
	pages = strdup(memory_pages_name(account->pages));
	if (!pages)
		return error_no_memory(err, "the result");
	free(run->pages);
	run->pages = pages;
	run->memory_bound = account->bound && campaign->memory_bound;
	run->huge_share = (double)account->huge_bytes / (double)account->bytes;
	measure_warn_memory(campaign, asked, account->pages, run->huge_share,
		account->bound || !campaign->memory_bound);
	return 0;
}
