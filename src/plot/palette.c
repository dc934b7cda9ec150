/*
 * Palettes, interpolated between anchors, and the colour of text on them.
 */
#include "plot/palette.h"

#include <math.h>
#include <stddef.h>

/* Dark to bright, equally spaced. */
static const uint32_t anchors[] = {0x440154, 0x482878, 0x3E4A89, 0x31688E,
	0x26828E, 0x1F9E89, 0x35B779, 0x6DCD59, 0xB4DE2C, 0xFDE725};

/* Better to worse, equally spaced. */
static const uint32_t differences[] = {0x2D004B, 0x542788, 0x8073AC, 0xB2ABD2,
	0xD8DAEB, 0xF7F7F7, 0xFEE0B6, 0xFDB863, 0xE08214, 0xB35806, 0x7F3B08};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* One channel, at this bit, at a share of the way from a to b. */
static uint8_t mix(uint32_t a, uint32_t b, unsigned bits, double share)
{
	double from = a >> bits & 0xFF, to = b >> bits & 0xFF;

	return (uint8_t)lround(from + share * (to - from));
}

static struct palette_colour between(
	const uint32_t *colours, size_t n, double share)
{
	size_t last = n - 1;
	double place = fmin(fmax(share, 0), 1) * (double)last;
	size_t i = place < (double)last ? (size_t)place : last - 1;
	uint32_t a = colours[i], b = colours[i + 1];

	place -= (double)i;
	return (struct palette_colour){
		mix(a, b, 16, place), mix(a, b, 8, place), mix(a, b, 0, place)};
}

struct palette_colour palette_at(double share)
{
	return between(anchors, N_OF(anchors), share);
}

struct palette_colour palette_difference_at(double share)
{
	return between(differences, N_OF(differences), share);
}

/* One channel of sRGB as light. */
static double linear(uint8_t channel)
{
	double c = channel / 255.0;

	return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

double palette_luminance(struct palette_colour colour)
{
	return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) +
	       0.0722 * linear(colour.blue);
}

struct palette_colour palette_ink(struct palette_colour background)
{
	double luminance = palette_luminance(background);

	/* Contrast is (brighter + 0.05) / (darker + 0.05) there too. */
	if (1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05)
		return (struct palette_colour){255, 255, 255};
	return (struct palette_colour){0, 0, 0};
}
