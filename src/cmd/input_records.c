#include "cmd/input_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/wait_notice.h"
#include "result/file.h"
#include "result/sections.h"
#include "util/array.h"
#include "util/text.h"

/* Append a record. Take over name and *result, even after a failure. */
static int append_record(struct input_records *records, struct result *result,
	char *name, const char *section, struct error *err)
{
	size_t n = records->n;

	for (size_t i = 0; name && i < n; i++) {
		const char *other = records->names[i];

		if (strcmp(file_base(other), file_base(name)) != 0 ||
			!file_same(other, name))
			continue;
		error_set(
			err, ERROR_USAGE, EINVAL, "'%s' is given twice", name);
		free(name);
		result_release(result);
		return -EINVAL;
	}
	if (!name || !array_grow(&records->results, n, sizeof(*result)) ||
		!array_grow(&records->names, n, sizeof(name)) ||
		!array_grow(&records->sections, n, sizeof(section))) {
		free(name);
		result_release(result);
		return error_no_memory(err, "the records");
	}
	records->results[n] = *result;
	records->names[n] = name;
	records->sections[n] = section;
	records->n++;
	return 0;
}

static int append_skipped(struct input_records *records, const char *path,
	size_t at, const struct skipped_section *skipped, struct error *err)
{
	size_t n = records->n_skipped;
	char *text = text_format(
		"'%s' has no %s: %s", path, skipped->command, skipped->reason);

	if (!text || !array_grow(&records->skipped, n, sizeof(text)) ||
		!array_grow(&records->skipped_at, n, sizeof(at))) {
		free(text);
		return error_no_memory(err, "the commands without a section");
	}
	records->skipped[n] = text;
	records->skipped_at[n] = at;
	records->n_skipped++;
	return 0;
}

/* Append each section by its name, and notes on commands without a section. */
static int append_sections(struct input_records *records,
	const struct unit_choice *choice, const char *path,
	struct result *whole, struct error *err)
{
	char **names = calloc(whole->n_sections, sizeof(*names));
	size_t first = records->n;
	int rc = 0;

	/*
	 * Make all names first, because names depend on all sections of a file.
	 */
	for (size_t i = 0; names && i < whole->n_sections; i++) {
		char *name = section_name(whole, i);

		names[i] = name ? text_format("%s:%s", path, name) : NULL;
		free(name);
	}
	for (size_t i = 0; rc == 0 && names && i < whole->n_sections; i++) {
		struct result section;

		rc = section_take(whole, i, &section, err);
		if (rc == 0 && names[i])
			rc = unit_option_apply(choice, names[i], &section, err);
		if (rc < 0)
			break;
		rc = append_record(records, &section, names[i],
			names[i] ? names[i] + strlen(path) + 1 : NULL, err);
		names[i] = NULL;
	}
	for (size_t i = 0; names && i < whole->n_sections; i++)
		free(names[i]);
	for (size_t i = 0; rc == 0 && i < whole->n_skipped; i++)
		rc = append_skipped(
			records, path, first, &whole->skipped[i], err);
	if (!names)
		rc = error_no_memory(err, "the names of sections");
	free(names);
	return rc;
}

/* Append a whole file: its sections, or its only record. */
static int append_whole(struct input_records *records,
	const struct unit_choice *choice, const char *path,
	struct result *whole, struct error *err)
{
	int rc;

	if (whole->n_sections > 0) {
		rc = append_sections(
			records, choice, section_path(path), whole, err);
		result_release(whole);
		return rc;
	}
	rc = unit_option_apply(choice, path, whole, err);
	return rc < 0 ? rc
		      : append_record(records, whole, strdup(path), NULL, err);
}

int input_records_load(struct input_records *records,
	const struct unit_choice *choice, const char *path, struct error *err)
{
	struct wait_notice waiting;
	struct result loaded;
	const char *name;
	char *file = section_file(path, &name);
	int rc;

	if (!file)
		return error_no_memory(err, "the name of a file");
	wait_notice_begin(&waiting, file, false);
	rc = result_load_whole(&loaded, file, err);
	wait_notice_end(&waiting);
	free(file);
	if (rc < 0)
		return rc;
	if (name || loaded.n_sections == 0)
		rc = section_choose(&loaded, name, err);
	if (rc < 0) {
		error_prefix(err, "'%s'", section_path(path));
		result_release(&loaded);
		return rc;
	}
	return append_whole(records, choice, path, &loaded, err);
}

void input_records_release(struct input_records *records)
{
	for (size_t i = 0; i < records->n; i++) {
		result_release(&records->results[i]);
		free(records->names[i]);
	}
	for (size_t i = 0; i < records->n_skipped; i++)
		free(records->skipped[i]);
	free(records->results);
	free(records->names);
	free(records->sections);
	free(records->skipped);
	free(records->skipped_at);
	*records = (struct input_records){0};
}

/* Return the length of "FILE:" in the name of record i. */
static size_t whole_name_bytes(const struct input_records *records, size_t i)
{
	return (size_t)(records->sections[i] - records->names[i]);
}

bool input_records_same_file(
	const struct input_records *records, size_t i, size_t k)
{
	return records->sections[i] && records->sections[k] &&
	       whole_name_bytes(records, i) == whole_name_bytes(records, k) &&
	       strncmp(records->names[i], records->names[k],
		       whole_name_bytes(records, i)) == 0;
}

struct page_input input_records_page(
	const struct input_records *records, size_t i)
{
	const char *name = records->names[i];
	/* A page can read only whole files again. */
	bool no_file = records->sections[i] || strcmp(name, "-") == 0;
	/* A page cannot read standard input again. */
	bool is_device = strncmp(section_path(name), "/dev/", 5) == 0;
	struct page_input input = {.result = &records->results[i],
		.name = file_base(name),
		.path = no_file ? NULL : name,
		.argument = is_device ? NULL : name};
	size_t first = i, k = 0;

	while (first > 0 && input_records_same_file(records, first, first - 1))
		first--;
	if (records->sections[i])
		input.whole = records->names[first];
	while (k < records->n_skipped && records->skipped_at[k] != i)
		k++;
	input.skipped = records->n_skipped ? &records->skipped[k] : NULL;
	while (k + input.n_skipped < records->n_skipped &&
		records->skipped_at[k + input.n_skipped] == i)
		input.n_skipped++;
	return input;
}

void input_records_note_skipped(
	const struct input_records *records, const char *command)
{
	for (size_t i = 0; i < records->n_skipped; i++)
		cli_notify(command, "note: %s", records->skipped[i]);
}

int input_records_check_one(const struct input_records *records,
	const char *what, struct error *err)
{
	struct text_list list = {0};
	size_t first = 0, n = 0;
	char *names;

	while (first < records->n && !records->sections[first])
		first++;
	if (first == records->n)
		return 0;
	for (size_t i = first; i < records->n; i++) {
		if (input_records_same_file(records, i, first))
			text_list_add(&list, n++ ? ", " : "", "%s",
				records->names[i]);
	}
	names = text_list_end(&list);
	if (n > 1)
		error_set(err, ERROR_USAGE, EINVAL,
			"'%.*s' has %zu sections, and %s takes one: name one "
			"of %s",
			(int)whole_name_bytes(records, first) - 1,
			records->names[first], n, what, names ? names : "them");
	free(names);
	return n > 1 ? -EINVAL : 0;
}
