#include "engine/progress.h"

#include <string.h>

#define BAR_WIDTH 24

void progress_draw(
	FILE *out, unsigned columns, const struct campaign_progress *progress)
{
	char bar[BAR_WIDTH + 1];
	char left[48] = "";
	char line[160];
	size_t filled = (size_t)(progress->fraction * BAR_WIDTH + 0.5);

	memset(bar, '.', BAR_WIDTH);
	memset(bar, '#', filled < BAR_WIDTH ? filled : BAR_WIDTH);
	bar[BAR_WIDTH] = '\0';
	if (!isnan(progress->left_s))
		snprintf(left, sizeof(left), ", at most %.0f s left",
			progress->left_s);
	snprintf(line, sizeof(line), "[%s] pass %zu, pair %zu of %zu%s", bar,
		progress->passes + (progress->pairs < progress->pairs_total),
		progress->pairs, progress->pairs_total, left);
	fprintf(out, "\r\033[K%.*s", (int)(columns ? columns - 1 : 79), line);
	fflush(out);
}

void progress_clear(FILE *out)
{
	fputs("\r\033[K", out);
	fflush(out);
}
