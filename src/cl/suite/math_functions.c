/*
 * The built-in functions of table 1: how a kernel calls each, its arguments,
 * the correct result, and the error that OpenCL 1.2 allows (section 7.4, full
 * profile). The tables of single and double precision differ only in division
 * and sqrt(), so one bound serves both. A function that is correctly rounded or
 * has 0 ulp there has 0 here. Arguments avoid poles and overflow, and have both
 * signs if possible.
 *
 * A second result through a pointer is added or subtracted, so that the device
 * computes it. Each result of sincos() may be 4 ulp off. For these arguments
 * that is two ulp of their sum, for each; the sum is also rounded. lgamma() is
 * not in the tables; its bound is c2c's choice, narrow enough to detect a wrong
 * function.
 */
#include <math.h>
#include <stdbool.h>

#include "cl/suite/math.h"

#define UNBOUNDED 8192

/* Arguments: the lowest, and the span. */
#define RANGE(low, span) low, span
#define ANY		 -4, 8
#define ABOVE		 0.5, 8
#define UNIT		 -0.75, 2

/* Pi; only glibc has M_PIl. */
#define PI 3.141592653589793238462643383279502884L

/* Return sin(pi x) without the error of pi near whole numbers. */
static long double sin_pi(long double x)
{
	long double n = rintl(x), y = sinl(PI * (x - n));

	return fmodl(n, 2) != 0 ? -y : y;
}

static long double frexp_of(long double x)
{
	int exponent;
	long double y = frexpl(x, &exponent);

	return y + exponent;
}

static long double modf_of(long double x)
{
	long double whole, part = modfl(x, &whole);

	return part - whole;
}

/* Return remquo(): its quotient has at least three bits, and is below 8. */
static long double remquo_of(long double x, long double b)
{
	int quotient;
	long double y = remquol(x, b, &quotient);

	return y + quotient;
}

/* Return the next number. Its distance is an exact power of two. */
static long double nextafter_of(long double x, long double b, bool is_double)
{
	return is_double ? (long double)nextafter((double)x, (double)b)
			 : (long double)nextafterf((float)x, (float)b);
}

/*
 * Calls F(name, row of table 1, whether --quick has it, range, second argument
 * b, ulp, body in OpenCL C, right result). A function of one or two arguments
 * with the same name on the host needs no body.
 */
#define OWN(F, name, row, quick, range, b, ulp, body, right)                   \
	F(name, row, quick, range, b, ulp, body, right)
