#include "pretend.h"

#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char *source_folder(void)
{
	const char *folder = getenv("srcdir");

	return folder ? folder : ".";
}

struct machine *pretend_synthetic(const char *description)
{
	struct machine *machine = NULL;
	struct error err = {0};

	if (machine_new_synthetic(&machine, description, &err) < 0)
		fail_msg("%s: %s", description, err.text);
	return machine;
}

static char *read_fixture(const char *fixture, size_t *bytes)
{
	char path[4096];
	char *text = malloc(1 << 20);
	FILE *in;

	snprintf(path, sizeof(path), "%s/tests/topo/%s", source_folder(),
		fixture);
	in = fopen(path, "r");
	if (!in || !text)
		fail_msg("%s cannot be read", path);
	*bytes = fread(text, 1, 1 << 20, in);
	fclose(in);
	return text;
}

struct machine *pretend_xml(const char *fixture)
{
	struct machine *machine = NULL;
	struct error err = {0};
	size_t bytes;
	char *text = read_fixture(fixture, &bytes);

	if (machine_new_xml(&machine, text, bytes, &err) < 0)
		fail_msg("%s: %s", fixture, err.text);
	free(text);
	return machine;
}

void assert_cpus(const struct cpu_list *list, const char *text)
{
	char *got = cpu_list_format(list);

	assert_non_null(got);
	assert_string_equal(got, text);
	free(got);
}

/* Run a program, found by PATH, which has to succeed. */
static void run(char *const arguments[])
{
	int status;
	pid_t child;

	if (posix_spawnp(&child, arguments[0], NULL, NULL, arguments,
		    environ) != 0 ||
		waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
		WEXITSTATUS(status) != 0)
		fail_msg("failed: %s", arguments[0]);
}

char *pretend_tree(const char *name)
{
	char *root = strdup("/tmp/c2c-machine-XXXXXX");
	char script[4096];

	if (!root || !mkdtemp(root))
		fail_msg("no folder for a pretended machine");
	snprintf(script, sizeof(script), "%s/tests/topo/machine.sh",
		source_folder());
	run((char *[]){"sh", script, (char *)name, root, NULL});
	return root;
}

void pretend_remove(char *root)
{
	run((char *[]){"rm", "-r", root, NULL});
	free(root);
}

void pretend_put(const char *root, const char *path, const char *text)
{
	char whole[4096];
	FILE *out;

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	out = fopen(whole, "w");
	if (!out) {
		char *slash = strrchr(whole, '/');

		*slash = '\0';
		run((char *[]){"mkdir", "-p", whole, NULL});
		*slash = '/';
		out = fopen(whole, "w");
	}
	if (!out || fputs(text, out) == EOF || fclose(out) != 0)
		fail_msg("%s cannot be written", whole);
}

void pretend_drop(const char *root, const char *path)
{
	char whole[4096];

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	run((char *[]){"rm", "-r", whole, NULL});
}

struct machine *pretend_machine(const char *root)
{
	struct machine *machine = NULL;
	struct error err = {0};

	assert_int_equal(setenv("HWLOC_FSROOT", root, 1), 0);
	if (machine_new(&machine, &err) < 0)
		fail_msg("%s: %s", root, err.text);
	assert_int_equal(unsetenv("HWLOC_FSROOT"), 0);
	return machine;
}
