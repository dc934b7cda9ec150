/*
 * Measure the clock of an NVIDIA unit with two registers that only inline PTX
 * can read. One work-item counts clocks until the timer, which counts in ns,
 * has advanced far enough. The timer has steps of up to a microsecond, so the
 * kernel reads it twice right after a step. If the timer does not advance, a
 * limit on clocks ends the loop. For other compilers this file has no kernel.
 */
#ifdef __NV_CL_C_VERSION

#define MOST_CLOCKS 20000000

#define REGISTER(name, at) asm volatile("mov.u64 %0, %%" name ";" : "=l"(at))

__kernel void count_clocks(__global ulong *out, uint ns)
{
	ulong before, first, last, start, now;

	REGISTER("clock64", start);
	REGISTER("globaltimer", before);
	do {
		REGISTER("globaltimer", first);
		REGISTER("clock64", now);
	} while (first == before && now - start < MOST_CLOCKS);
	start = now;
	do {
		REGISTER("globaltimer", last);
		REGISTER("clock64", now);
	} while (last - first < ns && now - start < MOST_CLOCKS);
	out[0] = now - start;
	out[1] = last - first;
}

#endif
