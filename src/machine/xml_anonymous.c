#include "machine/xml_anonymous.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Infos to keep. */
static const char *const kept_infos[] = {"Architecture", "Backend",
	"C2CBetween", "C2CClass", "C2CConfidence", "C2CInside", "C2CLevel",
	"C2CMeasuredBytes", "C2CMeasuredLine", "C2CMeasuredOn",
	"C2CMeasuredWays", "C2COrigin", "C2CReportedBytes", "C2CSharedBy",
	"CPUFamilyNumber", "CPUModel", "CPUModelNumber", "CPURevision",
	"CPUStepping", "CPUType", "CPUVendor", "CoreType", "DAXType",
	"FrequencyBaseMHz", "FrequencyMaxMHz", "Inclusive", "LinuxCapacity",
	"MemoryTier", "OSName", "hwlocVersion", NULL};

/* Attributes to keep: all that hwloc reads, except an object's name. */
static const char *const kept_attributes[] = {"allowed_cpuset",
	"allowed_nodeset", "bridge_pci", "bridge_type", "cache_associativity",
	"cache_linesize", "cache_size", "cache_type", "complete_cpuset",
	"complete_nodeset", "count", "cpuset", "depth", "dont_merge",
	"encoding", "flags", "forced_efficiency", "gp_index", "indexing",
	"initiator_cpuset", "initiator_obj_gp_index", "initiator_obj_type",
	"kind", "latency_base", "length", "local_memory", "memory", "name",
	"nbobjs", "nodeset", "online_cpuset", "os_index", "osdev_type",
	"pci_busid", "pci_link_speed", "pci_type", "relative_depth", "size",
	"subkind", "subtype", "target_obj_gp_index", "target_obj_type", "type",
	"value", "version", NULL};

struct xml_tag {
	/* "<object ...>" is from begin to before end */
	const char *begin, *end;
	size_t name;	    /* bytes */
	bool closes, empty; /* </object>; <object .../>, <?xml ...?> */
};

static bool is_tag(const struct xml_tag *tag, const char *name)
{
	return tag->name == strlen(name) &&
	       strncmp(tag->begin + 1, name, tag->name) == 0;
}

/* Scan the tag that begins at text with "<". */
static struct xml_tag scan_tag(const char *text)
{
	struct xml_tag tag = {.begin = text, .closes = text[1] == '/'};
	size_t mark = text[1] == '?' ? 1 : 0;
	char quote = '\0';

	tag.name = mark + strcspn(text + 1 + mark, " \t\r\n/>?");
	for (text++; *text && (quote || *text != '>'); text++) {
		if (quote && *text == quote)
			quote = '\0';
		else if (!quote && (*text == '"' || *text == '\''))
			quote = *text;
	}
	tag.empty = text[-1] == (mark ? '?' : '/');
	tag.end = *text ? text + 1 : text;
	return tag;
}

static bool is_listed(const char *const *words, const char *name, size_t n)
{
	for (; *words; words++) {
		if (n == strlen(*words) && strncmp(name, *words, n) == 0)
			return true;
	}
	return false;
}

/* Return the value of a tag's attribute and its size in bytes, or NULL. */
static const char *find_attribute(
	const struct xml_tag *tag, const char *name, size_t *n)
{
	const char *at = tag->begin + 1 + tag->name;
	size_t length = strlen(name);

	while (at < tag->end) {
		const char *equals = at + strcspn(at, "=>"), *end;

		if (*equals != '=' || (equals[1] != '"' && equals[1] != '\''))
			return NULL;
		end = strchr(equals + 2, equals[1]);
		if (!end || end >= tag->end)
			return NULL;
		at += strspn(at, " \t\r\n");
		if ((size_t)(equals - at) == length &&
			strncmp(at, name, length) == 0) {
			*n = (size_t)(end - equals - 2);
			return equals + 2;
		}
		at = end + 1;
	}
	return NULL;
}

static char *move_bytes(char *to, const char *from, const char *end)
{
	size_t n = (size_t)(end - from);

	memmove(to, from, n);
	return to + n;
}

/* Remove the names of objects, and the subtypes of Misc objects. */
static bool is_kept_attribute(
	const struct xml_tag *tag, bool is_misc, const char *name, size_t n)
{
	static const char *const of_objects[] = {"name", NULL};
	static const char *const of_misc[] = {"name", "subtype", NULL};

	return is_listed(kept_attributes, name, n) &&
	       !(is_tag(tag, "object") &&
		       is_listed(is_misc ? of_misc : of_objects, name, n));
}

