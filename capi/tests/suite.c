/* Scores the cases of tests/data/tricky.jsonl and of data/see-suite.txt, compares batches with
 * single calls, and tries what must be refused: suite CASES FENS. A line of CASES: FEN, move, five
 * values, the SEE under each profile, separated by tabs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "swaplist.h"

enum { MOST = 8192, PROFILES = 4 };

static int faults;

#define CHECK(claim, ...)                             \
    do {                                              \
        if (!(claim)) {                               \
            faults++;                                 \
            printf("%d: %s: ", __LINE__, #claim);     \
            printf(__VA_ARGS__);                      \
            printf("\n");                             \
        }                                             \
    } while (0)

#define IS(code, call) CHECK((call) == SWAPLIST_STATUS_##code, "another status")

static const swaplist_rules *const CPW = NULL;
static swaplist_position positions[MOST];
static swaplist_move moves[MOST];
static size_t count;

static swaplist_move uci(const char *text) {
    static const char pieces[] = "nbrq";
    const char *piece = text[4] ? strchr(pieces, text[4]) : NULL;
    swaplist_move parsed;
    parsed.from = (uint8_t)(text[0] - 'a' + 8 * (text[1] - '1'));
    parsed.to = (uint8_t)(text[2] - 'a' + 8 * (text[3] - '1'));
    parsed.promotion = (uint8_t)(piece ? SWAPLIST_PROMOTION_KNIGHT + (piece - pieces) : 0);
    return parsed;
}

static FILE *opened(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(2);
    }
    return file;
}

static void score_suite(const char *path) {
    char line[512], fen[128], played[8];
    FILE *file = opened(path);
    for (count = 0; fgets(line, sizeof line, file); count++) {
        swaplist_rules rules = {0, {0}};
        int *values = rules.values, expected[PROFILES];
        int fields = sscanf(line, "%127[^\t] %7s %d %d %d %d %d %d %d %d %d", fen, played, &values[0],
                            &values[1], &values[2], &values[3], &values[4], &expected[0],
                            &expected[1], &expected[2], &expected[3]);
        CHECK(fields == 11, "%s", line);
        IS(OK, swaplist_from_fen(fen, strlen(fen), &positions[count]));
        moves[count] = uci(played);
        for (rules.profile = 0; rules.profile < PROFILES; rules.profile++) {
            int32_t see = 1 << 30, wanted = expected[rules.profile];
            bool reached = false, exceeded = true;
            IS(OK, swaplist_see(&rules, &positions[count], moves[count], &see));
            CHECK(see == wanted, "%d instead of %d: %s", (int)see, (int)wanted, line);
            IS(OK, swaplist_see_ge(&rules, &positions[count], moves[count], wanted, &reached));
            IS(OK, swaplist_see_ge(&rules, &positions[count], moves[count], wanted + 1, &exceeded));
            CHECK(reached && !exceeded, "%s", line);
        }
    }
    fclose(file);
    CHECK(count > 117 + 150, "%zu cases", count);
}

static bool same(swaplist_best a, swaplist_best b) {
    return a.see == b.see && a.exists == b.exists && a.move.from == b.move.from &&
           a.move.to == b.move.to && a.move.promotion == b.move.promotion;
}

/* The batch of the positions and moves that are there now. */
static void compare_batches(void) {
    static int32_t sees[MOST];
    static bool reached[MOST], quiet[MOST];
    static swaplist_verdict verdicts[MOST];
    static uint64_t words[4 * MOST + PROFILES];
    swaplist_rules rules = {0, {208, 781, 825, 1276, 2538}};
    for (rules.profile = 0; rules.profile < PROFILES; rules.profile++) {
        /* Each with another alignment, of which one is that of Rust's positions. */
        swaplist_position *moved = (swaplist_position *)(words + rules.profile);
        memcpy(moved, positions, count * sizeof *moved);
        IS(OK, swaplist_see_batch(&rules, moved, moves, count, sees));
        IS(OK, swaplist_see_ge_batch(&rules, moved, moves, count, 1, reached));
        IS(OK, swaplist_is_quiet_batch(&rules, moved, count, quiet));
        IS(OK, swaplist_judge_batch(&rules, moved, count, 1, verdicts));
        for (size_t i = 0; i < count; i++) {
            int32_t see = 1 << 30;
            bool alone = false;
            swaplist_verdict verdict;
            IS(OK, swaplist_see(&rules, &positions[i], moves[i], &see));
            CHECK(sees[i] == see && reached[i] == (see >= 1), "%zu", i);
            IS(OK, swaplist_is_quiet(&rules, &positions[i], &alone));
            IS(OK, swaplist_judge(&rules, &positions[i], 1, &verdict));
            bool wins = verdict.best.exists && verdict.best.see > 0;
            CHECK(quiet[i] == alone && alone == (!verdict.in_check && !wins), "%zu", i);
            CHECK(same(verdicts[i].best, verdict.best), "%zu", i);
            CHECK(same(verdicts[i].threat, verdict.threat), "%zu", i);
            CHECK(verdicts[i].noisy == verdict.noisy && verdicts[i].threats == verdict.threats &&
                      verdicts[i].in_check == verdict.in_check, "%zu", i);
            moves[i] = verdict.best.move; /* for the next profile */
        }
    }
}

