
#include "cl/cl_caches.h"
#include "cl/images.h"
#include "cl/memory/formats.h"
#include "machine/memory.h"

/*
 * Sizes on devices other than CPUs: 2 KiB are contiguous at 16 bytes, and a
 * group has 8 KiB. First-level caches of today have at least 16 KiB for a unit.
 */
#define GPU_PITCH	 64
#define GPU_GROUP	 256
#define GPU_SLICE_BYTES	 ((size_t)8192)
#define GPU_SLICES	 2
#define GPU_SHARED_BYTES ((size_t)16 << 20)

/* Memory on CPUs, in sizes of all last-level caches, if known. */
#define CACHES 4
/* Slices of each CPU: a thread that wakes late has fewer of them. */
#define CPU_SLICES     4
#define CPU_LEAST_PART ((size_t)4096)

#define CPU_LEAST_BYTES	 ((size_t)32 << 20)
#define CPU_MOST_BYTES	 ((size_t)1 << 30)
#define QUICK_MOST_BYTES ((size_t)128 << 20)
#define USUAL_L1_BYTES	 ((size_t)32 << 10)
#define USUAL_L2_BYTES	 ((size_t)512 << 10)

/* Return a power of two up to wanted, within these bounds. */
static size_t power_of_two_within(uint64_t wanted, size_t least, size_t most)
{
	size_t bytes = least;

	while (bytes * 2 <= wanted && bytes * 2 <= most)
		bytes *= 2;
	return bytes;
}

static void formats_add_amount(struct formats_state *formats, size_t bytes,
	size_t slice, const char *each)
{
	struct formats_amount *amount = &formats->amounts[formats->n_amounts++];
	struct session *session = formats->session;
	size_t held = theory_unit_items(&session->theory) / formats->group;

	*amount = (struct formats_amount){.bytes = bytes,
		.slice_bytes = slice,
		.images = formats->images};
	amount->groups = bytes / slice;
	if (!session->is_cpu && slice == bytes)
		amount->groups = session->units * (held ? held : 1);
	amount->name = session_text(session, "%s%s",
		session_bytes(session, each ? bytes / session->units : bytes),
		each ? each : "");
}

/*
 * Return a CPU's part of the largest amount. Together the parts are at least
 * CACHES times the last-level caches, or as much as --size allows.
 */
static size_t formats_outer_part(const struct session *session)
{
	size_t units = session->units;
	size_t caches = session->options->quick ? CACHES / 2 : CACHES;
	uint64_t wanted = caches * session_llc_bytes(session);
	size_t most = session_size(session, session->options->quick
						    ? QUICK_MOST_BYTES
						    : CPU_MOST_BYTES) /
		      units;
	size_t part = CPU_LEAST_PART;

	if (wanted < CPU_LEAST_BYTES || session->options->size_bytes)
		wanted = session_size(session, CPU_LEAST_BYTES);
	most = min_size(
		most, CPU_SLICES * FORMATS_MOST_WORDS * sizeof(cl_uint));
	while (part * units < wanted && 2 * part <= most)
		part *= 2;
	return part;
}

/* Report if the largest amount fits the caches (--quick, --size, limits). */
static void formats_report_cached(const struct formats_state *formats)
{
	const struct formats_amount *last =
		&formats->amounts[formats->n_amounts - 1];
	struct session *session = formats->session;
	uint64_t held = session_llc_bytes(session);

	if (last->bytes <= held)
		session_add_finding(session,
			"%s, the largest amount, fits the last-level caches "
			"(%s in all): its rates are those of caches, not of "
			"memory",
			last->name, session_bytes(session, held));
}

/* Choose half of both inner caches of each CPU, and more than all caches. */
static void choose_cpu_amounts(struct formats_state *formats)
{
	struct session *session = formats->session;
	const struct cpu_list *cpus = session->options->cpus;
	uint64_t l1 = caches_bytes(session->machine, cpus, 1) / cpus->n;
	uint64_t l2 = caches_bytes(session->machine, cpus, 2) / cpus->n;
	size_t units = session->units, part;

	l1 = power_of_two_within(
		(l1 ? l1 : USUAL_L1_BYTES) / 2, CPU_LEAST_PART, 1 << 20);
	l2 = power_of_two_within(
		(l2 ? l2 : USUAL_L2_BYTES) / 2, CPU_LEAST_PART, 64 << 20);
	part = formats_outer_part(session);
	formats_add_amount(formats, l1 * units, l1 / CPU_SLICES, " a CPU");
	if (l2 > l1 && l2 < part)
		formats_add_amount(
			formats, l2 * units, l2 / CPU_SLICES, " a CPU");
	if (part > l1) {
		formats_add_amount(
			formats, part * units, part / CPU_SLICES, NULL);
		formats->amounts[formats->n_amounts - 1].images = false;
		formats->amounts[formats->n_amounts - 1].once = true;
	}
	formats_report_cached(formats);
}

