/*
 * Parses the lists of --access and --threads, and finds the registers of
 * --width.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cache/cache_bandwidth.h"
#include "util/parse.h"
#include "util/text.h"

/* The longest item of a list, with its final zero. */
#define WORD_BYTES 32

/* Call take() with each item of a list with commas. */
static int for_each_item(const char *text,
	int (*take)(void *at, const char *item, struct error *err), void *at,
	struct error *err)
{
	int rc = 0;

	for (bool more = true; more && rc == 0;) {
		size_t n = strcspn(text, ",");
		char item[WORD_BYTES] = "";

		if (n == 0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"an item of the list is empty");
		if (n >= WORD_BYTES)
			return error_set(err, ERROR_USAGE, EINVAL,
				"an item of the list is too long");
		memcpy(item, text, n);
		rc = take(at, item, err);
		more = text[n] == ',';
		text += n + 1;
	}
	return rc;
}

static int take_access(void *at, const char *item, struct error *err)
{
	struct bandwidth_accesses *accesses = at;

	for (int access = 0; access < ARCH_ACCESSES; access++) {
		if (strcmp(item, arch_access_names[access]) != 0)
			continue;
		for (size_t i = 0; i < accesses->n; i++) {
			if ((int)accesses->list[i] == access)
				return 0;
		}
		accesses->list[accesses->n++] = (enum arch_access)access;
		return 0;
	}
	return error_set(err, ERROR_USAGE, EINVAL, "'%s' is none of %s", item,
		WORDS_COMMAS(ARCH_ACCESS_WORDS));
}

int bandwidth_parse_accesses(void *at, const char *text, struct error *err)
{
	struct bandwidth_accesses *accesses = at;

	*accesses = (struct bandwidth_accesses){.text = text};
	return for_each_item(text, take_access, accesses, err);
}

static int take_threads(void *at, const char *item, struct error *err)
{
	struct bandwidth_threads *threads = at;
	uint64_t n = 0;

	if (strcmp(item, "llc") == 0)
		n = BANDWIDTH_LLC;
	else if (strcmp(item, "all") == 0)
		n = BANDWIDTH_ALL;
	else if (parse_u64(item, 1, BANDWIDTH_MOST_CPUS, &n, err) < 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is neither 'llc' nor 'all' nor a number of CPUs "
			"from 1 to %u",
			item, BANDWIDTH_MOST_CPUS);
	if (threads->n == BANDWIDTH_MOST_THREADS)
		return error_set(err, ERROR_USAGE, EINVAL,
			"more than %d numbers of CPUs", BANDWIDTH_MOST_THREADS);
	threads->list[threads->n++] = (uint32_t)n;
	return 0;
}

int bandwidth_parse_threads(void *at, const char *text, struct error *err)
{
	struct bandwidth_threads *threads = at;

	*threads = (struct bandwidth_threads){.text = text};
	return for_each_item(text, take_threads, threads, err);
}

void bandwidth_set_defaults(struct bandwidth_options *options)
{
	*options = (struct bandwidth_options){.width = 0};
	bandwidth_parse_accesses(
		&options->accesses, "read,write,copy,triad,nt-write", NULL);
	bandwidth_parse_threads(&options->threads, "1,llc,all", NULL);
}

/* The error names the registers that this CPU has. */
static int refuse_vector_width(const char *word, struct error *err)
{
	struct text_list list = {.text = NULL};
	char *there;

	for (size_t i = 0; arch_vectors[i]; i++) {
		if (arch_vector_usable(arch_vectors[i]))
			text_list_add(&list, ", ", "%s", arch_vectors[i]->name);
	}
	there = text_list_end(&list);
	error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
		"--width: this CPU has no %s registers; choose among %s", word,
		there ? there : "others");
	free(there);
	return -ENOTSUP;
}

int bandwidth_list_widths(
	int width, const struct arch_vector **list, struct error *err)
{
	static const char *const words[] = {BANDWIDTH_WIDTHS(WORDS_LIST)};
	const char *word = words[width];
	size_t n = 0;

	for (size_t i = 0; arch_vectors[i]; i++) {
		bool named = strcmp(word, "all") == 0 ||
			     (strcmp(word, "widest") == 0 && n == 0) ||
			     strcmp(word, arch_vectors[i]->name) == 0;

		if (named && arch_vector_usable(arch_vectors[i]))
			list[n++] = arch_vectors[i];
	}
	list[n] = NULL;
	return n ? 0 : refuse_vector_width(word, err);
}
