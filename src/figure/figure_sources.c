/*
 * Compares the sources of a chart, which are devices and records: gives sources
 * unique short names, and converts their values to one unit.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "figure/view.h"
#include "result/file.h"
#include "util/array.h"
#include "util/text.h"

const char *plot_opencl_device(const struct result *result)
{
	const struct facts *run = &result->run.other;
	const char *type = facts_text(run, "device_type");

	return type && strcmp(type, "cpu") == 0 ? NULL
						: facts_text(run, "device");
}

size_t plot_view_source(
	struct plot_view *view, size_t record, const char *device)
{
	const struct result *of = &view->records.results[record];
	size_t i = 0;

	while (i < view->n_sources &&
		!(view->sources[i].record == of &&
			text_same(view->sources[i].device, device)))
		i++;
	if (i < view->n_sources)
		return i;
	view->sources = arena_grow(&view->memory, view->sources,
		view->n_sources, sizeof(*view->sources));
	view->sources[view->n_sources++] =
		(struct plot_source){.record = of, .device = device};
	return i;
}

/* Return "NVIDIA H200" for "device 1 (NVIDIA H200)"; other texts unchanged. */
static const char *device_in_brackets(struct arena *memory, const char *device)
{
	const char *open = strstr(device, " (");
	size_t n = strlen(device);

	return open && device[n - 1] == ')'
		       ? arena_format(memory, "%.*s",
				 (int)(device + n - 1 - (open + 2)), open + 2)
		       : device;
}

/* Return the number of bytes before the brackets. */
static int bracket_bytes(const char *device)
{
	const char *open = strstr(device, " (");

	return (int)(open ? open - device : (long)strlen(device));
}

/* Return the distinctive words of a model: "Xeon 8592+", "H200". */
static char *short_model(struct arena *memory, const char *model)
{
	static const char *const marks[] = {"(R)", "(TM)", "(tm)"};
	static const char *const words[] = {"Intel", "NVIDIA", "CPU",
		"Processor", "Platinum", "Gold", "Silver", "Bronze"};
	char *text = arena_strdup(memory, model), *rest = text, *word;
	struct text_list name = {0};

	for (size_t i = 0; i < N_OF(marks); i++) {
		for (char *at; (at = strstr(text, marks[i]));)
			memmove(at, at + strlen(marks[i]),
				strlen(at + strlen(marks[i])) + 1);
	}
	/* Cut the clock, "@ 2.10GHz". */
	text[strcspn(text, "@")] = '\0';
	while ((word = strsep(&rest, " "))) {
		const char *core = strstr(word, "-Core");
		bool drop = !*word || (core && !core[strlen("-Core")]);

		for (size_t i = 0; i < N_OF(words); i++)
			drop |= strcmp(word, words[i]) == 0;
		if (!drop)
			text_list_add(&name, " ", "%s", word);
	}
	text = arena_adopt(memory, text_list_end(&name));
	return *text ? text : arena_strdup(memory, model);
}

/* Return the path of a record's file, on one line. */
static const char *file_path_of(
	struct plot_view *view, const struct plot_source *source)
{
	char *path = arena_strdup(&view->memory,
		view->records.names[source->record - view->records.results]);

	for (char *c = path; *c; c++) {
		if (text_is_control(*c))
			*c = ' ';
	}
	return path;
}

/* Return the name of a record's file, without folder and extension. */
static const char *file_stem_of(
	struct plot_view *view, const struct plot_source *source)
{
	const char *base;

	if (!view->records.names)
		return "record";
	base = file_base(file_path_of(view, source));
	/* Keep the extension before a section, FILE.json:NAME. */
	return strchr(base, ':')
		       ? base
		       : arena_format(&view->memory, "%.*s",
				 1 + (int)strcspn(base + 1, "."), base);
}

/* Return "H200", "Xeon 8592+, 16 vCPUs"; without a model, the file's name. */
static const char *source_model(
	struct plot_view *view, const struct plot_source *source)
{
	const struct facts *machine = &source->record->machine;
	const char *device =
		source->device
			? device_in_brackets(&view->memory, source->device)
			: plot_opencl_device(source->record);
	const char *model = facts_text(machine, "cpu_model");
	int64_t n = facts_count(machine, "cpus_online");

