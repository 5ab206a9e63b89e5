/* SPDX-License-Identifier: MIT
 * Fuzz target: any bytes as a tuning file. Either values or an error that names the file. */
#include "fuzz_target.h"
#include "private.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    xli_tuning *tuning = NULL;
    char *text = malloc(size + 1);
    FUZZ_HOLDS(text);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    const xl_status status = xli_tuning_parse("the.tune", text, size, &tuning);
    if (status == XL_SUCCESS) {
        FUZZ_HOLDS(tuning && !memchr(data ? data : (const uint8_t *)"", 0, size));
        xli_free(tuning);
    } else {
        FUZZ_HOLDS(status == XL_ERROR_INVALID_ARGUMENT && !tuning);
        FUZZ_HOLDS(strstr(xl_context_error(NULL), "the.tune"));
    }
    free(text);
    return 0;
}
