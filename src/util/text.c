#include "util/text.h"

#include <stdio.h>

void text_make_safe(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++) {
		if ((*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f)
			*c = '?';
		else if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
			c[0] = c[1] = '?';
	}
}

const char *text_size(uint64_t bytes, char text[TEXT_SIZE_BYTES])
{
	static const char *const units[] = {
		"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double size = (double)bytes;
	size_t unit = 0;

	/* Not "1024 KiB", which a little less would be rounded to. */
	while (size >= 1023.5) {
		size /= 1024;
		unit++;
	}
	snprintf(text, TEXT_SIZE_BYTES, "%.4g %s", size, units[unit]);
	return text;
}