	/* PoCL calls the CPUs "cpu-haswell-" or "pthread-haswell-MODEL". */
	if (device && strncmp(device, "cpu-", 4) != 0 &&
		strncmp(device, "pthread-", 8) != 0)
		return short_model(&view->memory, device);
	if (!model || !*model)
		return file_stem_of(view, source);
	model = short_model(&view->memory, model);
	return n < 1 ? model
		     : arena_format(&view->memory, "%s, %" PRId64 " %sCPU%s",
			       model, n,
			       facts_text(machine, "hypervisor") ? "v" : "",
			       n == 1 ? "" : "s");
}

/*
 * Whether another source has the same name, in the same record or another one.
 */
static bool is_name_shared(const struct plot_view *view, size_t at, bool record)
{
	const struct plot_source *source = &view->sources[at];

	for (size_t i = 0; i < view->n_sources; i++) {
		const struct plot_source *other = &view->sources[i];

		if (i != at && strcmp(other->name, source->name) == 0 &&
			(other->record == source->record) == record)
			return true;
	}
	return false;
}

/*
 * Add numbers to the names of devices with the same record and model. Add file
 * names to the names of records with the same model. If all records have one
 * model, the names are only the file names.
 */
void plot_view_name_sources(struct plot_view *view)
{
	const char **names =
		arena_alloc(&view->memory, view->n_sources + 1, sizeof(*names));
	bool alike = true;

	for (size_t i = 0; i < view->n_sources; i++)
		view->sources[i].model = view->sources[i].name =
			source_model(view, &view->sources[i]);
	for (size_t i = 1; i < view->n_sources; i++)
		alike &=
			text_same(view->sources[i].model, view->sources->model);
	for (size_t i = 0; i < view->n_sources; i++) {
		const struct plot_source *source = &view->sources[i];
		bool record = is_name_shared(view, i, false);

		names[i] = source->name;
		if (record && alike)
			names[i] = file_stem_of(view, source);
		else if (record)
			names[i] = arena_format(&view->memory, "%s, %s",
				source->name, file_stem_of(view, source));
		if (is_name_shared(view, i, true) && source->device)
			names[i] = arena_format(&view->memory, "%s, %.*s",
				names[i], bracket_bytes(source->device),
				source->device);
	}
	for (size_t i = 0; i < view->n_sources; i++)
		view->sources[i].name = names[i];
	/* Files in different folders may have the same name. */
	for (size_t i = 0; i < view->n_sources; i++) {
		const struct plot_source *source = &view->sources[i];

		names[i] = source->name;
		if (view->records.names && is_name_shared(view, i, false))
			names[i] = file_path_of(view, source);
	}
	for (size_t i = 0; i < view->n_sources; i++)
		view->sources[i].name = names[i];
}

int plot_sources_differ(const struct plot_source *a, const char *what_a,
	const struct plot_source *b, const char *what_b, struct error *err)
{
	return error_set(err, ERROR_USAGE, EINVAL,
		"%s has %s and %s has %s, which no chart can show together: "
		"draw each alone",
		a->name, what_a, b->name, what_b);
}

/* Return the values times a factor, in the arena; NULL for NULL. */
static double *scaled_values(
	struct plot_view *view, const double *values, size_t n, double factor)
{
	double *scaled = NULL;

	if (values)
		scaled = arena_alloc(&view->memory, n, sizeof(*scaled));
	for (size_t i = 0; values && i < n; i++)
		scaled[i] = values[i] * factor;
	return scaled;
}

/* Convert the values of a curve to another unit. */
static void convert_curve(struct plot_view *view, struct curve *curve,
	const char *unit, double factor)
{
	curve->facts.y_unit = unit;
	curve->median = scaled_values(view, curve->median, curve->n, factor);
	curve->low = scaled_values(view, curve->low, curve->n, factor);
	curve->high = scaled_values(view, curve->high, curve->n, factor);
	curve->ceiling = scaled_values(view, curve->ceiling, curve->n, factor);
	/* Drop the fit, whose numbers are in bytes and nanoseconds. */
	curve->fit = NULL;
}

