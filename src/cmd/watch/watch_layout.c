#include "cmd/watch/watch_screen.h"

#include <stdio.h>

/* Lines for the title, the state, the heading, the scale and the keys. */
#define LINES_FIXED 5

/* Least lines for events, which get more if lines are left. */
#define EVENTS_LEAST 2

/* Columns of a cell with a number, with a square, and with a letter. */
#define NUMBER_WIDTH 4
#define SQUARE_WIDTH 2

#define LEAST_COLUMNS 24

static size_t divide_up(size_t a, size_t b)
{
	return (a + b - 1) / b;
}

struct watch_layout watch_layout_fit(
	size_t lines, size_t columns, size_t n, unsigned most)
{
	struct watch_layout layout = {
		.label = (size_t)snprintf(NULL, 0, "%u", most) + 1};
	size_t reserved = LINES_FIXED + EVENTS_LEAST, room;

	if (lines < reserved + 2 || columns < LEAST_COLUMNS)
		return layout;
	layout.fits = true;
	/* A cell has at least one column and exactly one line. */
	room = columns - layout.label;
	if (room > lines - reserved)
		room = lines - reserved;
	layout.fold = divide_up(n, room);
	layout.cells = divide_up(n, layout.fold);
	layout.width = (columns - layout.label) / layout.cells;
	layout.numbers = layout.width >= NUMBER_WIDTH;
	if (layout.numbers)
		layout.width = NUMBER_WIDTH;
	else if (layout.width > SQUARE_WIDTH)
		layout.width = SQUARE_WIDTH;
	layout.heading = 2;
	layout.matrix = 3;
	layout.scale = layout.matrix + layout.cells;
	layout.events = layout.scale + 1;
	layout.n_events = lines - 1 - layout.events;
	return layout;
}
