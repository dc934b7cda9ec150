#include "machine/source.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/internal.h"
#include "util/text.h"

/* Largest XML; topologies of the largest machines are a few megabytes. */
#define XML_BYTES_MAX (256UL << 20)

/* More CPUs than Linux supports. With millions of CPUs, hwloc takes minutes. */
#define SYNTHETIC_CPUS_MAX 65536

/* Remove the byte order mark and the \r of Windows's line ends, in place. */
static void strip_bom_and_cr(char *text)
{
	static const char mark[] = "\xef\xbb\xbf";
	char *to = text;

	if (strncmp(text, mark, strlen(mark)) == 0)
		text += strlen(mark);
	for (; *text; text++) {
		if (text[0] != '\r' || text[1] != '\n')
			*to++ = *text;
	}
	*to = '\0';
}

int source_of_xml(struct topology_source *source, const char *xml, size_t bytes,
	struct error *err)
{
	const char *flaw;
	int rc;

	*source = (struct topology_source){.running = false};
	if (bytes >= INT_MAX)
		return error_set(err, ERROR_FAILURE, EFBIG,
			"a topology of %zu bytes is too large", bytes);
	source->xml = strndup(xml, bytes);
	if (!source->xml)
		return error_no_memory(err, "the topology");
	strip_bom_and_cr(source->xml);
	source->xml_bytes = (int)strlen(source->xml) + 1;
	rc = machine_check_xml(source->xml, err);
	/* Reports and files quote texts from the XML. */
	flaw = rc == 0 ? text_flaw(source->xml, true) : NULL;
	if (flaw)
		rc = error_set(err, ERROR_FAILURE, EINVAL,
			"found %s, expected hwloc XML without control "
			"characters",
			flaw);
	if (rc < 0)
		source_release(source);
	return rc;
}

/* Return the whole text of a file, for free(); NULL with *err. */
static char *read_topology_text(
	const char *path, size_t *bytes, struct error *err)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;

	*bytes = 0;
	if (!in) {
		error_set(err, ERROR_FAILURE, errno, "cannot open '%s': %s",
			path, strerror(errno));
		return NULL;
	}
	do {
		char *longer = NULL;

		room = room ? room * 2 : 1UL << 16;
		if (room <= XML_BYTES_MAX)
			longer = realloc(text, room + 1);
		if (!longer) {
			error_set(err, ERROR_FAILURE, EFBIG,
				"'%s' is too large to be a topology", path);
			goto fail;
		}
		text = longer;
		*bytes += fread(text + *bytes, 1, room - *bytes, in);
	} while (*bytes == room);
	if (ferror(in)) {
		error_set(err, ERROR_FAILURE, errno ? errno : EIO,
			"cannot read '%s': %s", path, strerror(errno));
		goto fail;
	}
	fclose(in);
	return text;
fail:
	fclose(in);
	free(text);
	return NULL;
}

int source_of_file(
	struct topology_source *source, const char *path, struct error *err)
{
	size_t bytes;
	char *text = read_topology_text(path, &bytes, err);
	int rc;

	*source = (struct topology_source){.running = false};
	if (!text)
		return -EIO;
	rc = source_of_xml(source, text, bytes, err);
	source->path = path;
	if (rc < 0)
		source_prefix(source, err);
	free(text);
	return rc;
}

/* Return the CPUs of a synthetic topology: the product of its counts. */
static double count_synthetic(const char *description)
{
	double n = 1;
	int depth = 0;

	for (const char *at = description; *at; at++) {
		/* Skip attributes and memory, which are not levels. */
		depth +=
			(*at == '(' || *at == '[') - (*at == ')' || *at == ']');
		if (depth == 0 && *at == ':' && isdigit((unsigned char)at[1]))
			n *= strtod(at + 1, NULL);
	}
	return n;
}

int source_of_synthetic(struct topology_source *source, const char *description,
	struct error *err)
{
	hwloc_topology_t topology;
	double n = count_synthetic(description);
	int rc;

	*source = (struct topology_source){.synthetic = description};
	if (n > SYNTHETIC_CPUS_MAX)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has %.0f CPUs, more than the limit of %d",
			description, n, SYNTHETIC_CPUS_MAX);
	rc = source_begin(source, &topology, err);
	if (rc == 0)
		hwloc_topology_destroy(topology);
	return rc;
}

/* Check that a root folder has one of the files that hwloc reads. */
static int check_root(const char *root, struct error *err)
{
	static const char *const files[] = {
		"sys/devices/system/cpu", "proc/cpuinfo"};
	char path[PATH_MAX];
	struct stat status;

	if (stat(root, &status) != 0)
		return error_set(err, ERROR_FAILURE, errno,
			"cannot open '%s': %s", root, strerror(errno));
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", root, files[i]);
		if (access(path, F_OK) == 0)
			return 0;
	}
	return error_set(err, ERROR_FAILURE, ENOENT,
		"'%s' has neither %s nor %s: expected a folder with the "
		"unpacked output of hwloc-gather-topology",
		root, files[0], files[1]);
}

