/*
 * Interpolates palettes between anchors, and chooses the colour of text on
 * them.
 */
#include "figure/palette.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/array.h"

#define MOST_ANCHORS 11
#define CODES	     17

struct palette {
	size_t n;
	uint32_t anchors[MOST_ANCHORS]; /* [n] equally spaced */
	uint8_t of_16[MOST_ANCHORS];	/* codes that replace the colours */
	/*
	 * The nearest of 256 colours in Oklab (B. Ottosson, 2020) at equal
	 * shares. (The nearest in RGB would be grey between purple and blue.)
	 */
	uint8_t of_256[CODES];
};

static const struct palette palettes[] = {
	[PALETTE_VIRIDIS] = {10,
		{0x440154, 0x482878, 0x3E4A89, 0x31688E, 0x26828E, 0x1F9E89,
			0x35B779, 0x6DCD59, 0xB4DE2C, 0xFDE725},
		{4, 4, 5, 5, 6, 6, 10, 10, 11, 11},
		{53, 53, 54, 24, 24, 24, 24, 30, 30, 36, 36, 71, 77, 113, 148,
			184, 220}},
	[PALETTE_CIVIDIS] = {9,
		{0x00224E, 0x1A386F, 0x434E6C, 0x61656F, 0x7D7C78, 0x9B9476,
			0xBCAE6C, 0xDEC958, 0xFEE838},
		{4, 4, 8, 8, 8, 3, 3, 11, 11},
		{17, 236, 237, 238, 239, 240, 241, 242, 244, 102, 246, 144, 143,
			179, 185, 220, 220}},
	[PALETTE_MAGMA] = {9,
		{0x000004, 0x1D1147, 0x51127C, 0x832681, 0xB73779, 0xE75263,
			0xFC8961, 0xFEC488, 0xFCFDBF},
		{0, 4, 4, 5, 5, 1, 9, 11, 15},
		{16, 233, 17, 53, 54, 54, 90, 126, 125, 168, 167, 203, 209, 216,
			222, 223, 229}},
	[PALETTE_DIFFERENCE] = {11,
		{0x2D004B, 0x542788, 0x8073AC, 0xB2ABD2, 0xD8DAEB, 0xF7F7F7,
			0xFEE0B6, 0xFDB863, 0xE08214, 0xB35806, 0x7F3B08},
		{4, 4, 5, 13, 13, 15, 11, 11, 3, 1, 1},
		{17, 54, 54, 97, 139, 146, 252, 254, 231, 255, 223, 215, 208,
			172, 130, 130, 88}},
};

/* Black, white: the colours of letters. */
static const struct palette inks = {
	2, {0x000000, 0xFFFFFF}, {0, 15}, {16, 231}};

/* Interpolate the channel at this bit between colours a and b. */
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

struct palette_colour palette_at(enum palette_kind kind, double share)
{
	return interpolate_colours(
		palettes[kind].anchors, palettes[kind].n, share);
}

void palette_write(struct palette_colour colour, char text[PALETTE_BYTES])
{
	snprintf(text, PALETTE_BYTES, "#%02X%02X%02X", colour.red, colour.green,
		colour.blue);
}

/* Return the linear light of an sRGB channel. */
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

static int colour_distance(struct palette_colour a, struct palette_colour b)
{
	int red = a.red - b.red, green = a.green - b.green,
	    blue = a.blue - b.blue;

	return red * red + green * green + blue * blue;
}

/* Return the code of an ink, or of the nearest equally spaced colour. */
static unsigned find_nearest_code(
	enum palette_kind kind, struct palette_colour colour, bool few)
{
	const struct palette *const both[] = {&palettes[kind], &inks};
	int nearest = 3 * 256 * 256;
	unsigned number = 0;

	for (size_t p = 0; p < N_OF(both); p++) {
		const struct palette *palette = both[p];
		size_t n = few || p ? palette->n : CODES;

		for (size_t i = 0; i < n; i++) {
			int far = colour_distance(
				colour, interpolate_colours(palette->anchors,
						palette->n,
						(double)i / (double)(n - 1)));

			if (far >= nearest)
				continue;
			nearest = far;
			number = few ? palette->of_16[i] : palette->of_256[i];
		}
	}
	return number;
}

/* Return a channel of the cube of colours 16 to 231. */
static uint8_t cube_channel(unsigned step)
{
	return (uint8_t)(step ? 55 + 40 * step : 0);
}

unsigned palette_256(enum palette_kind kind, struct palette_colour *colour)
{
	unsigned number = find_nearest_code(kind, *colour, false),
		 cube = number - 16;
	uint8_t grey = (uint8_t)(8 + 10 * (number - 232));

	*colour = number >= 232
			  ? (struct palette_colour){grey, grey, grey}
			  : (struct palette_colour){cube_channel(cube / 36),
				    cube_channel(cube / 6 % 6),
				    cube_channel(cube % 6)};
	return number;
}

unsigned palette_16(enum palette_kind kind, struct palette_colour *colour)
{
	/* The colours of xterm; other terminals have similar colours. */
	static const uint32_t shown[] = {0x000000, 0xCD0000, 0x00CD00, 0xCDCD00,
		0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5, 0x7F7F7F, 0xFF0000,
		0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF};
	unsigned number = find_nearest_code(kind, *colour, true);

	*colour = (struct palette_colour){(uint8_t)(shown[number] >> 16),
		(uint8_t)(shown[number] >> 8), (uint8_t)shown[number]};
	return number;
}

struct palette_colour palette_ink(struct palette_colour background)
{
	double luminance = palette_luminance(background);

	/* Contrast (also WCAG 2.1) is (brighter + 0.05) / (darker + 0.05). */
	if (1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05)
		return (struct palette_colour){255, 255, 255};
	return (struct palette_colour){0, 0, 0};
}
