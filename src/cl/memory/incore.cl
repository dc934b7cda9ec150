/*
 * A work-item has 1 to 8 chains. Each operation of a chain waits for the
 * previous one. The host defines S (the type of a number), T (S or a vector of
 * it) and STARTS.
 *
 * The compiler may combine a product and a sum only in fma(), because the host
 * has to compute equal results. The compiler knows no value: starts come from
 * memory; constants and turns are arguments. The result of every chain is
 * stored.
 */
#if defined(cl_khr_fp64) && __OPENCL_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

/*
 * One step of a chain; every eighth step may first do something else. The
 * changing number is the divisor, because a compiler could replace a division
 * by p by a product with 1 / p.
 */
#define FMA(x, p, q)  x = fma(x, p, q);
#define DIV(x, p, q)  x = p / x;
#define SQRT(x, p, q) x = sqrt(x);

#define NOTHING(j)
/* Eight square roots bring a number close to 1, so raise it again. */
#define RAISE(j) x##j *= c;

#define CHAINS_1(DO) DO(0)
#define CHAINS_2(DO) CHAINS_1(DO) DO(1)
#define CHAINS_3(DO) CHAINS_2(DO) DO(2)
#define CHAINS_4(DO) CHAINS_3(DO) DO(3)
#define CHAINS_5(DO) CHAINS_4(DO) DO(4)
#define CHAINS_6(DO) CHAINS_5(DO) DO(5)
#define CHAINS_7(DO) CHAINS_6(DO) DO(6)
#define CHAINS_8(DO) CHAINS_7(DO) DO(7)

#define BEGIN(j) T x##j = in[g % STARTS] + (S)j;

/* Two steps of all chains; NAME names the operation. */
#define ODD(NAME, j)  NAME(x##j, a, c)
#define EVEN(NAME, j) NAME(x##j, b, d)
#define FMA_ODD(j)    ODD(FMA, j)
#define FMA_EVEN(j)   EVEN(FMA, j)
#define DIV_ODD(j)    ODD(DIV, j)
#define DIV_EVEN(j)   EVEN(DIV, j)
#define SQRT_ODD(j)   ODD(SQRT, j)
#define SQRT_EVEN(j)  EVEN(SQRT, j)

#define TWO(CHAINS, NAME) CHAINS(NAME##_ODD) CHAINS(NAME##_EVEN)

#define KERNEL(name, NAME, FIRST, n)                                           \
	__kernel void name##_##n(__global const T *in, __global T *out, S a1,  \
		S b1, S c1, S d1, uint turns)                                  \
	{                                                                      \
		size_t g = get_global_id(0);                                   \
		T a = a1, b = b1, c = c1, d = d1;                              \
		CHAINS_##n(BEGIN)                                              \
		for (uint i = 0; i < turns; i++) {                             \
			CHAINS_##n(FIRST)                                      \
			TWO(CHAINS_##n, NAME) TWO(CHAINS_##n, NAME)            \
			TWO(CHAINS_##n, NAME) TWO(CHAINS_##n, NAME)            \
		}                                                              \
		out += g * n;                                                  \
		CHAINS_##n(END)                                                \
	}

#define END(j) out[j] = x##j;

#define KERNELS(name, NAME, FIRST)                                             \
	KERNEL(name, NAME, FIRST, 1)                                           \
	KERNEL(name, NAME, FIRST, 2)                                           \
	KERNEL(name, NAME, FIRST, 4)                                           \
	KERNEL(name, NAME, FIRST, 8)

/* An implementation may have a macro with the function's name. */
KERNELS(fmas, FMA, NOTHING)
KERNELS(divs, DIV, NOTHING)
KERNELS(sqrts, SQRT, RAISE)

#ifdef FINE
#define BETWEEN(name, NAME, FIRST)                                             \
	KERNEL(name, NAME, FIRST, 3)                                           \
	KERNEL(name, NAME, FIRST, 5)                                           \
	KERNEL(name, NAME, FIRST, 6)                                           \
	KERNEL(name, NAME, FIRST, 7)

BETWEEN(fmas, FMA, NOTHING)
BETWEEN(divs, DIV, NOTHING)
BETWEEN(sqrts, SQRT, RAISE)
#endif
