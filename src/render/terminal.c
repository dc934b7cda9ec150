/* Finds out what a terminal can show. */
#include "render/plot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/parse.h"

/* Size of a terminal that reports none. */
#define DEFAULT_COLUMNS 80
#define DEFAULT_ROWS	24

/* Ignore larger sizes in variables, which are mistakes. */
#define SCREEN_MAX 10000

/* Return an environment variable that is a number of columns or rows. */
static unsigned environment_size(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);
	uint64_t value;

	if (!text || parse_u64(text, 1, SCREEN_MAX, &value, NULL) < 0)
		return otherwise;
	return (unsigned)value;
}

/* Return an environment variable; "" if it is not set. */
static const char *environment_text(const char *name)
{
	const char *text = getenv(name);

	return text ? text : "";
}

/*
 * NO_COLOR (https://no-color.org/) has priority over CLICOLOR_FORCE
 * (https://bixense.com/clicolors/). A terminal gets the number of colours in
 * COLORTERM or TERM, because it may not display other colours.
 */
static enum plot_colour stream_colours(FILE *stream)
{
	const char *term = environment_text("TERM"),
		   *more = environment_text("COLORTERM");
	const char *force = environment_text("CLICOLOR_FORCE");
	bool forced = *force && strcmp(force, "0") != 0;

	if (*environment_text("NO_COLOR"))
		return PLOT_COLOUR_NONE;
	if (!forced && (!isatty(fileno(stream)) || !*term ||
			       strcmp(term, "dumb") == 0))
		return PLOT_COLOUR_NONE;
	if (strcmp(more, "truecolor") == 0 || strcmp(more, "24bit") == 0 ||
		strstr(term, "-direct"))
		return PLOT_COLOUR_TRUE;
	return strstr(term, "256color") ? PLOT_COLOUR_256 : PLOT_COLOUR_16;
}

struct plot_terminal plot_terminal_of(FILE *stream)
{
	struct plot_terminal terminal = {.columns = DEFAULT_COLUMNS,
		.rows = DEFAULT_ROWS,
		.colour = stream_colours(stream)};
	struct winsize size;

	if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 &&
		size.ws_row > 0) {
		terminal.columns = size.ws_col;
		terminal.rows = size.ws_row;
	}
	/* The user may override the terminal's report (environ(7)). */
	terminal.columns = environment_size("COLUMNS", terminal.columns);
	terminal.rows = environment_size("LINES", terminal.rows);
	return terminal;
}