int plot_view_convert(struct plot_view *view, const size_t *from,
	const char *unit, struct error *err)
{
	bool any = false;

	for (size_t i = 0; i < view->n_curves; i++) {
		struct curve *curve = &view->curves[i];
		const struct plot_source *source = &view->sources[from[i]];
		double factor = plot_unit_factor_of(
			source->record, &curve->facts, unit);

		any |= !isnan(factor);
		if (factor != 1 && !isnan(factor))
			convert_curve(view, curve, unit, factor);
	}
	return any ? 0
		   : plot_refuse_unit(view->curves->facts.y_unit, unit, err);
}

/* Convert a curve to the unit of the other sources' curves in its panel. */
static int share_curve_unit(
	struct plot_view *view, const size_t *from, size_t i, struct error *err)
{
	struct curve *curve = &view->curves[i];
	const char *unit = curve->facts.y_unit;
	size_t first = i;
	double factor;

	for (size_t k = i; k-- > 0;) {
		const struct curve_facts *other = &view->curves[k].facts;

		if (from[k] == from[i] ||
			!text_same(other->test, curve->facts.test) ||
			!text_same(other->family, curve->facts.family))
			continue;
		if (text_same(other->y_unit, unit))
			return 0;
		first = k;
	}
	factor = plot_unit_factor(unit, view->curves[first].facts.y_unit);
	if (isnan(factor))
		return plot_sources_differ(&view->sources[from[first]],
			view->curves[first].facts.y_unit,
			&view->sources[from[i]], unit, err);
	if (factor != 1)
		convert_curve(
			view, curve, view->curves[first].facts.y_unit, factor);
	return 0;
}

/* Return the first curve with the title of curve i: its test and family. */
static size_t first_of_title(const struct curve *curves, size_t i)
{
	size_t k = 0;

	while (!text_same(curves[k].facts.test, curves[i].facts.test) ||
		!text_same(curves[k].facts.family, curves[i].facts.family))
		k++;
	return k;
}

/* Convert a bar's curve to the unit of the first curve of its family. */
static void share_bar_unit(struct plot_view *view, size_t i)
{
	const char *from = view->bars[i].facts.y_unit;
	const char *to = view->bars[first_of_title(view->bars, i)].facts.y_unit;
	double factor = plot_unit_factor(from, to);

	if (factor != 1 && !isnan(factor))
		convert_curve(view, &view->bars[i], to, factor);
}

/* Find the first size in a text, "512 MiB", "16 CPUs"; return its bytes, or 0.
 */
static size_t find_size(const char *text, const char **at)
{
	static const char *const units[] = {" KiB", " MiB", " GiB", " CPUs"};

	for (*at = text + strcspn(text, "0123456789"); **at;
		*at += strcspn(*at, "0123456789")) {
		size_t digits = strspn(*at, "0123456789");

		for (size_t u = 0; u < N_OF(units); u++) {
			size_t n = strlen(units[u]);

			if (strncmp(*at + digits, units[u], n) == 0)
				return digits + n;
		}
		*at += digits;
	}
	return 0;
}

/* Whether two titles are equal, except perhaps for their first size. */
static bool same_but_size(const char *a, const char *b)
{
	const char *in_a, *in_b;
	size_t n_a = find_size(a, &in_a), n_b = find_size(b, &in_b);

	return n_a > 0 && n_b > 0 && in_a - a == in_b - b &&
	       strncmp(a, b, (size_t)(in_a - a)) == 0 &&
	       strcmp(in_a + n_a, in_b + n_b) == 0;
}

/*
 * Return the title of a curve's panel. Sources may have different sizes of
 * arrays or numbers of CPUs. If each source has only one size, the sources
 * share a panel, "arrays of 512 MiB or 128 MiB".
 */