static void choose_gpu_amounts(struct formats_state *formats)
{
	const struct session *session = formats->session;
	size_t bytes = SESSION_GPU_BYTES, slices = GPU_SLICES * session->units;

	while (bytes > GPU_SHARED_BYTES &&
		(bytes > session->max_alloc_bytes ||
			4.0 * (double)bytes >
				MEMORY_SHARE * (double)session->global_bytes))
		bytes /= 2;
	bytes = session_size(session, bytes);
	formats_add_amount(
		formats, slices * GPU_SLICE_BYTES, GPU_SLICE_BYTES, " a unit");
	if (bytes > GPU_SHARED_BYTES)
		formats_add_amount(
			formats, GPU_SHARED_BYTES, GPU_SHARED_BYTES, NULL);
	formats_add_amount(formats, bytes, bytes, NULL);
}

/* Return whether both kinds of image take that width in both types. */
static bool formats_takes_width(
	const struct session *session, const struct formats_width *width)
{
	for (size_t type = 0; type < TYPES; type++) {
		const cl_image_format format = {
			width->order, formats_types[type].channel};

		if (!images_have_format(
			    session, CL_MEM_OBJECT_IMAGE2D, &format) ||
			!images_have_format(
				session, CL_MEM_OBJECT_IMAGE1D_BUFFER, &format))
			return false;
	}
	return true;
}

/* Choose the elements of images, and report why some are left out. */
static void choose_image_widths(struct formats_state *formats)
{
	struct session *session = formats->session;
	struct text_list lacks = {.text = NULL};
	const char *text;

	if (!session_fact(session, CL_DEVICE_IMAGE_SUPPORT)) {
		session_add_finding(session,
			"images are left out: this device has none "
			"(CL_DEVICE_IMAGE_SUPPORT)");
		return;
	}
	for (size_t i = 0; i < WIDTHS; i++) {
		unsigned bytes =
			formats_widths[i].words * (unsigned)sizeof(cl_uint);

		if (!formats_widths[i].order ||
			!formats_has_width(session, &formats_widths[i]))
			continue;
		if (formats_takes_width(session, &formats_widths[i]))
			formats->image_words[formats->n_image++] = bytes;
		else
			text_list_add(&lacks, ", ", "%u", bytes);
	}
	formats->images = formats->n_image > 0;
	text = session_list_text(session, &lacks);
	if (*text)
		session_add_finding(session,
			"images with elements of these bytes are left out, "
			"because the device lacks their formats: %s",
			text);
}

/* Leave out images that would have more elements than the device allows. */
static void limit_images(struct formats_state *formats)
{
	struct session *session = formats->session;
	size_t most = session_fact(session, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
	size_t width = session_fact(session, CL_DEVICE_IMAGE2D_MAX_WIDTH);
	size_t height = session_fact(session, CL_DEVICE_IMAGE2D_MAX_HEIGHT);

	for (size_t i = 0; i < formats->n_amounts && formats->images; i++) {
		struct formats_amount *amount = &formats->amounts[i];
		size_t elements = amount->bytes / formats->image_words[0];
		size_t log = formats_log_width(elements);

		if (!amount->images) {
			session_add_finding(session,
				"images of %s are left out: on a CPU they are "
				"software, which memory does not slow down",
				amount->name);
			continue;
		}
		amount->images = elements <= most &&
				 (size_t)1 << log <= width &&
				 elements >> log <= height;
		if (!amount->images)
			session_add_finding(session,
				"images of %s are left out: they would have "
				"more elements than the device allows",
				amount->name);
	}
}

void formats_choose(struct formats_state *formats)
{
	struct session *session = formats->session;

	formats->group = formats->pitch = 1;
	if (!session->is_cpu) {
		formats->group =
			power_of_two_within(session->max_group, 1, GPU_GROUP);
		formats->pitch =
			power_of_two_within(formats->group, 1, GPU_PITCH);
	}
	choose_image_widths(formats);
	if (session->is_cpu)
		choose_cpu_amounts(formats);
	else
		choose_gpu_amounts(formats);
	limit_images(formats);
}
