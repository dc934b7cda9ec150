/*
 * Parses the lists of --order and --chains.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cache/cache_latency.h"
#include "util/parse.h"

/* A longer stride is of no use on any machine. */
#define STRIDE_MOST (UINT64_C(1) << 30)

#define STRIDE "stride:"

static int parse_stride(const char *text, size_t *stride, struct error *err)
{
	uint64_t bytes = 0;
	int rc = parse_bytes(text, CHASE_LINE_BYTES, STRIDE_MOST, &bytes, err);

	if (rc == 0 && bytes % CHASE_LINE_BYTES)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%" PRIu64 "' is not a multiple of %zu bytes", bytes,
			CHASE_LINE_BYTES);
	*stride = (size_t)bytes;
	return rc;
}

static int parse_order(
	const char *word, struct chase_spec *order, struct error *err)
{
	*order = (struct chase_spec){.order = CHASE_RANDOM};
	if (strcmp(word, "random") == 0)
		return 0;
	order->order = CHASE_PAGE;
	if (strcmp(word, "page") == 0)
		return 0;
	order->order = CHASE_STRIDE;
	if (strncmp(word, STRIDE, strlen(STRIDE)) == 0)
		return parse_stride(
			word + strlen(STRIDE), &order->step_bytes, err);
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' is none of random, page, stride:BYTES", word);
}

static int add_order(void *into, char *word, struct error *err)
{
	struct latency_orders *orders = into;
	struct chase_spec order;
	int rc = parse_order(word, &order, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < orders->n; i++) {
		if (orders->list[i].order == order.order &&
			orders->list[i].step_bytes == order.step_bytes)
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is named twice", word);
	}
	if (orders->n == LATENCY_MOST_ORDERS)
		return error_set(err, ERROR_USAGE, EINVAL,
			"more than %d orders", LATENCY_MOST_ORDERS);
	orders->list[orders->n++] = order;
	return 0;
}

static int add_chains(
	struct latency_chains *chains, uint64_t count, struct error *err)
{
	for (size_t i = 0; i < chains->n; i++) {
		if (chains->list[i] == count)
			return error_set(err, ERROR_USAGE, EINVAL,
				"%" PRIu64 " is named twice", count);
	}
	/* Each is listed once, so there is room. */
	chains->list[chains->n++] = (unsigned)count;
	return 0;
}

/* A number, or MIN:MAX, which doubles. */
static int add_range(void *into, char *word, struct error *err)
{
	char *colon = strchr(word, ':');
	uint64_t least = 0, most = 0;
	int rc;

	if (colon)
		*colon = '\0';
	rc = parse_u64(word, 1, CHASE_MOST_CHAINS, &least, err);
	most = least;
	if (rc == 0 && colon)
		rc = parse_u64(colon + 1, 1, CHASE_MOST_CHAINS, &most, err);
	if (rc == 0 && most < least)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s:%s' has a MAX below its MIN", word, colon + 1);
	for (; rc == 0 && least <= most; least *= 2)
		rc = add_chains(into, least, err);
	return rc;
}

/* Call add() with each word between commas. */
static int for_each_word(void *into, const char *text,
	int (*add)(void *into, char *word, struct error *err),
	struct error *err)
{
	char *words = strdup(text), *rest = words, *word;
	int rc = words ? 0 : error_no_memory(err, "an option");

	while (rc == 0 && (word = strsep(&rest, ",")))
		rc = add(into, word, err);
	free(words);
	return rc;
}

int latency_parse_orders(void *at, const char *text, struct error *err)
{
	struct latency_orders *orders = at;

	*orders = (struct latency_orders){.text = text};
	return for_each_word(orders, text, add_order, err);
}

int latency_parse_chains(void *at, const char *text, struct error *err)
{
	struct latency_chains *chains = at;

	*chains = (struct latency_chains){.text = text};
	return for_each_word(chains, text, add_range, err);
}