static const char *merge_family(struct plot_view *view, const size_t *from,
	size_t n, const struct curve_facts *facts)
{
	const char **seen =
		arena_alloc(&view->memory, view->n_sources, sizeof(*seen));
	struct text_list sizes = {0};
	const char *at, *all;
	size_t bytes, differ = 0;

	if (find_size(facts->family, &at) == 0)
		return facts->family;
	for (size_t i = 0; i < n; i++) {
		const struct curve_facts *other = &view->curves[i].facts;

		if (!text_same(other->test, facts->test) ||
			!same_but_size(other->family, facts->family))
			continue;
		if (seen[from[i]] && strcmp(seen[from[i]], other->family) != 0)
			return facts->family;
		seen[from[i]] = other->family;
	}
	for (size_t i = 0; i < view->n_sources; i++) {
		size_t k = 0;

		while (seen[i] && !text_same(seen[k], seen[i]))
			k++;
		if (!seen[i] || k < i)
			continue;
		bytes = find_size(seen[i], &at);
		text_list_add(
			&sizes, differ++ ? " or " : "", "%.*s", (int)bytes, at);
	}
	all = arena_adopt(&view->memory, text_list_end(&sizes));
	bytes = find_size(facts->family, &at);
	return arena_format(&view->memory, "%.*s%s%s",
		(int)(at - facts->family), facts->family, all, at + bytes);
}

/* Whether a name ends with another name: "image, read" with "read". */
static bool ends_with_name(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return k == n ? strcmp(name, end) == 0
		      : k + 2 < n && strncmp(name + n - k - 2, ", ", 2) == 0 &&
				strcmp(name + n - k, end) == 0;
}

static const struct result *record_of_bar(
	const struct plot_view *view, size_t i)
{
	return view->sources[view->bar_sources[i]].record;
}

/*
 * Whether a bound is for curve i. A bound is for all curves of its panel,
 * unless some of these curves end with the bound's name. The curves of their
 * record begin at first.
 */
static bool is_bound_of(
	const struct plot_view *view, size_t bound, size_t i, size_t first)
{
	const struct curve *curves = view->bars;
	const char *name = curves[bound].facts.member;
	bool named = false;

	if (!curve_is_bound(&curves[bound]) ||
		view->bar_sources[bound] != view->bar_sources[i] ||
		!curve_same_panel(&curves[bound], &curves[i]))
		return false;
	for (size_t k = first; k < view->n_bars &&
			       record_of_bar(view, k) == record_of_bar(view, i);
		k++)
		named |= !curve_is_bound(&curves[k]) &&
			 view->bar_sources[k] == view->bar_sources[i] &&
			 curve_same_panel(&curves[k], &curves[i]) &&
			 ends_with_name(curves[k].facts.member, name);
	return !named || ends_with_name(curves[i].facts.member, name);
}

/* Add a bound to the panel of curve i, if it is new; return the sources. */
static size_t *add_bound(
	struct plot_view *view, size_t *of, size_t bound, size_t i)
{
	const struct curve *beside = &view->curves[i];
	struct curve curve = view->bars[bound];

	curve.facts.variant = curve.facts.member;
	curve.facts.member = beside->facts.member;
	curve.facts.family = beside->facts.family;
	curve.facts.device = NULL;
	curve.facts.y_name = beside->facts.y_name;
	curve.place = beside->place;
	for (size_t k = view->n_curves;
		k-- > 0 &&
		view->sources[of[k]].record == view->sources[of[i]].record;) {
		if (curve_same(&view->curves[k], &curve))
			return of;
	}
	view->curves = arena_grow(
		&view->memory, view->curves, view->n_curves, sizeof(curve));
	of = arena_grow(&view->memory, of, view->n_curves, sizeof(*of));
	of[view->n_curves] = of[i];
	view->curves[view->n_curves++] = curve;
	return of;
}

/* Add the bounds of all curves to their panels; return the sources. */
static size_t *add_bounds(
	struct plot_view *view, size_t *of, const size_t *origins)
{
	size_t n = view->n_curves;

	/* The curves of a record, and then their bounds, are adjacent. */
	for (size_t i = 0, begin = 0; i < n; i++) {
		const struct result *record = record_of_bar(view, origins[i]);
		size_t k;

		while (record_of_bar(view, begin) != record)
			begin++;
		for (k = begin;
			k < view->n_bars && record_of_bar(view, k) == record;
			k++) {
			if (is_bound_of(view, k, origins[i], begin))
				of = add_bound(view, of, k, i);
		}
	}
	return of;
}

