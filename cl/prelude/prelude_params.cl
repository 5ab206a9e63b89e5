/* SPDX-License-Identifier: MIT
 * The values that each call passes to the caller's expressions: a kernel's last argument, which
 * functions get in a struct or as their last parameter. */
#ifndef XL_PRELUDE_PARAMS
#define XL_PRELUDE_PARAMS

#if XL_PARAM_WORDS > 0
#define XL_PARAMS_ARGUMENT , xl_params params
#define XL_PARAMS_PASS , params
#define XL_PARAMS_MAKE(s) (s).params = params;
#define XL_PARAMS_OF(s) , (s)->params
#else
#define XL_PARAMS_ARGUMENT
#define XL_PARAMS_PASS
#define XL_PARAMS_MAKE(s)
#define XL_PARAMS_OF(s)
#endif

#endif
