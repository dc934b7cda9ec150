#include "cmd/watch/watch_screen.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/cli.h"
#include "stat/stat.h"
#include "util/array.h"
#include "util/text.h"

#ifdef HAVE_NCURSES

#include <curses.h>

#include "figure/palette.h"
#include "machine/timebase.h"
#include "render/plot.h"

/* Seconds between drawings, besides those after a key. */
#define DRAW_S 0.5

/* Characters of the host name in the title. */
#define HOST_MOST 24

/* Colours from near to far. Pair k + 1 has colour k. */
#define COLOURS 16

struct screen {
	struct winsize size; /* latest size of the terminal */
	SCREEN *terminal;
	struct cli_terminal before; /* terminal to restore at a second signal */
	enum plot_colour colour;
	double *shown;	/* [pairs] shown latencies in ns */
	double *sorted; /* [cells * cells], scratch */
	bool frozen, help;
	double drawn_s;
	char note[160]; /* message about a key; "": none */
};

const char *screen_curses_version(void)
{
	return curses_version();
}

static bool start_colours(void)
{
	if (!has_colors() || start_color() != OK)
		return false;
	/* Keep the terminal's default colours of text and background. */
	use_default_colors();
	return COLOR_PAIRS > COLOURS;
}

static void choose_colours(struct screen *screen)
{
	screen->colour = plot_terminal_of(stdout).colour;
	if (screen->colour && !start_colours())
		screen->colour = PLOT_COLOUR_NONE;
	if (screen->colour > PLOT_COLOUR_256)
		screen->colour = PLOT_COLOUR_256;
	if (screen->colour == PLOT_COLOUR_256 && COLORS < 256)
		screen->colour = PLOT_COLOUR_16;
	if (screen->colour == PLOT_COLOUR_16 && COLORS < 16)
		screen->colour = PLOT_COLOUR_NONE;
	for (short k = 0; k < COLOURS && screen->colour; k++) {
		struct palette_colour colour =
			palette_at(PALETTE_VIRIDIS, (double)k / (COLOURS - 1));
		unsigned number =
			screen->colour == PLOT_COLOUR_256
				? palette_256(PALETTE_VIRIDIS, &colour)
				: palette_16(PALETTE_VIRIDIS, &colour);
		bool dark = palette_luminance(palette_ink(colour)) < 0.5;

		init_pair((short)(k + 1), dark ? COLOR_BLACK : COLOR_WHITE,
			(short)number);
	}
}

static int refuse_terminal(struct error *err)
{
	const char *term = getenv("TERM");

	return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
		"no screen on this terminal (TERM is '%s'): use --no-screen",
		term ? term : "");
}

int screen_check(struct error *err)
{
	const char *term = getenv("TERM");

	return term && *term && !text_same(term, "dumb") ? 0
							 : refuse_terminal(err);
}

/* Append a terminal capability without its "$<5>" delays. */
static void add_capability(struct cli_terminal *terminal, const char *name)
{
	const char *text = tigetstr(name);

	while (text && *text &&
		terminal->bytes < sizeof(terminal->exit_sequence)) {
		if (text[0] == '$' && text[1] == '<' && strchr(text, '>'))
			text = strchr(text, '>') + 1;
		else
			terminal->exit_sequence[terminal->bytes++] = *text++;
	}
}

/*
 * Largest screen: enough for the CPUs of any machine. ncurses needs about 100
 * bytes for each cell, and stores rows and columns as short integers.
 */
#define MOST_ROWS    1024
#define MOST_COLUMNS 4096

/*
 * Block signals while the terminal changes, because a second signal would end
 * c2c without restoring the terminal. Other threads receive no signals.
 */
static void block_all_signals(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
}

/*
 * Keep ncurses from installing a handler of SIGWINCH: follow_size() follows the
 * size of the terminal.
 */
static SCREEN *new_terminal(void)
{
	void (*before)(int) = signal(SIGWINCH, SIG_IGN);
	SCREEN *terminal = newterm(NULL, stdout, stdin);

	signal(SIGWINCH, before);
	return terminal;
}

