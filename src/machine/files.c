/*
 * Reading the kernel's small text files.
 */
#include "machine/files.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cpu_list.h"
#include "util/text.h"

/*
 * More than /proc/cpuinfo has on thousands of CPUs; a bound against files
 * that never end.
 */
#define TEXT_MAX_BYTES (16u << 20)

/* Files of /sys and /proc do not tell their size before they are read. */
static char *read_text(int fd)
{
	size_t room = 4096, used = 0;
	char *text = malloc(room);

	while (text) {
		ssize_t got = read(fd, text + used, room - used - 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		used += (size_t)got;
		text[used] = '\0';
		if (got == 0 || used >= TEXT_MAX_BYTES)
			return text;
		if (room - used < 2) {
			char *larger = realloc(text, 2 * room);

			if (!larger)
				break;
			text = larger;
			room *= 2;
		}
	}
	free(text);
	return NULL;
}

__attribute__((format(printf, 2, 0))) static char *text_below(
	const char *root, const char *format, va_list args)
{
	char *path = NULL, *below, *text = NULL;
	int fd = -1;

	if (vasprintf(&path, format, args) < 0)
		return NULL;
	below = text_format("%s%s", root, path);
	if (below)
		fd = open(below, O_RDONLY | O_CLOEXEC);
	free(below);
	free(path);
	if (fd >= 0) {
		text = read_text(fd);
		close(fd);
	}
	return text;
}

/* Cut text to its first line without the blanks around it, in place. */
static void trim_line(char *text)
{
	char *start = text;
	size_t length;

	text[strcspn(text, "\n")] = '\0';
	while (isspace((unsigned char)*start))
		start++;
	length = strlen(start);
	while (length > 0 && isspace((unsigned char)start[length - 1]))
		length--;
	memmove(text, start, length);
	text[length] = '\0';
}

__attribute__((format(printf, 2, 0))) static char *line_below(
	const char *root, const char *format, va_list args)
{
	char *text = text_below(root, format, args);

	if (text)
		trim_line(text);
	return text;
}

char *files_text(const char *root, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = text_below(root, format, args);
	va_end(args);
	return text;
}

char *files_line(const char *root, const char *format, ...)
{
	va_list args;
	char *line;

	va_start(args, format);
	line = line_below(root, format, args);
	va_end(args);
	if (line && !*line) {
		free(line);
		return NULL;
	}
	if (line)
		text_make_safe(line);
	return line;
}

long long files_number(const char *root, const char *format, ...)
{
	long long number = -1;
	va_list args;
	char *line;

	va_start(args, format);
	line = line_below(root, format, args);
	va_end(args);
	if (line && isdigit((unsigned char)*line)) {
		char *end;

		errno = 0;
		number = strtoll(line, &end, 10);
		if (errno || *end)
			number = -1;
	}
	free(line);
	return number;
}

bool files_parse_cpus(hwloc_bitmap_t set, const char *text)
{
	struct cpu_list cpus = {0};
	bool good = text && (!*text || cpu_list_parse(&cpus, text, NULL) == 0);

	if (good)
		hwloc_bitmap_zero(set);
	for (size_t i = 0; good && i < cpus.n; i++)
		good = hwloc_bitmap_set(set, cpus.cpus[i]) == 0;
	cpu_list_release(&cpus);
	return good;
}

bool files_cpus(hwloc_bitmap_t set, const char *root, const char *format, ...)
{
	va_list args;
	char *line;
	bool good;

	va_start(args, format);
	line = line_below(root, format, args);
	va_end(args);
	good = files_parse_cpus(set, line);
	free(line);
	return good;
}

char *files_field(const char *text, const char *key)
{
	size_t length = strlen(key);

	while (text && *text) {
		const char *end = text + strcspn(text, "\n");
		const char *colon = memchr(text, ':', (size_t)(end - text));

		if (colon && strncmp(text, key, length) == 0 &&
			text + length + strspn(text + length, " \t") == colon) {
			char *value =
				strndup(colon + 1, (size_t)(end - colon - 1));

			if (value) {
				trim_line(value);
				text_make_safe(value);
			}
			return value;
		}
		text = *end ? end + 1 : end;
	}
	return NULL;
}

bool files_has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; at && (at = strstr(at, word)); at++) {
		if ((at == text || isspace((unsigned char)at[-1])) &&
			(!at[length] || isspace((unsigned char)at[length])))
			return true;
	}
	return false;
}
