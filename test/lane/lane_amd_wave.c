/* SPDX-License-Identifier: MIT
 * The lanes of AMD's GPUs (cl/lane/lane.cl and its users in cl/group) against plain loops.
 * lane_amd.sh compiles it with lane_amd_wave.cl, for this machine, with the
 * number of lanes, the generation and the kind of trial. Work-items are contexts of one thread:
 * each runs until it meets the others. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { ITEMS = 128, RESULTS = 32, STACK = 1 << 16, ROUNDS = 8 };
enum { MAPS, WORDS, FLAGS };

typedef struct wave {
    uint32_t lanes;
    uint64_t in[ITEMS], masks[ITEMS], out[ITEMS][RESULTS];
    uint8_t heads[ITEMS];
} wave;

static wave the_wave = {.lanes = XL_LANES};
static ucontext_t scheduler, items[ITEMS];
static uint32_t words[ITEMS], current;
static unsigned long meetings[ITEMS]; /* so far, of each work-item */
static bool done[ITEMS];

/* ---- what lane_amd_wave.cl calls: OpenCL's functions by the names that clang gives them ---- */

void xl_test_wave(const uint64_t *in, const uint8_t *heads, const uint64_t *masks, uint64_t *out);
uint32_t xlt_read(uint32_t v, uint32_t from);
size_t local_id(uint32_t dimension) __asm__("_Z12get_local_idj");
size_t local_size(uint32_t dimension) __asm__("_Z14get_local_sizej");
uint32_t bits_of_word(uint32_t x) __asm__("_Z8popcountj");
uint64_t bits_of_long(uint64_t x) __asm__("_Z8popcountm");
uint32_t zeros_before_word(uint32_t x) __asm__("_Z3clzj");
uint64_t zeros_before(uint64_t x) __asm__("_Z3clzm");
uint32_t least(uint32_t a, uint32_t b) __asm__("_Z3minjj");
uint64_t least_long(uint64_t a, uint64_t b) __asm__("_Z3minmm");

size_t local_id(uint32_t dimension)
{
    return dimension == 0 ? current : 0;
}

size_t local_size(uint32_t dimension)
{
    return dimension == 0 ? ITEMS : 1;
}

uint32_t bits_of_word(uint32_t x)
{
    return (uint32_t)__builtin_popcount(x);
}

uint64_t bits_of_long(uint64_t x)
{
    return (uint64_t)__builtin_popcountll(x);
}

uint32_t zeros_before_word(uint32_t x)
{
    return x == 0 ? 32 : (uint32_t)__builtin_clz(x);
}

uint64_t zeros_before(uint64_t x)
{
    return x == 0 ? 64 : (uint64_t)__builtin_clzll(x);
}

uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint64_t least_long(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void meet(void)
{
    ++meetings[current];
    swapcontext(&items[current], &scheduler);
}

uint32_t xlt_read(uint32_t v, uint32_t from)
{
    words[current] = v;
    meet();
    const uint32_t there = words[current / XL_LANES * XL_LANES + from % XL_LANES];
    meet();
    return there;
}

static void item(void)
{
    wave *w = &the_wave;
    xl_test_wave(w->in, w->heads, w->masks, w->out[0]);
    done[current] = true;
}

static void fail(const char *what)
{
    printf("%d lanes, generation %d, kind %d: %s\n", XL_LANES, XLT_GENERATION, XLT_KIND, what);
    exit(1);
}

/* All work-items to their end, in turns; one that meets more or fewer than the others have missed
 * a move that all lanes make together. */
static void run(void)
{
    static char stacks[ITEMS][STACK];
    for (uint32_t i = 0; i < ITEMS; ++i) {
        getcontext(&items[i]);
        items[i].uc_stack.ss_sp = stacks[i];
        items[i].uc_stack.ss_size = STACK;
        items[i].uc_link = &scheduler;
        makecontext(&items[i], item, 0);
        done[i] = false;
    }
    do {
        for (current = 0; current < ITEMS; ++current)
            swapcontext(&scheduler, &items[current]);
        for (uint32_t i = 1; i < ITEMS; ++i)
            if (done[i] != done[0] || meetings[i] != meetings[0])
                fail("not all lanes make the same moves");
    } while (!done[0]);
}

static uint64_t next_random(void)
{
    static uint64_t state = 11;
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Two words, the lower one first, as xlt_after() of the kernel has them. */
static uint64_t after(uint64_t f, uint64_t g)
{
    const uint32_t fa = (uint32_t)f, fb = (uint32_t)(f >> 32);
    const uint32_t ga = (uint32_t)g, gb = (uint32_t)(g >> 32);
    return (uint64_t)(fb * ga + gb) << 32 | (uint32_t)(fa * ga);
}

static uint64_t fold(const wave *w, uint32_t from, uint32_t to)
{
    uint64_t all = 1;
    for (uint32_t i = from; i < to; ++i)
        all = after(all, w->in[i]);
    return all;
}

static void expect(const wave *w, const char *what, uint32_t i, uint64_t got, uint64_t wanted)
{
    char text[160];
    if (got == wanted)
        return;
    snprintf(text, sizeof text, "%s of work-item %u of %u lanes is %llx, not %llx", what,
             (unsigned)i, (unsigned)w->lanes, (unsigned long long)got, (unsigned long long)wanted);
    fail(text);
}

/* The nearest head at or below work-item i, or `first`. */
static uint32_t segment(const wave *w, uint32_t first, uint32_t i)
{
    while (i > first && !w->heads[i])
        --i;
    return i;
}

static void check_maps(const wave *w, uint32_t i, uint32_t first)
{
    const uint64_t *o = w->out[i];
    uint64_t down = 1;
    for (uint32_t k = w->lanes; k-- > 0;)
        down = after(down, w->in[first + k]);
    expect(w, "inclusive scan", i, o[0], fold(w, first, i + 1));
    expect(w, "exclusive scan", i, o[1], fold(w, first, i));
    expect(w, "reduction", i, o[2], fold(w, first, first + w->lanes));
    expect(w, "downward reduction", i, o[3], down);
    const uint32_t start = segment(w, first, i);
    expect(w, "segmented scan", i, o[4], fold(w, start, i + 1));
    expect(w, "exclusive segmented scan", i, o[5], fold(w, start, i));
    for (uint32_t width = 1, at = 6; width <= w->lanes; width *= 2, ++at) {
        const uint32_t row = i - i % width;
        uint32_t head = i;
        while (head > row && !(w->masks[i / w->lanes] >> (head - row) & 1))
            --head;
        expect(w, "scan of a row", i, o[at], fold(w, head, i + 1));
    }
}

static void check_words(const wave *w, uint32_t i, uint32_t first)
{
    const uint64_t *o = w->out[i];
    const uint32_t lane = i - first, lanes = w->lanes;
    const uint64_t *in = w->in + first;
    uint64_t votes = 0;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < lanes; ++k)
        votes |= (uint64_t)w->heads[first + k] << k;
    expect(w, "width", i, o[0], lanes);
    expect(w, "lane", i, o[1], lane);
    expect(w, "sub-group", i, o[2], i / lanes);
    expect(w, "number of sub-groups", i, o[3], ITEMS / lanes);
    expect(w, "ballot", i, o[4], votes);
    if (lane >= 1)
        expect(w, "the lane before", i, o[5], (uint32_t)in[lane - 1]);
    if (lane >= 5)
        expect(w, "five lanes before", i, o[6], (uint32_t)in[lane - 5]);
    if (lane + 1 < lanes)
        expect(w, "the next lane", i, o[7], (uint32_t)in[lane + 1]);
    if (lane + 17 < lanes)
        expect(w, "17 lanes on", i, o[8], (uint32_t)in[lane + 17]);
    expect(w, "the last lane", i, o[9], (uint32_t)in[lanes - 1]);
    expect(w, "any lane", i, o[10], (uint32_t)in[(7 * lane + 3) % lanes]);
    for (uint32_t k = 0; k < lanes; ++k) {
        sum += (uint32_t)in[k];
        if (k == lane)
            expect(w, "scan of words", i, o[11], sum);
    }
    expect(w, "sum of words", i, o[12], sum);
    for (uint32_t k = 1, at = 13; k < lanes; k *= 2, at += 2) {
        expect(w, "a butterfly", i, o[at], (uint32_t)in[lane ^ k]);
        expect(w, "a mirror", i, o[at + 1], (uint32_t)in[lane ^ (2 * k - 1)]);
    }
}

static void check_flags(const wave *w, uint32_t i, uint32_t first)
{
    const uint64_t *o = w->out[i];
    uint32_t before = 0, all = 0;
    bool head = false, heads = false;
    for (uint32_t k = first; k < first + w->lanes; ++k) {
        if (k == i)
            before = all, head = heads;
        all = (w->heads[k] ? 0 : all) + (uint32_t)w->in[k];
        heads = heads || w->heads[k];
    }
    expect(w, "sum before, by flags", i, o[0], before);
    expect(w, "flags before", i, o[1], i == first ? 0 : 2u + head);
    expect(w, "all of the row, by flags", i, o[2], all);
    expect(w, "flags of the row", i, o[3], 2u + heads);
}

/* Rounds: no head, all, one at the start of a row of 16, some. */
static void fill(wave *w, int round)
{
    for (uint32_t i = 0; i < ITEMS; ++i) {
        w->in[i] = next_random() | 1;
        w->masks[i] = round == 0 ? 0 : round == 1 ? UINT64_MAX : next_random();
        w->heads[i] = (uint8_t)(round == 1 || (round == 2 && i % 32 == 16) ||
                                (round >= 3 && next_random() % 8 == 0));
    }
}

int main(void)
{
    static void (*const checks[])(const wave *, uint32_t, uint32_t) = {
        [MAPS] = check_maps, [WORDS] = check_words, [FLAGS] = check_flags};
    wave *w = &the_wave;
    for (int round = 0; round < ROUNDS; ++round) {
        fill(w, round);
        run();
        for (uint32_t i = 0; i < ITEMS; ++i)
            checks[XLT_KIND](w, i, i - i % w->lanes);
    }
    return 0;
}
