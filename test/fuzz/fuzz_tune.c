/* SPDX-License-Identifier: MIT
 * Fuzz target: any bytes as a tuning file. Either values or an error that names the file. */
#include "fuzz_target.h"
#include "tune.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    xli_tuning *tuning = NULL;
    xli_text why = {0};
    char *text = malloc(size + 1);
    FUZZ_HOLDS(text);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    const xl_status status = xli_tuning_parse("the.tune", text, size, &why, &tuning);
    if (status == XL_SUCCESS) {
        FUZZ_HOLDS(tuning && !memchr(data ? data : (const uint8_t *)"", 0, size));
        FUZZ_HOLDS(!why.data);
        for (size_t i = 0; i < XLI_TUNABLES; ++i)
            FUZZ_HOLDS(!tuning->given[i] ||
                       xli_tunable_takes(&xli_tunables[i],
                                         xli_tunable_value(&xli_tunables[i], &tuning->tune)));
        xli_free(tuning);
    } else {
        FUZZ_HOLDS(status == XL_ERROR_INVALID_ARGUMENT && !tuning);
        FUZZ_HOLDS(strstr(why.data, "the.tune"));
    }
    xli_text_free(&why);
    free(text);
    return 0;
}
