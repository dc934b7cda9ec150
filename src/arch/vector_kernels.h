/*
 * The functions of arch/vector.h for one width of registers. The including file
 * defines
 *
 *   NAME(x)            x followed by the width; WIDTH is its name as a string
 *   STORAGE            static, unless other files use its struct arch_vector
 *   TARGET             the attribute that lets the compiler use these registers
 *   BYTES              the size of a register, 8 for single words
 *   REGISTER           the constraint that names these registers
 *   NT_STORE(p, v)     a store of numbers that bypasses the caches
 *   NT_PAIR(p, v, w)   optional: one store of two adjacent registers
 *   NT_END()           what must follow the last of these stores
 *
 * and includes it once for each width. This file undefines these macros at its
 * end. The compiler's vector types let one source serve all widths. All stores
 * and the loads of words are volatile, because the compiler must not use wider
 * registers or call memcpy() instead.
 */

#ifndef NT_PAIR
#define NT_PAIR(p, v, w) (NT_STORE(p, v), NT_STORE((p) + 1, w))
#endif

#if BYTES == 8
typedef double NAME(numbers) __attribute__((may_alias));
typedef uint64_t NAME(words) __attribute__((may_alias));
typedef const volatile NAME(numbers) NAME(source);
typedef const volatile NAME(words) NAME(source_words);
typedef float NAME(floats);
#else
typedef double NAME(numbers) VECTOR_OF(BYTES);
typedef uint64_t NAME(words) VECTOR_OF(BYTES);
typedef const NAME(numbers) NAME(source);
typedef const NAME(words) NAME(source_words);
typedef float NAME(floats)
	__attribute__((vector_size(BYTES), aligned(4), may_alias));
#endif

#define STEP_BYTES (4 * BYTES)

/*
 * Number of registers after the last whole step, 0 for narrow registers,
 * because sizes are multiples of 64 bytes.
 */
#define LEFT(bytes) (BYTES > 16 ? (bytes) % STEP_BYTES / BYTES : 0)

/* Use four registers in a step, the most that a core loads in one clock. */
static TARGET void NAME(fill)(void *to, size_t bytes, uint64_t word)
{
	volatile NAME(words) *p = to;
	volatile NAME(words) *steps = p + bytes / STEP_BYTES * 4;
	NAME(words) value = {0};

	value += word;
	for (; p < steps; p += 4) {
		p[0] = value;
		p[1] = value;
		p[2] = value;
		p[3] = value;
	}
	for (size_t left = LEFT(bytes); left > 0; left--)
		*p++ = value;
}

static TARGET uint64_t NAME(read)(const void *from, size_t bytes)
{
	NAME(source_words) *p = from;
	NAME(source_words) *steps = p + bytes / STEP_BYTES * 4;
	NAME(words) a = {0}, b = a, c = a, d = a;
	uint64_t words[BYTES / 8], all = 0;

	for (; p < steps; p += 4) {
		a ^= p[0];
		b ^= p[1];
		c ^= p[2];
		d ^= p[3];
	}
	for (size_t left = LEFT(bytes); left > 0; left--)
		a ^= *p++;
	a ^= b ^ c ^ d;
	memcpy(words, &a, BYTES);
	for (size_t i = 0; i < BYTES / 8; i++)
		all ^= words[i];
	return all;
}

static TARGET void NAME(stream)(
	void *restrict to, const void *restrict from, size_t bytes)
{
	NAME(source) *p = from;
	NAME(source) *steps = p + bytes / STEP_BYTES * 4;
	NAME(numbers) *q = to;

	for (; p < steps; p += 4, q += 4) {
		NAME(numbers) a = p[0], b = p[1], c = p[2], d = p[3];

		NT_PAIR(q, a, b);
		NT_PAIR(q + 2, c, d);
	}
	for (size_t left = LEFT(bytes); left > 0; left--)
		NT_STORE(q++, *p++);
	NT_END();
}

static TARGET void NAME(add)(const float *a, const float *b, float *c, size_t n)
{
	size_t i = 0, step = sizeof(NAME(floats)) / 4;

	for (; i + step <= n; i += step)
		*(volatile NAME(floats) *)(c + i) =
			*(const NAME(floats) *)(a + i) +
			*(const NAME(floats) *)(b + i);
	for (; i < n; i++)
		c[i] = a[i] + b[i];
}

/*
 * The loops that measure rates. ROUND() prevents the compiler from removing a
 * round. LOOP() aligns the body of a loop to 64 bytes, after its setup.
 */
#define FOUR(x)		x(0) x(1) x(2) x(3)
#define EIGHT(x)	FOUR(x) x(4) x(5) x(6) x(7)
#define EVEN(x)		x(0) x(2) x(4) x(6)
#define SECOND_EIGHT(x) x(8) x(9) x(10) x(11) x(12) x(13) x(14) x(15)
#define LOOP(...)	__asm__ volatile(".p2align 6" : __VA_ARGS__)
#define ROUND()		__asm__ volatile("" : : : "memory")
#if BYTES == 64
#define LOADS(x) FOUR(x)
#else
#define LOADS(x) EIGHT(x)
#endif

/*
 * Only load, because an XOR of the data would reduce the rate by a third.
 * Intel's cores load 64 bytes 3 % faster with four loads a turn than with
 * eight; AMD's Zen 3 loads 32 bytes up to 8 % faster with eight (bench/).
 */
