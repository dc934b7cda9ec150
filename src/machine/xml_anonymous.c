#include "machine/xml_anonymous.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Infos that are kept; a star stands for any ending. */
static const char *const kept_infos[] = {"Architecture", "Backend", "C2C*",
	"CPU*", "CoreType", "DAXType", "Frequency*", "Inclusive",
	"LinuxCapacity", "MemoryTier", "OSName", "hwlocVersion", NULL};

struct xml_tag {
	const char *begin, *end; /* "<object ...>"; end is behind it */
	size_t name;		 /* length in bytes */
	bool closes, empty;	 /* </object>, <object .../> */
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
	char quote = '\0';

	tag.name = strcspn(text + 1, " \t\r\n/>");
	for (text++; *text && (quote || *text != '>'); text++) {
		if (quote && *text == quote)
			quote = '\0';
		else if (!quote && (*text == '"' || *text == '\''))
			quote = *text;
	}
	tag.empty = text[-1] == '/';
	tag.end = *text ? text + 1 : text;
	return tag;
}

static bool is_kept_info(const char *name, size_t n)
{
	for (size_t i = 0; kept_infos[i]; i++) {
		size_t known = strcspn(kept_infos[i], "*");

		if (kept_infos[i][known] ? n >= known : n == known)
			if (strncmp(name, kept_infos[i], known) == 0)
				return true;
	}
	return false;
}

/* Return the value of a tag's attribute, and its bytes; or NULL. */
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

/* Copy a tag without an attribute. */
static char *cut_attribute(
	char *to, const struct xml_tag *tag, const char *attribute)
{
	size_t n;
	const char *value = find_attribute(tag, attribute, &n);

	if (!value)
		return move_bytes(to, tag->begin, tag->end);
	to = move_bytes(
		to, tag->begin, value - strlen(attribute) - strlen(" =\""));
	return move_bytes(to, value + n + 1, tag->end);
}

/* Copy an object without its name; if Misc, also without its subtype. */
static char *copy_object(char *to, const struct xml_tag *tag)
{
	size_t n = 0;
	const char *type = find_attribute(tag, "type", &n);
	bool is_misc =
		type && n == strlen("Misc") && strncmp(type, "Misc", n) == 0;
	struct xml_tag copy = {.begin = to, .name = tag->name};

	copy.end = cut_attribute(to, tag, "name");
	return is_misc ? cut_attribute(to, &copy, "subtype")
		       : to + (copy.end - copy.begin);
}

/* Return the end of the line before `to` if only indentation follows it. */
static char *back_over_line(const char *xml, char *to)
{
	while (to > xml && (to[-1] == ' ' || to[-1] == '\t'))
		to--;
	return to > xml && to[-1] == '\n' ? to - 1 : to;
}

/* Return the end of the element that a tag begins. */
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

/* Whether text is numbers, perhaps after types of objects: "12 34", "PU:0". */
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
		if (is_tag(&tag, "userdata") ||
			(is_tag(&tag, "info") &&
				!(name && is_kept_info(name, n)))) {
			from = skip_element(&tag);
			to = back_over_line(xml, to);
			continue;
		}
		to = is_tag(&tag, "object")
			     ? copy_object(to, &tag)
			     : move_bytes(to, tag.begin, tag.end);
		from = tag.end;
	}
	*to = '\0';
}