#define ONE(F, name, row, quick, range, ulp)                                   \
	F(name, row, quick, range, 0, ulp, "return " #name "(x);", name##l(x))
#define TWO(F, name, row, quick, range, b, ulp)                                \
	F(name, row, quick, range, b, ulp, "return " #name "(x, b);",          \
		name##l(x, b))

/* cppcheck expands arguments before it counts them. */
/* clang-format off */
/* cppcheck-suppress preprocessorErrorDirective */
#define FUNCTIONS(F)                                                           \
	TWO(F, fmax, 2, false, ANY, -1, 0)				       \
	TWO(F, fmin, 2, false, ANY, -1, 0)				       \
	ONE(F, sin, 3, true, ANY, 4)					       \
	ONE(F, asin, 3, false, UNIT, 4)					       \
	ONE(F, cos, 3, false, ANY, 4)					       \
	ONE(F, acos, 3, false, UNIT, 4)					       \
	ONE(F, tan, 3, false, ANY, 5)					       \
	ONE(F, atan, 3, false, ANY, 5)					       \
	ONE(F, exp, 4, false, ANY, 3)					       \
	ONE(F, log, 4, false, ABOVE, 3)				       \
	OWN(F, rsqrt, 4, false, ABOVE, 0, 2, "return rsqrt(x);", 1 / sqrtl(x))  \
	OWN(F, fract, 4, false, ANY, 0, 0,				       \
		"T t, y = fract(x, &t); return y - t;", x - 2 * floorl(x))     \
	OWN(F, frexp, 4, false, ABOVE, 0, 0,				       \
		"T y = frexp(x, &k); return y + TO_T(k);", frexp_of(x))	       \
	TWO(F, hypot, 4, false, ANY, 1.5, 4)				       \
	OWN(F, ldexp, 4, false, ANY, 0, 0,				       \
		"return ldexp(x, k);", ldexpl(x, MATH_K))		       \
	ONE(F, exp10, 4, false, ANY, 3)					       \
	OWN(F, ilogb, 4, false, ABOVE, 0, 0,				       \
		"return TO_T(ilogb(x));", ilogbl(x))			       \
	ONE(F, log10, 4, false, ABOVE, 3)				       \
	ONE(F, sinh, 5, false, ANY, 4)					       \
	ONE(F, cosh, 5, false, ANY, 4)					       \
	ONE(F, tanh, 5, false, ANY, 5)					       \
	ONE(F, asinh, 5, false, ANY, 4)					       \
	ONE(F, acosh, 5, false, RANGE(1.5, 8), 4)			       \
	ONE(F, atanh, 5, false, UNIT, 5)				       \
	OWN(F, asinpi, 5, false, UNIT, 0, 5,				       \
		"return asinpi(x);", asinl(x) / PI)			       \
	OWN(F, acospi, 5, false, UNIT, 0, 5,				       \
		"return acospi(x);", acosl(x) / PI)			       \
	OWN(F, atanpi, 5, false, ANY, 0, 5,				       \
		"return atanpi(x);", atanl(x) / PI)			       \
	ONE(F, cbrt, 6, false, ANY, 2)					       \
	ONE(F, ceil, 6, false, ANY, 0)					       \
	TWO(F, copysign, 6, false, ANY, -1, 0)				       \
	ONE(F, fabs, 6, false, ANY, 0)					       \
	TWO(F, fdim, 6, false, ANY, -1, 0)				       \
	ONE(F, floor, 6, false, ANY, 0)					       \
	OWN(F, fma, 6, false, ANY, 1.5, 0,				       \
		"return fma(x, x, b);", fmal(x, x, b))			       \
	TWO(F, fmod, 6, false, ANY, 0.75, 0)				       \
	TWO(F, atan2, 7, false, ANY, 1.5, 6)				       \
	OWN(F, atan2pi, 7, false, ANY, 1.5, 6,				       \
		"return atan2pi(x, b);", atan2l(x, b) / PI)		       \
	OWN(F, sinpi, 7, false, ANY, 0, 4, "return sinpi(x);", sin_pi(x))      \
	OWN(F, cospi, 7, false, ANY, 0, 4,				       \
		"return cospi(x);", sin_pi(x + 0.5L))			       \
	OWN(F, tanpi, 7, false, RANGE(-0.25, 0.5), 0, 6,		       \
		"return tanpi(x);", sin_pi(x) / sin_pi(x + 0.5L))	       \
	OWN(F, sincos, 7, false, RANGE(0.25, 1), 0, 4.5,		       \
		"T t, y = sincos(x, &t); return y + t;", sinl(x) + cosl(x))    \
	ONE(F, log1p, 8, false, RANGE(-0.5, 8), 2)			       \
	ONE(F, logb, 8, false, ABOVE, 0)				       \
	OWN(F, modf, 8, false, ANY, 0, 0,				       \
		"T t, y = modf(x, &t); return y - t;", modf_of(x))	       \
	ONE(F, lgamma, 8, false, RANGE(3, 8), UNBOUNDED)		       \
	TWO(F, remainder, 8, false, ANY, 0.75, 0)			       \
	ONE(F, rint, 8, false, ANY, 0)					       \
	ONE(F, round, 8, false, ANY, 0)					       \
	ONE(F, trunc, 8, false, ANY, 0)					       \
	ONE(F, erfc, 9, false, RANGE(-2, 4), 16)			       \
	ONE(F, erf, 9, false, RANGE(-2, 4), 16)				       \
	ONE(F, expm1, 9, false, ANY, 3)					       \
	OWN(F, nextafter, 9, false, ABOVE, 100, 0,			       \
		"return nextafter(x, b) - x;", nextafter_of(x, b, is_double) - x)   \
	OWN(F, pown, 9, false, ABOVE, 0, 16,				       \
		"return pown(x, k);", powl(x, MATH_K))			       \
	OWN(F, powr, 9, false, ABOVE, 1.75, 16,			       \
		"return powr(x, b);", powl(x, b))			       \
	OWN(F, remquo, 9, false, ANY, 0.75, 0,				       \
		"T y = remquo(x, b, &k); return y + TO_T(k);", remquo_of(x, b))  \
	OWN(F, rootn, 9, false, ABOVE, 0, 16,				       \
		"return rootn(x, k);", powl(x, 1 / (long double)MATH_K))       \
	ONE(F, tgamma, 9, false, ABOVE, 16)
/* clang-format on */

#define RIGHT(name, row, quick, low, span, second, ulp, body, right)           \
	static long double right_##name(                                       \
		long double x, long double b, bool is_double)                  \
	{                                                                      \
		(void)b;                                                       \
		(void)is_double;                                               \
		return right;                                                  \
	}

#define ROW(name, row, quick, low, span, second, ulp, body, right)             \
	{#name, row, quick, body, low, span, second, ulp, right_##name},

FUNCTIONS(RIGHT)

const struct math_function math_functions[] = {FUNCTIONS(ROW)};

const size_t math_n_functions = N_OF(math_functions);
