#include "util/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BAR_WIDTH 24

bool progress_can_be_drawn(FILE *out)
{
	const char *term = getenv("TERM");

	return isatty(fileno(out)) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

void progress_draw(
	FILE *out, unsigned columns, double fraction, const char *text)
{
	int filled = (int)(fmin(fmax(fraction, 0), 1) * BAR_WIDTH + 0.5);
	char line[160];

	snprintf(line, sizeof(line), "[%.*s%.*s] %s", filled,
		"########################", BAR_WIDTH - filled,
		"........................", text);
	fprintf(out, "\r\033[K%.*s", (int)(columns ? columns - 1 : 79), line);
	fflush(out);
}

void progress_clear(FILE *out)
{
	fputs("\r\033[K", out);
	fflush(out);
}
