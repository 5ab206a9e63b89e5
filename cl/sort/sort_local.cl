/* SPDX-License-Identifier: MIT
 * Local memory of a tile, which a kernel must declare: keys and, if there are values or places or a
 * word orders equal keys, words beside them. */
#include "../prelude/prelude_key.cl"

#if XL_KEY_KIND == 3
#define XL_SORT_LOCAL_KEY XL_KEY
#else
#define XL_SORT_LOCAL_KEY XL_ORDINAL
#endif
#define XL_SORT_HAS_WORDS (XL_SORT_VALUES || (!XL_SERIAL && (XL_SORT_STABLE || XL_KEY_KIND == 3)))
#define XL_SORT_DECLARE_LOCAL                                                                      \
    __local XL_SORT_LOCAL_KEY local_keys[XL_SORT_LOCAL];                                           \
    __local uint local_words[XL_SORT_HAS_WORDS ? XL_SORT_LOCAL : 1];                               \
    const xl_sort_local tile = {local_keys, local_words};