static RACY TARGET void NAME(rate_read)(const struct arch_arrays *arrays)
{
	const NAME(numbers) *begin = arrays->a;
	const NAME(numbers) *end = begin + arrays->bytes / BYTES;

	for (size_t rounds = arrays->rounds; rounds > 0; rounds--) {
		const NAME(numbers) *a = begin;

		LOOP("+r"(a));
		do {
#define STEP(i) __asm__ volatile("" : : REGISTER(a[i]));
			LOADS(STEP)
#undef STEP
			a += BYTES == 64 ? 4 : 8;
		} while (a < end);
		ROUND();
	}
}

static RACY TARGET void NAME(rate_write)(const struct arch_arrays *arrays)
{
	volatile NAME(numbers) *begin = arrays->a;
	volatile NAME(numbers) *end = begin + arrays->bytes / BYTES;
	NAME(numbers) value = {0};

	value += arrays->value;
	for (size_t rounds = arrays->rounds; rounds > 0; rounds--) {
		volatile NAME(numbers) *a = begin;

		LOOP("+r"(a));
		do {
#define STEP(i) a[i] = value;
			EIGHT(STEP)
#undef STEP
			a += 8;
		} while (a < end);
	}
}

/*
 * Write with sixteen registers in each turn. The L2 of an AMD Zen 5 takes 56
 * bytes a clock in some runs of the same loop, and 43 in others. With sixteen
 * registers, most runs are fast; with eight, few.
 */
static RACY TARGET void NAME(write_long)(const struct arch_arrays *arrays)
{
	volatile NAME(numbers) *begin = arrays->a;
	volatile NAME(numbers) *end = begin + arrays->bytes / BYTES;
	bool odd = arrays->bytes / BYTES % 16 > 0;
	NAME(numbers) value = {0};

	value += arrays->value;
	for (size_t rounds = arrays->rounds; rounds > 0; rounds--) {
		volatile NAME(numbers) *a = begin;

#define STEP(i) a[i] = value;
		if (odd) {
			EIGHT(STEP)
			a += 8;
		}
		LOOP("+r"(a));
		while (a < end) {
			EIGHT(STEP)
			SECOND_EIGHT(STEP)
			a += 16;
		}
#undef STEP
	}
}

static RACY TARGET void NAME(rate_copy)(const struct arch_arrays *arrays)
{
	NAME(source) *begin = arrays->b;
	NAME(source) *end = begin + arrays->bytes / BYTES;

	for (size_t rounds = arrays->rounds; rounds > 0; rounds--) {
		NAME(source) *b = begin;
		volatile NAME(numbers) *a = arrays->a;

		LOOP("+r"(a), "+r"(b));
		do {
#define STEP(i) a[i] = b[i];
			EIGHT(STEP)
#undef STEP
			a += 8;
			b += 8;
		} while (b < end);
		ROUND();
	}
}

static RACY TARGET void NAME(rate_triad)(const struct arch_arrays *arrays)
{
	NAME(source) *begin = arrays->b;
	NAME(source) *end = begin + arrays->bytes / BYTES;

	for (size_t rounds = arrays->rounds; rounds > 0; rounds--) {
		NAME(source) *b = begin;
		NAME(source) *c = arrays->c;
		volatile NAME(numbers) *a = arrays->a;

		LOOP("+r"(a), "+r"(b), "+r"(c));
		do {
#define STEP(i) a[i] = b[i] + 3 * c[i];
			EIGHT(STEP)
#undef STEP
			a += 8;
			b += 8;
			c += 8;
		} while (b < end);
		ROUND();
	}
}

static RACY TARGET void NAME(rate_nt_write)(const struct arch_arrays *arrays)
{
	NAME(numbers) *begin = arrays->a;
	NAME(numbers) *end = begin + arrays->bytes / BYTES;
	NAME(numbers) value = {0};

	value += arrays->value;
	for (size_t rounds = arrays->rounds; rounds > 0; rounds--) {
		NAME(numbers) *a = begin;

		LOOP("+r"(a));
		do {
#define STEP(i) NT_PAIR(a + (i), value, value);
			EVEN(STEP)
#undef STEP
			a += 8;
		} while (a < end);
		ROUND();
	}
	NT_END();
}

static RACY TARGET void NAME(rate_nt_copy)(const struct arch_arrays *arrays)
{
	NAME(source) *begin = arrays->b;
	NAME(source) *end = begin + arrays->bytes / BYTES;

	for (size_t rounds = arrays->rounds; rounds > 0; rounds--) {
		NAME(source) *b = begin;
		NAME(numbers) *a = arrays->a;

		LOOP("+r"(a), "+r"(b));
		do {
#define STEP(i) NT_PAIR(a + (i), b[i], b[(i) + 1]);
			EVEN(STEP)
#undef STEP
			a += 8;
			b += 8;
		} while (b < end);
		ROUND();
	}
	NT_END();
}

STORAGE const struct arch_vector NAME(arch_vector) = {
	.name = WIDTH,
	.bytes = BYTES,
	.fill = NAME(fill),
	.read = NAME(read),
	.stream = NAME(stream),
	.add = NAME(add),
	.write_long = NAME(write_long),
	.rate = {NAME(rate_read), NAME(rate_write), NAME(rate_copy),
		NAME(rate_triad), NAME(rate_nt_write), NAME(rate_nt_copy)},
};

#undef LEFT
#undef STEP_BYTES
#undef LOADS
#undef ROUND
#undef LOOP
#undef SECOND_EIGHT
#undef EVEN
#undef EIGHT
#undef FOUR
#undef NAME
#undef WIDTH
#undef STORAGE
#undef TARGET
#undef BYTES
#undef REGISTER
#undef NT_STORE
#undef NT_PAIR
#undef NT_END