/* Resize the screen to the terminal, within limits. */
static void follow_size(struct screen *screen)
{
	struct winsize size;
	int rows, columns;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 ||
		size.ws_col == 0 ||
		(size.ws_row == screen->size.ws_row &&
			size.ws_col == screen->size.ws_col))
		return;
	screen->size = size;
	rows = size.ws_row < MOST_ROWS ? size.ws_row : MOST_ROWS;
	columns = size.ws_col < MOST_COLUMNS ? size.ws_col : MOST_COLUMNS;
	resizeterm(getenv("LINES") ? LINES : rows,
		getenv("COLUMNS") ? COLS : columns);
}

static int open_terminal(struct screen *screen, struct error *err)
{
	static const char *const endings[] = {
		"sgr0", "op", "cnorm", "rmkx", "rmcup"};
	struct winsize size = {.ws_col = 0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
		(size.ws_col > MOST_COLUMNS || size.ws_row > MOST_ROWS))
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"the terminal has %u columns and %u rows: make the "
			"window smaller, or use --no-screen",
			size.ws_col, size.ws_row);
	screen->before.fd = STDOUT_FILENO;
	tcgetattr(STDOUT_FILENO, &screen->before.modes);
	screen->size = size;
	screen->terminal = new_terminal();
	if (!screen->terminal || !tigetstr("cup")) {
		if (screen->terminal) {
			endwin();
			delscreen(screen->terminal);
		}
		return refuse_terminal(err);
	}
	/* Keep the codes of endwin() for the handler. */
	for (size_t k = 0; k < N_OF(endings); k++)
		add_capability(&screen->before, endings[k]);
	cli_set_saved_terminal(&screen->before);
	cbreak();
	noecho();
	curs_set(0);
	keypad(stdscr, TRUE);
	set_escdelay(50);
	choose_colours(screen);
	return 0;
}

int screen_open(struct screen **made, struct error *err)
{
	struct screen *screen = calloc(1, sizeof(*screen));
	sigset_t before;
	int rc;

	*made = NULL;
	if (!screen)
		return error_no_memory(err, "the screen");
	block_all_signals(&before);
	rc = open_terminal(screen, err);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc == 0)
		*made = screen;
	else
		free(screen);
	return rc;
}