static swaplist_status of_fen(const char *fen) {
    swaplist_position position;
    return swaplist_from_fen(fen, strlen(fen), &position);
}

static void refuse(void) {
    swaplist_position position = positions[0];
    swaplist_move played = moves[0], off = {64, 0, 0}, odd = {8, 0, 1}, king = {8, 0, 6};
    swaplist_rules fifth = {4, {0}}, negative = {-1, {0}}, dear = {0, {0, 0, 0, 0, 30001}};
    uint64_t roles[6] = {0}, colors[2] = {1, 2};
    int32_t see = 7;
    bool flag;
    IS(NULL_POINTER, swaplist_from_fen(NULL, 1, &position));
    IS(NULL_POINTER, swaplist_from_fen("", 0, NULL));
    IS(BAD_FEN, swaplist_from_fen(NULL, 0, &position));
    IS(TOO_MANY, swaplist_from_fen("", SIZE_MAX, &position));
    IS(BAD_FEN, of_fen("4k3/8/8/8/8/8/8/4K3"));
    IS(BAD_FEN, of_fen("4k3/8/\xff\xfe/8/8/8/8/4K3 w - - 0 1"));
    IS(KING_COUNT, of_fen("4k3/8/8/8/8/8/8/8 w - - 0 1"));
    IS(PAWN_ON_BACK_RANK, of_fen("4k2P/8/8/8/8/8/8/4K3 w - - 0 1"));
    IS(TOO_MANY_PIECES, of_fen("rnbqkbnr/pppppppp/p7/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"));
    IS(OPPOSITE_CHECK, of_fen("4k3/8/8/8/8/8/8/4RK2 w - - 0 1"));
    IS(BAD_BITBOARDS, swaplist_from_bitboards(roles, colors, 1, 64, &position));
    IS(NULL_POINTER, swaplist_from_bitboards(NULL, colors, 1, 64, &position));
    IS(NULL_POINTER, swaplist_from_bitboards(roles, NULL, 1, 64, &position));
    IS(NULL_POINTER, swaplist_see(CPW, NULL, played, &see));
    IS(NULL_POINTER, swaplist_see(CPW, &position, played, NULL));
    IS(BAD_MOVE, swaplist_see(CPW, &position, off, &see));
    IS(BAD_MOVE, swaplist_see_ge(CPW, &position, odd, 0, &flag));
    IS(BAD_MOVE, swaplist_see_batch(CPW, &position, &king, 1, &see));
    IS(BAD_PROFILE, swaplist_see(&fifth, &position, played, &see));
    IS(BAD_PROFILE, swaplist_is_quiet(&negative, &position, &flag));
    IS(BAD_VALUE, swaplist_see(&dear, &position, played, &see));
    IS(TOO_MANY, swaplist_is_quiet_batch(CPW, &position, SIZE_MAX / 32, &flag));
    IS(NULL_POINTER, swaplist_is_quiet_batch(CPW, &position, 1, NULL));
    IS(OK, swaplist_judge_batch(CPW, NULL, 0, 1, NULL));
    CHECK(see == 7, "written in spite of an error");
    for (int code = -2; code < 20; code++) {
        const char *text = swaplist_status_text(code);
        bool known = code >= SWAPLIST_STATUS_OK && code <= SWAPLIST_STATUS_BAD_OUTCOME;
        CHECK((strcmp(text, "unknown status") == 0) == !known, "%d: %s", code, text);
    }
}