int plot_view_compare_curves(
	struct plot_view *view, const size_t *from, struct error *err)
{
	size_t all = view->n_curves, n = 0;
	struct curve *bars =
		arena_copy(&view->memory, view->curves, all, sizeof(*bars));
	size_t *of = NULL;
	size_t *origins = arena_alloc(&view->memory, all, sizeof(*origins));
	const char **families =
		arena_alloc(&view->memory, all, sizeof(*families));
	/* By curve, the first one with its title; if it has several members. */
	size_t *first = arena_alloc(&view->memory, all, sizeof(*first));
	bool *several = arena_alloc(&view->memory, all, sizeof(*several));
	struct curve *curves = view->curves;
	int rc = 0;

	view->bars = bars;
	view->bar_sources = from;
	view->n_bars = all;
	for (size_t i = 0; i < all; i++)
		share_bar_unit(view, i);
	for (size_t i = 0; i < all; i++) {
		if (curve_is_bound(&curves[i]) ||
			curve_is_behind_mean(&curves[i], curves, all))
			continue;
		of = arena_grow(&view->memory, of, n, sizeof(*of));
		of[n] = from[i];
		origins[n] = i;
		curves[n++] = curves[i];
	}
	for (size_t i = 0; i < n; i++) {
		size_t k = first_of_title(curves, i);

		families[i] =
			k < i ? families[k]
			      : merge_family(view, of, n, &curves[i].facts);
	}
	for (size_t i = 0; i < n; i++) {
		curves[i].facts.y_name = curve_quantity(&curves[i].facts);
		curves[i].facts.family = families[i];
		first[i] = first_of_title(curves, i);
		several[first[i]] |= !text_same(
			curves[i].facts.member, curves[first[i]].facts.member);
	}
	for (size_t i = 0; i < n; i++) {
		struct curve_facts *facts = &curves[i].facts;

		/* A panel's heading has the test before the family. */
		if (several[first[i]])
			facts->family =
				text_same(facts->test, facts->family)
					? curve_mix_words(facts->member)
					: arena_format(&view->memory, "%s, %s",
						  facts->family,
						  curve_mix_words(
							  facts->member));
		facts->member = view->sources[of[i]].name;
		facts->device = NULL;
		curves[i].mark = NULL;
	}
	view->n_curves = n;
	of = add_bounds(view, of, origins);
	for (size_t i = 0; rc == 0 && i < view->n_curves; i++)
		rc = share_curve_unit(view, of, i, err);
	return rc;
}

/* Return the ratio of two values; NaN if it is undefined. */
static double divide_value(double value, double by)
{
	return by > 0 ? value / by : NAN;
}

/* Whether both curves have a value at some x. */
static bool has_ratio(const struct curve *curve, const struct curve *by)
{
	size_t i = 0;

	while (i < curve->n && isnan(divide_value(curve->median[i],
				       curve_value_at(by, curve->x[i]))))
		i++;
	return i < curve->n;
}

/*
 * Divide values by those of the first source's curve at the same x. Drop other
 * x, which would break the line, unless x are the cells of a table.
 */
static void divide_curve(
	struct plot_view *view, struct curve *curve, const struct curve *by)
{
	double **values[] = {&curve->median, &curve->low, &curve->high};
	bool drops = curve->place->drawn == CURVE_LINE && !curve->n_x_names;
	const double *x = curve->x;
	size_t n = 0;

	curve->x = scaled_values(view, curve->x, curve->n, 1);
	for (size_t v = 0; v < N_OF(values); v++)
		*values[v] = scaled_values(view, *values[v], curve->n, 1);
	for (size_t i = 0; i < curve->n; i++) {
		double divisor = curve_value_at(by, x[i]);

		if (drops && !(divisor > 0))
			continue;
		curve->x[n] = x[i];
		for (size_t v = 0; v < N_OF(values); v++)
			if (*values[v])
				(*values[v])[n] =
					divide_value((*values[v])[i], divisor);
		n++;
	}
	curve->n = n;
}

/* Curves that have one name, except for their sources. */
struct namesakes {
	const struct curve *one; /* the first of them */
	const struct curve *by;	 /* that of the first source; NULL: none */
	bool compared;		 /* another source has a ratio to it */
};

/* Return the namesakes of a curve; add them if they are new. */
static struct namesakes *find_namesakes(
	struct namesakes *all, size_t *n, const struct curve *curve)
{
	size_t i = 0;

