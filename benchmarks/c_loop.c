/* The rule in two passes over the sides: count each player's games, then compute K and sum the changes. */

#include <stdint.h>
#include <stdlib.h>

enum { NEW = 40, JUNIOR = 40, NORMAL = 20, MASTER = 10, NEW_UNTIL = 30, JUNIOR_UNTIL = 18, LIMIT = 700, CAP = 400, CAP_BELOW = 2650 };

static uint64_t place(int64_t fide_id, uint64_t mask) {
    uint64_t mixed = (uint64_t)fide_id * 0x9E3779B97F4A7C15u;
    return (mixed ^ (mixed >> 32)) & mask;
}

/* Arrow stores Booleans as bits. */
static int bit(const uint8_t *bits, int64_t at) { return bits[at >> 3] >> (at & 7) & 1; }

/* Returns the number of players written, -1 where a side's player is not in the state, -2 without memory.
   sides: fide_id, rating, opponent, halves; state: ids .. birth_year; out: the last five. */
int64_t rate(int64_t sides, const int64_t *fide_id, const int32_t *rating,
             const int32_t *opponent, const int32_t *halves, int64_t players, const int64_t *ids,
             const int32_t *games_played, const uint8_t *reached_2400, const uint8_t *reached_2300,
             const int32_t *birth_year, int32_t year, const int32_t *higher, int32_t last,
             int64_t *out_id, int32_t *out_games, int32_t *out_k, int32_t *out_hundredths,
             int32_t *out_change) {
    uint64_t slots = 16;
    while (slots < 2 * (uint64_t)players) slots *= 2;
    const uint64_t mask = slots - 1;
    int32_t *table = malloc(slots * sizeof *table), *player = malloc((size_t)(sides + 1) * sizeof *player);
    int32_t *games = calloc((size_t)players + 1, sizeof *games), *k = malloc(((size_t)players + 1) * sizeof *k);
    int32_t *hundredths = calloc((size_t)players + 1, sizeof *hundredths);
    int64_t written = table && player && games && k && hundredths ? 0 : -2;
    if (written == 0) {
        for (uint64_t at = 0; at < slots; at++) table[at] = -1;
        for (int64_t one = 0; one < players; one++) {
            uint64_t at = place(ids[one], mask);
            while (table[at] >= 0) at = (at + 1) & mask;
            table[at] = (int32_t)one;
        }
    }
    for (int64_t side = 0; side < sides && written == 0; side++) {
        uint64_t at = place(fide_id[side], mask);
        while (table[at] >= 0 && ids[table[at]] != fide_id[side]) at = (at + 1) & mask;
        if (table[at] < 0) {
            written = -1;
        } else {
            player[side] = table[at];
            games[table[at]]++;
        }
    }
    if (written == 0) {
        for (int64_t one = 0; one < players; one++) {
            int32_t unlimited = bit(reached_2400, one) ? MASTER
                : year - birth_year[one] <= JUNIOR_UNTIL && !bit(reached_2300, one) ? JUNIOR
                : games_played[one] < NEW_UNTIL ? NEW : NORMAL;
            k[one] = unlimited * games[one] > LIMIT ? LIMIT / games[one] : unlimited;
        }
        for (int64_t side = 0; side < sides; side++) {
            int32_t used = rating[side] - opponent[side];
            if (rating[side] < CAP_BELOW) used = used > CAP ? CAP : used < -CAP ? -CAP : used;
            int32_t above = used < 0 ? -used : used;
            int32_t score = higher[above > last ? last : above];
            hundredths[player[side]] += k[player[side]] * (halves[side] * 50 - (used < 0 ? 100 - score : score));
        }
        for (int64_t one = 0; one < players; one++) {
            if (!games[one]) continue;
            int32_t exact = hundredths[one];
            out_id[written] = ids[one];
            out_games[written] = games[one];
            out_k[written] = k[one];
            out_hundredths[written] = exact;
            /* halves away from zero: C divides towards zero */
            out_change[written++] = exact < 0 ? (exact - 50) / 100 : (exact + 50) / 100;
        }
    }
    free(table);
    free(player);
    free(games);
    free(k);
    free(hundredths);
    return written;
}