static swaplist_filter *filter_of(const char *toml) {
    swaplist_filter *filter = NULL;
    IS(OK, swaplist_filter_new(toml, strlen(toml), NULL, 0, &filter));
    return filter;
}

/* A filter's question about each of the positions that are there now, alone and with a record. */
static void filter_one_by_one(void) {
    swaplist_filter *quiet = filter_of(""), *bullet = filter_of("preset = 'bullet'");
    const swaplist_record late = {50, 60, {12, 20, 0}, SWAPLIST_OUTCOME_DRAW, 1, 1}, none = {0};
    for (size_t i = 0; i < count; i++) {
        bool expected = false, alone = true, with_record = true;
        IS(OK, swaplist_is_quiet(CPW, &positions[i], &expected));
        IS(OK, swaplist_filter_is_quiet(quiet, &positions[i], &alone));
        IS(OK, swaplist_filter_keeps(quiet, &positions[i], &none, &with_record));
        CHECK(alone == expected && with_record == expected, "%zu", i);
    }
    const char *fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 40";
    swaplist_position position;
    bool kept = false;
    IS(OK, swaplist_from_fen(fen, strlen(fen), &position));
    IS(OK, swaplist_filter_keeps(bullet, &position, &late, &kept));
    CHECK(kept, "a quiet move late in the game");
    swaplist_record early = late, decided = late, odd = late;
    early.ply = 3;
    decided.score = -10001;
    odd.outcome = 4;
    IS(OK, swaplist_filter_keeps(bullet, &position, &early, &kept));
    CHECK(!kept, "early");
    IS(OK, swaplist_filter_keeps(bullet, &position, &decided, &kept));
    CHECK(!kept, "decided");
    kept = true;
    IS(MISSING_FIELD, swaplist_filter_keeps(bullet, &position, &none, &kept));
    IS(MISSING_FIELD, swaplist_filter_is_quiet(bullet, &position, &kept));
    IS(BAD_OUTCOME, swaplist_filter_keeps(bullet, &position, &odd, &kept));
    IS(NULL_POINTER, swaplist_filter_keeps(NULL, &position, &late, &kept));
    IS(NULL_POINTER, swaplist_filter_keeps(bullet, &position, NULL, &kept));
    IS(NULL_POINTER, swaplist_filter_is_quiet(quiet, NULL, &kept));
    CHECK(kept, "written in spite of an error");
    swaplist_filter_free(quiet);
    swaplist_filter_free(bullet);
    swaplist_filter_free(NULL);

    char message[64];
    const char *wrong = "max_sea = 1";
    swaplist_filter *filter = NULL;
    IS(BAD_FILTER, swaplist_filter_new(wrong, strlen(wrong), message, sizeof message, &filter));
    CHECK(strstr(message, "line 1: unknown field `max_sea`") == message, "%s", message);
    IS(BAD_FILTER, swaplist_filter_new("\xff", 1, message, 8, &filter));
    CHECK(strlen(message) == 7 && !filter, "%s", message);
    IS(NULL_POINTER, swaplist_filter_new("", 0, NULL, 0, NULL));
    IS(NULL_POINTER, swaplist_filter_new(NULL, 1, NULL, 0, &filter));
}

/* Bytes that are not a position, as positions: any answer, but no panic. */
static void bear_nonsense(void) {
    uint64_t random = 1;
    for (count = 0; count < MOST; count++) {
        for (int i = 0; i < 4; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            positions[count].planes[i] = count == 0 ? 0 : count == 1 ? UINT64_MAX : random ^ random >> 29;
        }
        moves[count].from = (uint8_t)(random >> 58);
        moves[count].to = (uint8_t)(random >> 52 & 63);
        moves[count].promotion = (uint8_t)(random & 1 ? SWAPLIST_PROMOTION_QUEEN : 0);
    }
    compare_batches();
}

int main(int argc, char **argv) {
    char line[256];
    if (argc != 3) {
        return 2;
    }
    score_suite(argv[1]);
    compare_batches();
    refuse();
    FILE *file = opened(argv[2]);
    for (count = 0; count < MOST && fgets(line, sizeof line, file); count++) {
        IS(OK, swaplist_from_fen(line, strcspn(line, "\n"), &positions[count]));
        memset(&moves[count], 0, sizeof moves[count]);
    }
    fclose(file);
    CHECK(count == 5000, "%zu positions", count);
    compare_batches();
    filter_one_by_one();
    bear_nonsense();
    return faults ? 1 : 0;
}