void screen_close(struct screen *screen)
{
	sigset_t before;

	if (!screen)
		return;
	block_all_signals(&before);
	endwin();
	cli_set_saved_terminal(NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	delscreen(screen->terminal);
	free(screen->shown);
	free(screen->sorted);
	free(screen);
}

/* Copy the values of the last burst to show them, unless frozen. */
static void copy_shown_values(struct screen *screen, const struct watch *watch)
{
	const struct passes *passes = &watch->bursts.passes;
	size_t bytes = passes->n_pairs * sizeof(*screen->shown);
	size_t squares = watch->cpus->n * watch->cpus->n;

	if (!screen->shown) {
		screen->shown = malloc(bytes);
		screen->sorted = calloc(squares, sizeof(*screen->sorted));
	} else if (screen->frozen) {
		return;
	}
	if (screen->shown && screen->sorted)
		memcpy(screen->shown,
			passes->values +
				(passes->n_passes - 1) * passes->n_pairs,
			bytes);
}

/* Return the median of the pairs in a cell; NaN without values. */
static double cell_value(struct screen *screen, const struct watch *watch,
	const struct watch_layout *layout, size_t row, size_t column)
{
	size_t n = watch->cpus->n, used = 0;

	for (size_t i = row * layout->fold;
		i < n && i < (row + 1) * layout->fold; i++) {
		for (size_t j = column * layout->fold;
			j < n && j < (column + 1) * layout->fold; j++) {
			size_t a = watch->places[i], b = watch->places[j];
			double value = a == b ? NAN
					      : screen->shown[bursts_pair_index(
							&watch->bursts, a, b)];

			if (isfinite(value))
				screen->sorted[used++] = value;
		}
	}
	return stat_median(screen->sorted, used);
}

/* Choose the range of the colours, to cover 96 % of the values. */
static void find_colour_range(struct screen *screen, const struct watch *watch,
	double *low, double *high)
{
	size_t used = 0;

	for (size_t p = 0; p < watch->bursts.passes.n_pairs; p++) {
		if (isfinite(screen->shown[p]) && screen->shown[p] > 0)
			screen->sorted[used++] = screen->shown[p];
	}
	stat_sort(screen->sorted, used);
	*low = stat_quantile(screen->sorted, used, 0.02);
	*high = stat_quantile(screen->sorted, used, 0.98);
}

/* Return the colour of a value, 0 to COLOURS - 1, on a logarithmic scale. */
static int latency_colour(double value, double low, double high)
{
	double share = high > low ? log(value / low) / log(high / low) : 0.5;

	return (int)lround(fmin(fmax(share, 0), 1) * (COLOURS - 1));
}

/* Return a letter for terminals without colours: near is dense. */
static char letter_of(int colour)
{
	static const char letters[] = "@%#*+=-:. ";

	return letters[colour * (int)(sizeof(letters) - 2) / (COLOURS - 1)];
}

static void draw_latency_cell(const struct screen *screen,
	const struct watch_layout *layout, double value, double low,
	double high)
{
	char text[24];
	int colour;

	if (!isfinite(value)) {
		printw("%*s", (int)layout->width, "");
		return;
	}
	colour = latency_colour(value, low, high);
	if (layout->numbers)
		snprintf(text, sizeof(text), "%*.0f ", (int)layout->width - 1,
			fmin(value, 999));
	else
		snprintf(text, sizeof(text), "%*s", (int)layout->width, "");
	if (!screen->colour && !layout->numbers)
		memset(text, letter_of(colour), layout->width);
	if (screen->colour)
		attron(COLOR_PAIR(colour + 1));
	addstr(text);
	if (screen->colour)
		attroff(COLOR_PAIR(colour + 1));
}

static unsigned first_cpu(const struct watch *watch,
	const struct watch_layout *layout, size_t row)
{
	return watch->cpus->cpus[watch->places[row * layout->fold]];
}

static void draw_latency_matrix(struct screen *screen,
	const struct watch *watch, const struct watch_layout *layout)
{
	double low, high;

	find_colour_range(screen, watch, &low, &high);
	move((int)layout->heading, (int)layout->label);
	for (size_t column = 0; column < layout->cells && layout->numbers;
		column++)
		printw("%*u ", (int)layout->width - 1,
			first_cpu(watch, layout, column));
	for (size_t row = 0; row < layout->cells; row++) {
		mvprintw((int)(layout->matrix + row), 0, "%*u ",
			(int)layout->label - 1, first_cpu(watch, layout, row));
		for (size_t column = 0; column < layout->cells; column++)
			draw_latency_cell(screen, layout,
				cell_value(screen, watch, layout, row, column),
				low, high);
	}
	mvprintw((int)layout->scale, 0, "%.0f ", low);
	for (int k = 0; k < COLOURS; k++) {
		if (screen->colour)
			attron(COLOR_PAIR(k + 1));
		addch(screen->colour ? ' ' : (chtype)letter_of(k));
		if (screen->colour)
			attroff(COLOR_PAIR(k + 1));
	}
	printw(" %.0f ns, one way", high);
	if (layout->fold > 1)
		printw("; a cell: median of %zu x %zu CPUs", layout->fold,
			layout->fold);
}

/* Print "14:02:07" in local time. */
static void print_local_time(double unix_s)
{
	time_t whole = (time_t)unix_s;
	char text[16];
	struct tm tm;

	localtime_r(&whole, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	printw("%s ", text);
}

/* Print text up to the edge: longer text would continue on the next line. */
static void add_within(const char *text)
{
	addnstr(text, COLS - getcurx(stdscr));
}

static void draw_events(
	const struct watch *watch, const struct watch_layout *layout)
{
	size_t kept = watch->n_recorded < WATCH_EVENTS ? watch->n_recorded
						       : WATCH_EVENTS;

	if (watch->n_recorded == 0) {
		mvprintw((int)layout->events, 0, "%s",
			watch->bursts.n_usual < BURSTS_LEARN
				? "learning the usual noise"
				: "nothing moved");
	}
	for (size_t k = 0; k < kept && k < layout->n_events; k++) {
		const struct watch_event *event =
			&watch->events[(watch->n_recorded - 1 - k) %
				       WATCH_EVENTS];

		move((int)(layout->events + k), 0);
		print_local_time(event->at_s);
		add_within(event->text);
	}
}

static void draw_title(const struct screen *screen, const struct watch *watch)
{
	static const char *const orders[] = {
		"by number", "by topology", "by groups"};
	const struct watch_state *state = &watch->state;

	attron(A_BOLD);
	mvprintw(0, 0, "c2c watch %.*s: %zu CPUs %s%s  ", HOST_MOST,
		state->host ? state->host : "", watch->cpus->n,
		orders[watch->order], screen->frozen ? ", FROZEN" : "");
	attroff(A_BOLD);
	print_local_time(state->now_s);
	mvprintw(1, 0, "duty %.1f %%, limit %g %%", state->duty * 100,
		state->duty_limit * 100);
	if (state->watch_s < state->held_s)
		printw(" from %.1f s on", state->held_s);
	if (isfinite(state->stolen))
		printw("  steal %.1f %%", state->stolen * 100);
	if (isfinite(state->agreement))
		printw("  agreement %.2f", state->agreement);
	printw("  %zu bursts  %zu events", state->bursts, state->events);
}

static void draw_help(void)
{
	static const char *const lines[] = {"q      quit, and save the record",
		"space  freeze the matrix, or continue",
		"o      order by number, by topology, by measured groups",
		"s      save the record in the current folder now",
		"? h    this help, or the matrix again",
		"Dark is near. c2c still measures meanwhile."};

	for (size_t k = 0; k < sizeof(lines) / sizeof(*lines); k++)
		mvprintw((int)k + 3, 2, "%s", lines[k]);
}

static void draw_watch_screen(struct screen *screen, const struct watch *watch)
{
	const struct error *trouble = watch_sink_error(watch);
	unsigned most = 0;
	struct watch_layout layout;

	for (size_t i = 0; i < watch->cpus->n; i++)
		most = watch->cpus->cpus[i] > most ? watch->cpus->cpus[i]
						   : most;
	layout = watch_layout_fit(
		(size_t)LINES, (size_t)COLS, watch->cpus->n, most);
	copy_shown_values(screen, watch);
	erase();
	if (!layout.fits || !screen->shown || !screen->sorted) {
		mvprintw(0, 0, "c2c watch: make the window larger");
		refresh();
		return;
	}
	draw_title(screen, watch);
	if (screen->help) {
		draw_help();
	} else {
		draw_latency_matrix(screen, watch, &layout);
		draw_events(watch, &layout);
	}
	move(LINES - 1, 0);
	add_within(*screen->note ? screen->note
		   : trouble	 ? trouble->text
			     : "q quit  space freeze  o order  s save  ? help");
	refresh();
}

static void save_watch_record(struct screen *screen, struct watch *watch)
{
	char *name = watch_record_name();
	struct error err;

	if (!name)
		return;
	if (measure_save_now(watch->plan, name, &err) < 0)
		snprintf(
			screen->note, sizeof(screen->note), "%.150s", err.text);
	else
		snprintf(screen->note, sizeof(screen->note), "saved: %s", name);
	free(name);
}

static void handle_watch_key(
	struct screen *screen, struct watch *watch, int key)
{
	screen->note[0] = '\0';
	switch (key) {
	case 'q':
		watch->quit = true;
		break;
	case ' ':
		screen->frozen = !screen->frozen;
		break;
	case 'o':
		watch->order = (watch->order + 1) % WATCH_ORDERS;
		watch_sort_cpus(watch);
		break;
	case 's':
		save_watch_record(screen, watch);
		break;
	case '?':
	case 'h':
	case KEY_F(1):
		screen->help = !screen->help;
		break;
	default:
		break;
	}
}

void screen_turn(struct screen *screen, struct watch *watch, double wait_s)
{
	double now_s;
	int key;

	follow_size(screen);
	timeout((int)ceil(wait_s * 1000));
	key = getch();
	if (key != ERR)
		handle_watch_key(screen, watch, key);
	now_s = timebase_raw_s();
	if (key == ERR && now_s - screen->drawn_s < DRAW_S)
		return;
	draw_watch_screen(screen, watch);
	screen->drawn_s = now_s;
}

#else

const char *screen_curses_version(void)
{
	return NULL;
}

int screen_check(struct error *err)
{
	return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
		"c2c was built without ncurses and draws no screen: use "
		"--no-screen");
}

int screen_open(struct screen **made, struct error *err)
{
	*made = NULL;
	return screen_check(err);
}

void screen_close(struct screen *screen)
{
	(void)screen;
}

void screen_turn(struct screen *screen, struct watch *watch, double wait_s)
{
	(void)screen;
	(void)watch;
	(void)wait_s;
}

#endif
