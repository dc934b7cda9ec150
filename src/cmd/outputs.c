#include "cmd/outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "plot/plot.h"
#include "result/file.h"

bool output_is_json(const char *path)
{
	enum file_format format;

	return file_format_of(path, &format, NULL) == 0 && format == FILE_JSON;
}

static int check_kind(const char *path, unsigned kinds, struct error *err)
{
	enum file_format format;

	if ((kinds & OUTPUT_PICTURE) && plot_is_picture(path))
		return 0;
	if ((kinds & OUTPUT_JSON) && output_is_json(path))
		return 0;
	if (kinds & OUTPUT_RESULT)
		return file_format_of(path, &format, err);
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' does not end in %s.png, .svg or .pdf", path,
		kinds & OUTPUT_JSON ? ".json, " : "");
}

/* Takes path on success. */
static int add(struct outputs *outputs, char *path, struct error *err)
{
	char **paths;

	for (size_t i = 0; i < outputs->n; i++) {
		if (file_same(outputs->paths[i], path))
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is given twice", path);
	}
	paths = reallocarray(outputs->paths, outputs->n + 1, sizeof(*paths));
	if (!paths)
		return error_no_memory(err, "the outputs");
	outputs->paths = paths;
	paths[outputs->n++] = path;
	return 0;
}

int outputs_add(struct outputs *outputs, const char *text, unsigned kinds,
	struct error *err)
{
	char *path = cli_output_name(text, err);
	int rc = path ? check_kind(path, kinds, err) : -EINVAL;

	if (rc == 0)
		rc = add(outputs, path, err);
	if (rc < 0)
		free(path);
	return rc;
}

void outputs_release(struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->n; i++)
		free(outputs->paths[i]);
	free(outputs->paths);
	*outputs = (struct outputs){0};
}

int outputs_spare(
	const struct outputs *outputs, const char *input, struct error *err)
{
	for (size_t i = 0; strcmp(input, "-") != 0 && i < outputs->n; i++) {
		if (file_same(outputs->paths[i], input))
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is read too: writing it would lose it",
				outputs->paths[i]);
	}
	return 0;
}

int outputs_check_writable(const struct outputs *outputs, struct error *err)
{
	for (size_t i = 0; i < outputs->n; i++) {
		int rc = file_check_writable(outputs->paths[i], err);

		if (rc < 0) {
			error_prefix(err, "-o");
			return rc;
		}
	}
	return 0;
}
