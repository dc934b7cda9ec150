#include "cmd/outputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cli.h"
#include "commands.h"
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

static int print_json(const json_t *json, FILE *out, struct error *err)
{
	errno = 0;
	if (json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) ==
			0 &&
		putc('\n', out) != EOF)
		return 0;
	return error_set(err, ERROR_FAILURE, errno ? errno : EIO,
		"the JSON cannot be written: %s",
		strerror(errno ? errno : EIO));
}

static int save_json(const json_t *json, const char *path, struct error *err)
{
	struct file_writer writer;
	int rc = file_begin(&writer, path, err);

	if (rc < 0)
		return rc;
	rc = print_json(json, writer.stream, err);
	if (rc == 0)
		return file_commit(&writer, err);
	error_prefix(err, "'%s'", path);
	file_abort(&writer);
	return rc;
}

int output_json(json_t *json, const char *path, struct error *err)
{
	int rc;

	if (!json)
		return error_no_memory(err, "the JSON");
	/* A failure of standard output is noticed at exit as well. */
	rc = path ? save_json(json, path, err) : print_json(json, stdout, err);
	json_decref(json);
	return rc;
}

static int save_one(
	const struct result *result, const char *path, struct error *err)
{
	struct plot_options plot;

	if (!plot_is_picture(path))
		return result_save(result, path, err);
	plot_options_init(&plot);
	return plot_file(result, &plot, path, err);
}

/*
 * A data file that could not be written must not cost the measurement: keep
 * the record where temporary files go.
 */
static void rescue(const char *command, const struct result *result)
{
	const char *folder = getenv("TMPDIR");
	struct error err;
	char path[4096];
	int fd;

	if (!folder || !*folder)
		folder = "/tmp";
	/* Everybody may write there: a name that nobody can prepare. */
	snprintf(path, sizeof(path), "%s/c2c-%s-XXXXXX.json", folder, command);
	fd = mkstemps(path, (int)strlen(".json"));
	if (fd < 0) {
		fprintf(stderr,
			"c2c %s: nor can the record be saved in '%s': %s; "
			"TMPDIR chooses another folder\n",
			command, folder, strerror(errno));
		return;
	}
	close(fd);
	if (result_save(result, path, &err) == 0) {
		fprintf(stderr, "c2c %s: the complete record was saved as %s\n",
			command, path);
		return;
	}
	unlink(path);
	cli_fail(command, &err);
}

int outputs_save(const struct outputs *outputs, const char *command,
	const struct result *result)
{
	int status = STATUS_DONE;
	bool saved = false;

	for (size_t i = 0; i < outputs->n; i++) {
		struct error err;

		if (save_one(result, outputs->paths[i], &err) == 0) {
			saved = saved || !plot_is_picture(outputs->paths[i]);
			continue;
		}
		error_prefix(&err, "-o");
		status = cli_fail(command, &err);
	}
	if (status != STATUS_DONE && !saved)
		rescue(command, result);
	return status;
}
