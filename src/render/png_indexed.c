#include "render/png_indexed.h"

/* Maximum bytes of a stored block of deflate. */
#define STORED 65535

/* The state of the base64 encoder and of both checksums. */
struct png_stream {
	FILE *out;
	uint32_t crc;		/* CRC of the chunk */
	uint32_t adler, adler2; /* Adler-32 of the image */
	uint32_t bits;
	unsigned n_bits;
};

static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_png_byte(struct png_stream *png, uint8_t byte)
{
	png->crc ^= byte;
	for (int i = 0; i < 8; i++)
		png->crc = png->crc >> 1 ^ (png->crc & 1 ? 0xEDB88320 : 0);
	png->bits = png->bits << 8 | byte;
	for (png->n_bits += 8; png->n_bits >= 6;) {
		png->n_bits -= 6;
		putc(base64_digits[png->bits >> png->n_bits & 63], png->out);
	}
}

static void put_png_number(struct png_stream *png, size_t number)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		put_png_byte(png, (uint8_t)(number >> shift));
}

static void begin_png_chunk(
	struct png_stream *png, size_t bytes, const char *name)
{
	put_png_number(png, bytes);
	png->crc = UINT32_MAX;
	for (int i = 0; i < 4; i++)
		put_png_byte(png, (uint8_t)name[i]);
}

static void end_png_chunk(struct png_stream *png)
{
	put_png_number(png, ~png->crc);
}

/* Return a byte of the image: a line is a filter byte (0) and its cells. */
static uint8_t png_image_byte(const struct canvas_image *image, size_t i)
{
	size_t row = i / (image->columns + 1),
	       column = i % (image->columns + 1);

	return column == 0 ? 0
			   : image->cells[row * image->columns + column - 1];
}

static void put_png_image(
	struct png_stream *png, const struct canvas_image *image)
{
	size_t bytes = (image->columns + 1) * image->rows;
	size_t blocks = (bytes + STORED - 1) / STORED;

	begin_png_chunk(png, 2 + 5 * blocks + bytes + 4, "IDAT");
	put_png_byte(png, 0x78);
	put_png_byte(png, 0x01);
	for (size_t i = 0; i < bytes; i++) {
		uint8_t byte = png_image_byte(image, i);

		if (i % STORED == 0) {
			size_t left = bytes - i < STORED ? bytes - i : STORED;

			put_png_byte(png, bytes - i <= STORED);
			put_png_byte(png, (uint8_t)left);
			put_png_byte(png, (uint8_t)(left >> 8));
			put_png_byte(png, (uint8_t)~left);
			put_png_byte(png, (uint8_t)(~left >> 8));
		}
		png->adler = (png->adler + byte) % 65521;
		png->adler2 = (png->adler2 + png->adler) % 65521;
		put_png_byte(png, byte);
	}
	put_png_number(png, (size_t)png->adler2 << 16 | png->adler);
	end_png_chunk(png);
}

void png_write_base64(const struct canvas_image *image, FILE *out)
{
	static const uint8_t signature[] = {
		0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
	/* 8-bit indices; compression, filter and interlace are 0. */
	static const uint8_t kind[] = {8, 3, 0, 0, 0};
	struct png_stream png = {.out = out, .adler = 1};

	for (size_t i = 0; i < sizeof(signature); i++)
		put_png_byte(&png, signature[i]);
	begin_png_chunk(&png, 13, "IHDR");
	put_png_number(&png, image->columns);
	put_png_number(&png, image->rows);
	for (size_t i = 0; i < sizeof(kind); i++)
		put_png_byte(&png, kind[i]);
	end_png_chunk(&png);
	begin_png_chunk(&png, 3 * CANVAS_SHADES, "PLTE");
	for (size_t i = 0; i < CANVAS_SHADES; i++) {
		for (int shift = 16; shift >= 0; shift -= 8)
			put_png_byte(
				&png, (uint8_t)(image->palette[i] >> shift));
	}
	end_png_chunk(&png);
	put_png_image(&png, image);
	begin_png_chunk(&png, 0, "IEND");
	end_png_chunk(&png);
	if (png.n_bits > 0) {
		putc(base64_digits[png.bits << (6 - png.n_bits) & 63], out);
		fputs(png.n_bits == 4 ? "=" : "==", out);
	}
}
