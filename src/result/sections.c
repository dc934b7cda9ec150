#include "result/sections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/copy.h"
#include "result/fields.h"
#include "util/array.h"
#include "util/text.h"

char *section_name(const struct result *result, size_t i)
{
	const char *command = result->sections[i].command;
	size_t number = 1;

	for (size_t k = 0; k < i; k++)
		number += strcmp(result->sections[k].command, command) == 0;
	return number == 1 ? strdup(command)
			   : text_format("%s-%zu", command, number);
}

bool sections_add(struct result *result, struct result *section)
{
	if (!array_grow(&result->sections, result->n_sections,
		    sizeof(*result->sections)))
		return false;
	free(section->hwloc_xml);
	section->hwloc_xml = NULL;
	result->sections[result->n_sections++] = *section;
	result_init(section);
	return true;
}

bool sections_skip(struct result *result, const char *command,
	char *const *arguments, size_t n_arguments, const char *reason)
{
	const struct skipped_section borrowed = {.command = (char *)command,
		.arguments = (char **)arguments,
		.n_arguments = n_arguments,
		.reason = (char *)reason};
	struct skipped_section *skipped;

	if (!array_grow(&result->skipped, result->n_skipped, sizeof(*skipped)))
		return false;
	skipped = &result->skipped[result->n_skipped];
	if (!struct_copy(&skipped_type, skipped, &borrowed))
		return false;
	/* Arguments may contain any bytes, but JSON is UTF-8. */
	for (size_t i = 0; i < n_arguments; i++)
		text_make_utf8(skipped->arguments[i]);
	text_make_utf8(skipped->reason);
	result->n_skipped++;
	return true;
}

const char *section_path(const char *path)
{
	return strcmp(path, "-") == 0 ? "/dev/stdin" : path;
}

char *section_file(const char *path, const char **name)
{
	const char *colon = strrchr(path, ':');
	struct stat st;
	char *file;

	*name = NULL;
	if (!colon || strchr(colon, '/') || access(path, F_OK) == 0)
		return strdup(path);
	file = strndup(path, (size_t)(colon - path));
	if (!file || (stat(file, &st) == 0 && !S_ISDIR(st.st_mode))) {
		*name = colon + 1;
		return file;
	}
	free(file);
	return strdup(path);
}

/*
 * Return the file of a path if it is not regular, else NULL. The caller frees
 * it.
 */
static char *find_pipe(const char *path)
{
	const char *name;
	char *file = section_file(path, &name);
	struct stat st;

	if (file && stat(section_path(file), &st) == 0 && !S_ISREG(st.st_mode))
		return file;
	free(file);
	return NULL;
}

int sections_check_pipes(const char *const *paths, size_t n, struct error *err)
{
	char **pipes = calloc(n + 1, sizeof(*pipes));
	size_t n_pipes = 0;
	int rc = pipes ? 0 : error_no_memory(err, "the names of files");

	for (size_t i = 0; rc == 0 && i < n; i++) {
		char *file = find_pipe(paths[i]);

		if (!file)
			continue;
		for (size_t k = 0; rc == 0 && k < n_pipes; k++) {
			const char *same = section_path(file);

			if (strcmp(section_path(pipes[k]), same) == 0)
				rc = error_set(err, ERROR_USAGE, EINVAL,
					"c2c can read '%s' only once: save it "
					"as a file",
					same);
		}
		pipes[n_pipes++] = file;
	}
	for (size_t k = 0; k < n_pipes; k++)
		free(pipes[k]);
	free(pipes);
	return rc;
}

/* Return the names of sections as a text, or NULL. The caller frees it. */
static char *list_sections(const struct result *result)
{
	struct text_list list = {0};

	for (size_t i = 0; i < result->n_sections; i++) {
		char *name = section_name(result, i);

		text_list_add(&list, ", ", "%s", name ? name : "?");
		free(name);
	}
	return text_list_end(&list);
}

static const struct skipped_section *find_skipped(
	const struct result *result, const char *name)
{
	for (size_t i = 0; name && i < result->n_skipped; i++) {
		if (strcmp(result->skipped[i].command, name) == 0)
			return &result->skipped[i];
	}
	return NULL;
}

static int refuse_section(
	const struct result *result, const char *name, struct error *err)
{
	const struct skipped_section *skipped = find_skipped(result, name);
	char *names = list_sections(result);

	if (skipped)
		error_set(err, ERROR_FAILURE, EINVAL,
			"'%s' left no section: %s", name, skipped->reason);
	else if (result->n_sections == 0 && result->n_skipped > 0)
		error_set(err, ERROR_FAILURE, EINVAL,
			"c2c %s wrote it, and none of its commands has a "
			"result (%s: %s)",
			result->command, result->skipped[0].command,
			result->skipped[0].reason);
	else if (result->n_sections == 0)
		error_set(err, ERROR_FAILURE, EINVAL,
			"found the record of one command, which has no "
			"sections: leave out ':%s'",
			name);
	else if (name)
		error_set(err, ERROR_FAILURE, EINVAL,
			"found no section '%s' among %s", name,
			names ? names : "?");
	else
		error_set(err, ERROR_FAILURE, EINVAL,
			"found %zu sections (%s), expected one: name it, as in "
			"FILE:%s",
			result->n_sections, names ? names : "?",
			result->sections[0].command);
	free(names);
	return -EINVAL;
}

/* Return section i without the topology, and leave an empty section. */
static struct result move_section(struct result *result, size_t i)
{
	struct result moved = result->sections[i];

	moved.shared_budget_s = facts_number(&result->options, "budget_s");
	result_init(&result->sections[i]);
	return moved;
}

int section_choose(struct result *result, const char *name, struct error *err)
{
	struct result chosen;
	size_t at = 0;

	if (!name && result->n_sections == 0 && result->n_skipped == 0)
		return 0;
	for (; name && at < result->n_sections; at++) {
		char *own = section_name(result, at);
		bool found = own && strcmp(own, name) == 0;

		free(own);
		if (found)
			break;
	}
	if (at >= result->n_sections || (!name && result->n_sections > 1))
		return refuse_section(result, name, err);
	chosen = move_section(result, at);
	if (!chosen.hwloc_xml) {
		chosen.hwloc_xml = result->hwloc_xml;
		result->hwloc_xml = NULL;
	}
	result_release(result);
	*result = chosen;
	return 0;
}

int section_take(struct result *result, size_t i, struct result *section,
	struct error *err)
{
	struct result taken = move_section(result, i);

	if (!taken.hwloc_xml && result->hwloc_xml) {
		taken.hwloc_xml = strdup(result->hwloc_xml);
		if (!taken.hwloc_xml) {
			result_release(&taken);
			return error_no_memory(err, "the topology");
		}
	}
	*section = taken;
	return 0;
}