static int check_cpuid(const char *folder, struct error *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/hwloc-cpuid-info", folder);
	if (access(path, R_OK) == 0)
		return 0;
	return error_set(err, ERROR_FAILURE, errno,
		"cannot open '%s': %s (hwloc-gather-cpuid makes a folder with "
		"this file)",
		path, strerror(errno));
}

/*
 * Refuse files other than regular ones: reading a FIFO would block, and c2c and
 * its children read the file several times.
 */
static int check_regular(const char *path, struct error *err)
{
	struct stat status;

	if (stat(path, &status) != 0 || S_ISREG(status.st_mode) ||
		S_ISDIR(status.st_mode))
		return 0;
	return error_set(err, ERROR_FAILURE, EINVAL,
		"'%s' is not a regular file: save the XML in a file", path);
}

/* Use the first of hwloc's variables that is set, in hwloc's order. */
int source_of_environment(struct topology_source *source, struct error *err)
{
	static const char *const names[] = {"HWLOC_FSROOT", "HWLOC_CPUID_PATH",
		"HWLOC_SYNTHETIC", "HWLOC_XMLFILE"};
	const char *value = NULL;
	size_t n = sizeof(names) / sizeof(*names), at;
	int rc = 0;

	*source = (struct topology_source){.running = true};
	for (at = 0; at < n && !value; at++) {
		value = getenv(names[at]);
		/* hwloc would use an empty value as a file name. */
		if (value && !*value) {
			unsetenv(names[at]);
			value = NULL;
		}
	}
	if (!value)
		return 0;
	at--;
	if (at == 0)
		rc = check_root(value, err);
	else if (at == 1)
		rc = check_cpuid(value, err);
	else if (at == 2)
		rc = source_of_synthetic(source, value, err);
	else if ((rc = check_regular(value, err)) == 0)
		rc = source_of_file(source, value, err);
	source->root = at == 0 ? value : NULL;
	source->cpuid = at == 1;
	source->running = true;
	if (rc < 0)
		error_prefix(err, "%s", names[at]);
	source->variable = names[at];
	return rc;
}

void source_prefix(const struct topology_source *source, struct error *err)
{
	if (source->path)
		error_prefix(err, "'%s'", source->path);
	if (source->variable)
		error_prefix(err, "%s", source->variable);
}

void source_release(struct topology_source *source)
{
	free(source->xml);
	source->xml = NULL;
}

int source_refuse(
	const struct topology_source *source, int code, struct error *err)
{
	char *variables = source->running ? source_variables() : NULL;
	const char *why;

	code = code ? code : EIO;
	why = strerror(code);
	if (source->xml)
		error_set(err, ERROR_FAILURE, code,
			"hwloc finds no topology in this XML: %s", why);
	else if (variables && *variables)
		error_set(err, ERROR_FAILURE, code,
			"hwloc finds no topology: %s (unset %s)", why,
			variables);
	else
		error_set(err, ERROR_FAILURE, code,
			"hwloc cannot read the topology of this machine: %s "
			"(try lstopo, from the package hwloc)",
			why);
	free(variables);
	return -code;
}

/* Exclude a part of hwloc that reads the running machine. */
static void exclude_component(hwloc_topology_t topology, const char *component)
{
	hwloc_topology_set_components(
		topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
}

int source_begin(const struct topology_source *source,
	hwloc_topology_t *topology, struct error *err)
{
	int rc = machine_topology_init(topology, err);

	if (rc < 0)
		return rc;
	if (source->root || source->cpuid)
		exclude_component(*topology, "no_os");
	if (source->root)
		exclude_component(*topology, "x86");
	if (source->cpuid)
		exclude_component(*topology, "linux");
	if (source->synthetic &&
		hwloc_topology_set_synthetic(*topology, source->synthetic) < 0)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not a synthetic topology of hwloc (write for "
			"instance 'package:2 core:4 pu:2')",
			source->synthetic);
	/* hwloc rejects invalid XML here or, with libxml, on loading. */
	else if (source->xml && hwloc_topology_set_xmlbuffer(*topology,
					source->xml, source->xml_bytes) < 0)
		rc = source_refuse(source, errno, err);
	if (rc < 0)
		hwloc_topology_destroy(*topology);
	return rc;
}

char *source_variables(void)
{
	static const char *const names[] = {"HWLOC_FSROOT", "HWLOC_CPUID_PATH",
		"HWLOC_SYNTHETIC", "HWLOC_XMLFILE", "HWLOC_COMPONENTS",
		"HWLOC_THISSYSTEM", "HWLOC_PLUGINS_PATH",
		"HWLOC_PLUGINS_BLACKLIST"};
	struct text_list list = {0};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (getenv(names[i]))
			text_list_add(&list, " ", "%s", names[i]);
	}
	return text_list_end(&list);
}
