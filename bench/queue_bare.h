/*
 * The bare loops of queue.c, as a programmer writes them by hand: without a
 * call, and with a constant chunk size. queue.c includes this file once for
 * each register width. It defines WIDTH (bytes of a register), TARGET (the
 * attribute that lets the compiler use these registers) and NAME() (makes the
 * name of a function).
 */
typedef uint64_t NAME(wide) __attribute__((vector_size(WIDTH), may_alias));

struct NAME(chunk) {
	_Alignas(LINE_BYTES) _Atomic uint64_t ready;
	_Alignas(LINE_BYTES) NAME(wide) data[];
};

TARGET static inline __attribute__((always_inline)) void NAME(write_n)(
	char *at, size_t n, size_t bytes, uint64_t generation)
{
	for (size_t i = 0; i < n; i++, at += LINE_BYTES + bytes) {
		struct NAME(chunk) *chunk = (void *)at;

		for (size_t j = 0; j < bytes / WIDTH; j++)
			chunk->data[j] = (NAME(wide)){0} + ~i;
		atomic_store_explicit(
			&chunk->ready, generation, memory_order_release);
	}
}

TARGET static inline __attribute__((always_inline)) void NAME(read_n)(
	const char *at, size_t n, size_t bytes, uint64_t generation)
{
	NAME(wide) all = {0};

	for (size_t i = 0; i < n; i++, at += LINE_BYTES + bytes) {
		const struct NAME(chunk) *chunk = (const void *)at;

		while (atomic_load_explicit(&chunk->ready,
			       memory_order_acquire) != generation)
			;
		for (size_t j = 0; j < bytes / WIDTH; j++)
			all ^= chunk->data[j];
	}
	/* Without this use, the compiler would remove the reads. */
	__asm__ volatile("" : : "m"(all));
}

TARGET static void NAME(write)(
	char *at, size_t n, size_t bytes, uint64_t generation)
{
	switch (bytes) {
	case 64:
		NAME(write_n)(at, n, 64, generation);
		break;
	case 512:
		NAME(write_n)(at, n, 512, generation);
		break;
	case 4096:
		NAME(write_n)(at, n, 4096, generation);
		break;
	default:
		NAME(write_n)(at, n, 65536, generation);
	}
}

TARGET static void NAME(read)(
	const char *at, size_t n, size_t bytes, uint64_t generation)
{
	switch (bytes) {
	case 64:
		NAME(read_n)(at, n, 64, generation);
		break;
	case 512:
		NAME(read_n)(at, n, 512, generation);
		break;
	case 4096:
		NAME(read_n)(at, n, 4096, generation);
		break;
	default:
		NAME(read_n)(at, n, 65536, generation);
	}
}

#undef WIDTH
#undef TARGET
#undef NAME