	while (i < *n && !(curve_same_panel(all[i].one, curve) &&
				 text_same(all[i].one->facts.variant,
					 curve->facts.variant)))
		i++;
	if (i == *n)
		all[(*n)++] = (struct namesakes){.one = curve};
	return &all[i];
}

/* Return a panel's title, with the unit if only units differ between panels. */
static const char *family_of_unit(struct plot_view *view,
	const struct namesakes *all, size_t n, const struct curve *curve)
{
	for (size_t k = 0; k < n; k++) {
		struct curve other = *all[k].one;

		other.facts.y_unit = curve->facts.y_unit;
		if (curve_same_panel(&other, curve) &&
			!curve_same_panel(all[k].one, curve))
			return arena_format(&view->memory, "%s (%s)",
				curve->facts.family, curve->facts.y_unit);
	}
	return curve->facts.family;
}

/* Convert curves to ratios, and drop curves that only one source has. */
static void make_curves_relative(struct plot_view *view, const char *unit)
{
	size_t all = view->n_curves, n = 0;
	const struct curve *before =
		arena_copy(&view->memory, view->curves, all, sizeof(*before));
	struct namesakes *names =
		arena_alloc(&view->memory, all, sizeof(*names));
	struct namesakes **of =
		arena_alloc(&view->memory, all, sizeof(struct namesakes *));
	bool *compared = arena_alloc(&view->memory, all, sizeof(*compared));

	for (size_t i = 0; i < all; i++) {
		of[i] = find_namesakes(names, &n, &before[i]);
		if (text_same(before[i].facts.member, view->sources->name))
			of[i]->by = &before[i];
	}
	for (size_t i = 0; i < all; i++) {
		compared[i] = of[i]->by && of[i]->by != &before[i] &&
			      has_ratio(&before[i], of[i]->by);
		of[i]->compared |= compared[i];
	}
	view->n_curves = 0;
	for (size_t i = 0; i < all; i++) {
		struct curve *curve = &view->curves[view->n_curves];

		if (of[i]->by == &before[i] ? !of[i]->compared : !compared[i])
			continue;
		view->n_curves++;
		*curve = before[i];
		curve->facts.family =
			family_of_unit(view, names, n, &before[i]);
		divide_curve(view, curve, of[i]->by);
		curve->ceiling = NULL;
		curve->fit = NULL;
		curve->of_rates = curve_higher_is_better(&curve->facts);
		curve->facts.y_unit = unit;
		curve->facts.y_axis = CURVE_RATIOS;
	}
}

static int make_images_relative(
	struct plot_view *view, const char *unit, struct error *err)
{
	for (size_t k = view->n_images; k-- > 0;) {
		struct plot_image *image = &view->images[k];
		const struct plot_image *by = view->images;

		while (by < image &&
			!text_same(by->matrix.name, image->matrix.name))
			by++;
		if (by->source != view->images->source)
			return error_set(err, ERROR_USAGE, EINVAL,
				"--relative: %s has no matrix '%s' of %s: "
				"choose one with --matrix",
				view->images->source->name, image->matrix.name,
				image->source->name);
		if (!cpu_list_same(&image->cpus, &by->cpus))
			return error_set(err, ERROR_USAGE, EINVAL,
				"--relative: the matrices of %s and %s have "
				"different CPUs",
				by->source->name, image->source->name);
		for (size_t i = 0; i < image->cpus.n * image->cpus.n; i++)
			image->matrix.values[i] = divide_value(
				image->matrix.values[i], by->matrix.values[i]);
		image->matrix.unit = arena_strdup(&view->memory, unit);
	}
	view->noise = NAN;
	return 0;
}

int plot_view_make_relative(struct plot_view *view, struct error *err)
{
	const char *unit;

	if (view->n_sources < 2)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--relative compares several records or devices with "
			"the first, and this is one");
	unit = arena_format(&view->memory, "times %s", view->sources->name);
	if (view->n_images > 0)
		return make_images_relative(view, unit, err);
	view->n_bars = 0;
	make_curves_relative(view, unit);
	return view->n_curves > 0
		       ? 0
		       : error_set(err, ERROR_USAGE, EINVAL,
				 "--relative: no other one has a curve that %s "
				 "has",
				 view->sources->name);
}
