/*
 * Palettes, interpolated between anchors, and the colour of text on them.
 */
#include "plot/palette.h"

#include <math.h>
#include <stddef.h>

#include "util/array.h"

/* Dark to bright, equally spaced. */
static const uint32_t anchors[] = {0x440154, 0x482878, 0x3E4A89, 0x31688E,
	0x26828E, 0x1F9E89, 0x35B779, 0x6DCD59, 0xB4DE2C, 0xFDE725};

/* Better to worse, equally spaced. */
static const uint32_t differences[] = {0x2D004B, 0x542788, 0x8073AC, 0xB2ABD2,
	0xD8DAEB, 0xF7F7F7, 0xFEE0B6, 0xFDB863, 0xE08214, 0xB35806, 0x7F3B08};

/* One channel, at this bit, at a share of the way from a to b. */
static uint8_t mix_colour_channel(
	uint32_t a, uint32_t b, unsigned bits, double share)
{
	double from = a >> bits & 0xFF, to = b >> bits & 0xFF;

	return (uint8_t)lround(from + share * (to - from));
}

static struct palette_colour interpolate_colours(
	const uint32_t *colours, size_t n, double share)
{
	size_t last = n - 1;
	double place = fmin(fmax(share, 0), 1) * (double)last;
	size_t i = place < (double)last ? (size_t)place : last - 1;
	uint32_t a = colours[i], b = colours[i + 1];

	place -= (double)i;
	return (struct palette_colour){mix_colour_channel(a, b, 16, place),
		mix_colour_channel(a, b, 8, place),
		mix_colour_channel(a, b, 0, place)};
}

struct palette_colour palette_at(double share)
{
	return interpolate_colours(anchors, N_OF(anchors), share);
}

struct palette_colour palette_difference_at(double share)
{
	return interpolate_colours(differences, N_OF(differences), share);
}

/* One channel of sRGB as light. */
static double linear_from_srgb(uint8_t channel)
{
	double c = channel / 255.0;

	return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

double palette_luminance(struct palette_colour colour)
{
	return 0.2126 * linear_from_srgb(colour.red) +
	       0.7152 * linear_from_srgb(colour.green) +
	       0.0722 * linear_from_srgb(colour.blue);
}

static struct palette_colour colour_from_code(uint32_t code)
{
	return (struct palette_colour){
		(uint8_t)(code >> 16), (uint8_t)(code >> 8), (uint8_t)code};
}

static int colour_distance(struct palette_colour a, struct palette_colour b)
{
	int red = a.red - b.red, green = a.green - b.green,
	    blue = a.blue - b.blue;

	return red * red + green * green + blue * blue;
}

/* The step of the cube that is nearest to one channel. */
static unsigned cube_step(uint8_t *channel)
{
	/* The values between the steps 0, 95, 135, 175, 215 and 255. */
	static const uint8_t between_steps[] = {47, 114, 154, 194, 234};
	unsigned step = 0;

	while (step < N_OF(between_steps) && *channel > between_steps[step])
		step++;
	*channel = (uint8_t)(step ? 55 + 40 * step : 0);
	return step;
}

unsigned palette_256(struct palette_colour *colour)
{
	unsigned red = cube_step(&colour->red),
		 green = cube_step(&colour->green);

	return 16 + 36 * red + 6 * green + cube_step(&colour->blue);
}

unsigned palette_16(struct palette_colour *colour)
{
	/* As xterm shows them; users choose others, but keep their order. */
	static const uint32_t shown[] = {0x000000, 0xCD0000, 0x00CD00, 0xCDCD00,
		0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5, 0x7F7F7F, 0xFF0000,
		0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF};
	static const uint8_t of_anchors[N_OF(anchors)] = {
		4, 4, 5, 5, 6, 6, 10, 10, 11, 11};
	static const uint8_t of_differences[N_OF(differences)] = {
		4, 4, 5, 13, 13, 15, 11, 11, 3, 1, 1};
	static const uint8_t inks[] = {0, 15};
	const struct {
		const uint32_t *codes;
		const uint8_t *numbers;
		size_t n;
	} tables[] = {{anchors, of_anchors, N_OF(anchors)},
		{differences, of_differences, N_OF(differences)},
		{(const uint32_t[]){0x000000, 0xFFFFFF}, inks, N_OF(inks)}};
	int nearest = 3 * 256 * 256;
	unsigned number = 0;

	for (size_t t = 0; t < N_OF(tables); t++) {
		for (size_t i = 0; i < tables[t].n; i++) {
			int far = colour_distance(
				*colour, colour_from_code(tables[t].codes[i]));

			if (far >= nearest)
				continue;
			nearest = far;
			number = tables[t].numbers[i];
		}
	}
	*colour = colour_from_code(shown[number]);
	return number;
}

struct palette_colour palette_ink(struct palette_colour background)
{
	double luminance = palette_luminance(background);

	/* Contrast is (brighter + 0.05) / (darker + 0.05) there too. */
	if (1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05)
		return (struct palette_colour){255, 255, 255};
	return (struct palette_colour){0, 0, 0};
}
