#ifndef TABLE

/*
 * Each work-item follows a chain through constant memory, from its own number
 * on: each read returns the index of the next read. The array and the turns are
 * arguments, so the compiler can neither drop a read nor start it before the
 * previous one ends. One read outside the loop makes the number of reads odd,
 * so that no chain ends where it began.
 */
#define STEP(i) i = next[i];
#define FOUR	STEP(i) STEP(i) STEP(i) STEP(i)

__kernel void follow(
	__constant uint *next, __global uint *out, uint mask, uint turns)
{
	uint i = next[get_global_id(0) & mask];

	for (uint turn = 0; turn < turns; turn++) {
		FOUR FOUR FOUR FOUR
	}
	out[get_global_id(0)] = i;
}

/* Eight independent chains, an eighth of the array apart. */
#define EIGHT                                                                  \
	STEP(a) STEP(b) STEP(c) STEP(d) STEP(e) STEP(f) STEP(g) STEP(h)
#define FOUR_EIGHTS EIGHT EIGHT EIGHT EIGHT
#define BEGIN(k)    next[(i + (k) * apart) & mask]

__kernel void follow_eight(
	__constant uint *next, __global uint *out, uint mask, uint turns)
{
	uint i = get_global_id(0), apart = mask / 8 + 1;
	uint a = BEGIN(0), b = BEGIN(1), c = BEGIN(2), d = BEGIN(3);
	uint e = BEGIN(4), f = BEGIN(5), g = BEGIN(6), h = BEGIN(7);

	for (uint turn = 0; turn < turns; turn++) {
		FOUR_EIGHTS FOUR_EIGHTS FOUR_EIGHTS FOUR_EIGHTS
	}
	vstore8((uint8)(a, b, c, d, e, f, g, h), i, out);
}

#else

/*
 * All work-items read the same vectors of WORDS words (-D) of a table in the
 * program, whose words are TABLE. NVIDIA's compiler reads an argument in
 * constant memory like other memory. step is an argument with the value 0: if
 * all loops ended at the same known value, PoCL would run work-items in turns.
 * The compiler cannot drop a read: the rounds are an argument, and their number
 * is odd, so that the reads do not cancel out by XOR.
 */
#define JOIN(a, b)  a##b
#define TYPE(words) JOIN(uint, words)
#define vector	    TYPE(WORDS)

__constant uint table[] __attribute__((aligned(64))) = {TABLE};

#define READ(j, t) t ^= p[j];

__kernel void read_same(
	__global vector *out, uint vectors, uint step, uint rounds)
{
	uint at = get_local_id(0) * step, end = at + rounds * vectors;
	vector t0 = 0, t1 = 0, t2 = 0, t3 = 0;

	for (; at != end; at += 16) {
		__constant const vector *p =
			(__constant const vector *)table + (at & (vectors - 1));

		READ(0, t0) READ(1, t1) READ(2, t2) READ(3, t3)
		READ(4, t0) READ(5, t1) READ(6, t2) READ(7, t3)
		READ(8, t0) READ(9, t1) READ(10, t2) READ(11, t3)
		READ(12, t0) READ(13, t1) READ(14, t2) READ(15, t3)
	}
	out[get_global_id(0)] = t0 ^ t1 ^ t2 ^ t3;
}

#endif