/* Copy a tag with the attributes to keep. */
static char *copy_tag(char *to, const struct xml_tag *tag)
{
	const char *at = tag->begin + 1 + tag->name;
	size_t n = 0;
	const char *type = find_attribute(tag, "type", &n);
	bool is_misc =
		type && n == strlen("Misc") && strncmp(type, "Misc", n) == 0;
	const struct xml_tag copy = {.begin = to, .name = tag->name};

	to = move_bytes(to, tag->begin, at);
	for (;;) {
		const char *name = at + strspn(at, " \t\r\n");
		size_t length = strcspn(name, "= \t\r\n/>");
		const char *value = name + length + 2, *end;

		if (name >= tag->end || name[length] != '=' ||
			(value[-1] != '"' && value[-1] != '\''))
			break;
		end = strchr(value, value[-1]);
		if (!end || end >= tag->end)
			break;
		if (is_kept_attribute(&copy, is_misc, name, length))
			to = move_bytes(to, at, end + 1);
		at = end + 1;
	}
	if (tag->end[-1] != '>')
		return to;
	at = tag->end - 1;
	return move_bytes(to, at - (tag->empty ? 1 : 0), tag->end);
}

/* Return the end of the previous line if only indentation is between. */
static char *back_over_line(const char *xml, char *to)
{
	while (to > xml && (to[-1] == ' ' || to[-1] == '\t'))
		to--;
	return to > xml && to[-1] == '\n' ? to - 1 : to;
}

/* Return the end of the element that begins with this tag. */
static const char *skip_element(const struct xml_tag *tag)
{
	char name[32] = "</";
	const char *end;

	if (tag->empty || tag->closes || tag->name + 3 > sizeof(name))
		return tag->end;
	strncat(name, tag->begin + 1, tag->name);
	end = strstr(tag->end, name);
	return end ? scan_tag(end).end : tag->end + strlen(tag->end);
}

/* Return whether text is a list of numbers or types: "12 34", "PU:0". */
static bool is_list_of_numbers(const char *text, const char *end)
{
	for (; text < end; text++) {
		if (isalpha((unsigned char)*text) &&
			!memchr(text, ':', (size_t)(end - text)))
			return false;
		if (!isalnum((unsigned char)*text) &&
			!strchr(" :\r\n\t", *text))
			return false;
	}
	return true;
}

/* Return whether a tag is from another program, or not a tag. */
static bool is_foreign(const struct xml_tag *tag)
{
	static const char doctype[] = "<!DOCTYPE topology SYSTEM \"hwloc";
	size_t n =
		tag->closes ? (size_t)(tag->end - tag->begin) - 1 : tag->name;

	if (tag->begin[1] == '!')
		return strncmp(tag->begin, doctype, strlen(doctype)) != 0 ||
		       tag->end - tag->begin >
			       (long)strlen(doctype) + (long)strlen("2.dtd\">");
	return strcspn(tag->begin + 1, "\"'<= ") < n ||
	       (tag->begin[1] == '?' && !is_tag(tag, "?xml"));
}

void xml_make_anonymous(char *xml)
{
	const char *from = xml;
	char *to = xml;

	while (*from) {
		const char *text = from + strcspn(from, "<");
		struct xml_tag tag;
		const char *name;
		size_t n = 0;

		if (is_list_of_numbers(from, text))
			to = move_bytes(to, from, text);
		from = text;
		if (!*from)
			break;
		if (strncmp(from, "<!--", 4) == 0) {
			const char *end = strstr(from, "-->");

			from = end ? end + 3 : from + strlen(from);
			to = back_over_line(xml, to);
			continue;
		}
		tag = scan_tag(from);
		name = find_attribute(&tag, "name", &n);
		if (is_foreign(&tag)) {
			from = tag.end;
			continue;
		}
		if (is_tag(&tag, "userdata") ||
			(is_tag(&tag, "info") &&
				!(name && is_listed(kept_infos, name, n)))) {
			from = skip_element(&tag);
			to = back_over_line(xml, to);
			continue;
		}
		to = tag.begin[1] == '!' || tag.closes
			     ? move_bytes(to, tag.begin, tag.end)
			     : copy_tag(to, &tag);
		from = tag.end;
	}
	*to = '\0';
}
