/*
 * xml_check.c: identify a text that should be hwloc's XML but is not. Many
 * kinds of files describe a topology, and hwloc reports all of them as an
 * invalid argument.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/internal.h"

#define BY_LSTOPO "'lstopo topology.xml' writes XML"

/* First bytes of files without a topology; the first match counts. */
static const struct {
	const char *bytes, *what, *remedy;
} file_magics[] = {
	{"\x1f\x8b", "a file compressed with gzip", "gunzip it first"},
	{"BZh", "a file compressed with bzip2", "bunzip2 it first"},
	{"\xfd"
	 "7zXZ",
		"a file compressed with xz", "unxz it first"},
	{"\x28\xb5\x2f\xfd", "a file compressed with zstd", "unzstd it first"},
	{"PK\x03\x04", "a zip archive", "unzip it first"},
	{"\xff\xfe", "UTF-16", "save it as UTF-8"},
	{"\xfe\xff", "UTF-16", "save it as UTF-8"},
	{"\x89PNG", "a picture", BY_LSTOPO},
	{"%PDF", "a picture", BY_LSTOPO},
	{"%!PS", "a picture", BY_LSTOPO},
	{"#FIG", "a picture", BY_LSTOPO},
	{"{", "JSON",
		"'jq -r .topology.hwloc_xml' extracts the topology from a "
		"record of c2c"},
	{"[", "JSON", BY_LSTOPO},
	{"Machine", "the text of lstopo", BY_LSTOPO},
	{"System", "the text of lstopo", BY_LSTOPO},
	{"Package", "the text of lstopo", BY_LSTOPO},
	{"depth 0:", "the text of lstopo", BY_LSTOPO},
};

static int refuse_as_xml(
	const char *what, const char *remedy, struct error *err)
{
	return error_set(err, ERROR_FAILURE, EINVAL,
		"found %s, expected hwloc XML (%s)", what, remedy);
}

/* Return whether a line is words with counts, "package:2 core:4 pu:2". */
static bool is_synthetic(const char *line, size_t length)
{
	char text[256];

	if (length >= sizeof(text))
		length = sizeof(text) - 1;
	for (size_t i = 0; i < length; i++)
		text[i] = (char)tolower((unsigned char)line[i]);
	text[length] = '\0';
	return isalpha((unsigned char)text[strspn(text, "([")]) &&
	       strstr(text, "pu:");
}

/* Return whether a line has several cells and a digit. */
static bool is_table(const char *line, size_t length)
{
	size_t cells = 1, digits = 0;

	for (size_t i = 0; i < length; i++) {
		cells += strchr(",;\t|", line[i]) != NULL;
		digits += isdigit((unsigned char)line[i]) != 0;
	}
	return cells > 1 && digits > 0;
}

static int refuse_non_xml(const char *text, struct error *err)
{
	size_t length = strcspn(text, "\n");

	if (is_synthetic(text, length))
		return refuse_as_xml("a synthetic description",
			"'lstopo --input \"DESCRIPTION\" topology.xml' writes "
			"XML",
			err);
	for (size_t i = 0; i < sizeof(file_magics) / sizeof(*file_magics);
		i++) {
		const char *bytes = file_magics[i].bytes;

		if (strncmp(text, bytes, strlen(bytes)) == 0)
			return refuse_as_xml(file_magics[i].what,
				file_magics[i].remedy, err);
	}
	if (is_table(text, length))
		return refuse_as_xml("a table", BY_LSTOPO, err);
	return refuse_as_xml("a text that is no XML", BY_LSTOPO, err);
}

/* Return the first element, after declarations and comments, or NULL. */
static const char *find_root(const char *text)
{
	while (text && (text = strchr(text, '<'))) {
		const char *end = ">";

		if (isalpha((unsigned char)text[1]))
			return text + 1;
		if (strncmp(text, "<!--", 4) == 0)
			end = "-->";
		text = strstr(text, end);
	}
	return NULL;
}

/* Return the major version in the root element, or 0. */
static unsigned major_of(const char *root)
{
	size_t length = strcspn(root, ">");
	const char *at = strstr(root, "version=");

	return at && at < root + length
		       ? (unsigned)strtoul(at + strlen("version='"), NULL, 10)
		       : 0;
}

/* Return the number in an attribute of the element at text, or -1. */
static long xml_attribute_number(const char *text, const char *attribute)
{
	const char *at = strstr(text, attribute);

	return at && at < text + strcspn(text, ">")
		       ? strtol(at + strlen(attribute), NULL, 10)
		       : -1;
}

/* List the CPUs of an XML text as hwloc writes it. */
static int list_pus(const char *xml, struct cpu_list *pus, struct error *err)
{
	static const char pu[] = "<object type=\"PU\"";
	int rc = 0;

	while (rc == 0 && (xml = strstr(xml, pu))) {
		long cpu = xml_attribute_number(xml, "os_index=\"");

		xml += strlen(pu);
		if (cpu >= 0 && cpu <= (long)CPU_LIST_MAX_CPU)
			rc = cpu_list_add(pus, (unsigned)cpu, err);
	}
	return rc;
}

int machine_check_recorded(
	const char *xml, const struct cpu_list *cpus, struct error *err)
{
	struct cpu_list pus = {0};
	int rc = machine_check_xml(xml, err);

	/* Accept XML without a topology, which is rejected on loading. */
	if (rc < 0)
		return rc == -ENOTSUP ? rc : 0;
	rc = list_pus(xml, &pus, err);
	for (size_t i = 0; rc == 0 && pus.n && i < cpus->n; i++) {
		if (cpu_list_find(&pus, cpus->cpus[i]) < 0)
			rc = error_set(err, ERROR_FAILURE, ENOTSUP,
				"it lacks CPU %u, which was measured: hwloc "
				"saw fewer CPUs, for instance in a container "
				"with lxcfs",
				cpus->cpus[i]);
	}
	cpu_list_release(&pus);
	return rc;
}

int machine_check_xml(const char *text, struct error *err)
{
	char what[128];
	const char *root;
	unsigned major, ours = hwloc_get_api_version() >> 16;

	text += strspn(text, " \t\r\n");
	if (!*text)
		return refuse_as_xml("nothing", BY_LSTOPO, err);
	if (*text != '<')
		return refuse_non_xml(text, err);
	root = find_root(text);
	if (!root)
		return refuse_as_xml("XML that was cut off", BY_LSTOPO, err);
	/* Do not name hwloc 0.9: no current hwloc reads its XML. */
	if (strncmp(root, "topology", strlen("topology")) != 0) {
		snprintf(what, sizeof(what), "XML that begins with <%.*s>",
			(int)strcspn(root, " \t\r\n/>"), root);
		return refuse_as_xml(what, BY_LSTOPO, err);
	}
	major = major_of(root);
	if (major <= ours)
		return 0;
	return error_set(err, ERROR_FAILURE, ENOTSUP,
		"found the XML of hwloc %u, and this c2c has hwloc %u, which "
		"cannot read it (hwloc %u writes XML for both by 'lstopo "
		"--export-xml-flags v2 topology.xml')",
		major, ours, major);
}
