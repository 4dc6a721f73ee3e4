/*
 * swaplist: exact Static Exchange Evaluation (SEE) of chess positions. For C99 and C++17.
 * Written by cbindgen from src/; see docs/c.md.
 *
 * Positions are packed once and may be stored and copied. Functions return a swaplist_status, and
 * write through their last pointers only if that is SWAPLIST_STATUS_OK. They allocate nothing that
 * the caller must free, except filters, and may be called from several threads at once, also with
 * the same filter. Pointers must point to objects of their type, or to the number of them that is
 * passed. What is written to must not overlap what is read: no answer may lie in the memory of a
 * position, move, record, filter or rules of the same call. A null pointer is refused, except for
 * rules, where it stands for profile swap with 100, 325, 325, 500, 1000.
 */

#ifndef SWAPLIST_H
#define SWAPLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a function returns: whether it worked, and if not, why.
enum swaplist_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The answer was written.
  SWAPLIST_STATUS_OK = 0,
  // A pointer is null that must not be.
  SWAPLIST_STATUS_NULL_POINTER = 1,
  // The text is not a FEN of standard chess.
  SWAPLIST_STATUS_BAD_FEN = 2,
  // Bitboards that put two pieces on a square, or a piece without a colour, or a colour
  // without a piece.
  SWAPLIST_STATUS_BAD_BITBOARDS = 3,
  // More than 32 pieces.
  SWAPLIST_STATUS_TOO_MANY_PIECES = 4,
  // A side has no king, or more than one.
  SWAPLIST_STATUS_KING_COUNT = 5,
  // A pawn stands on the first or last rank.
  SWAPLIST_STATUS_PAWN_ON_BACK_RANK = 6,
  // The side that is not to move is in check.
  SWAPLIST_STATUS_OPPOSITE_CHECK = 7,
  // Not a position for another reason.
  SWAPLIST_STATUS_BAD_POSITION = 8,
  // A square above 63, or a promotion to another piece than knight, bishop, rook or queen.
  SWAPLIST_STATUS_BAD_MOVE = 9,
  // The profile is not one of those listed.
  SWAPLIST_STATUS_BAD_PROFILE = 10,
  // A piece value exceeds 30000 in magnitude.
  SWAPLIST_STATUS_BAD_VALUE = 11,
  // There are more elements than memory can hold.
  SWAPLIST_STATUS_TOO_MANY = 12,
  // A fault of this library.
  SWAPLIST_STATUS_PANIC = 13,
  // The text is not that of a filter.
  SWAPLIST_STATUS_BAD_FILTER = 14,
  // A rule of the filter asks for what the record does not have, or a position alone.
  SWAPLIST_STATUS_MISSING_FIELD = 15,
  // The outcome is not one of those listed.
  SWAPLIST_STATUS_BAD_OUTCOME = 16,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum swaplist_status swaplist_status;
#else
typedef int32_t swaplist_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// How a game ended.
enum swaplist_outcome
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Nobody says.
  SWAPLIST_OUTCOME_UNKNOWN = 0,
  // White won.
  SWAPLIST_OUTCOME_WHITE = 1,
  // A draw.
  SWAPLIST_OUTCOME_DRAW = 2,
  // Black won.
  SWAPLIST_OUTCOME_BLACK = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum swaplist_outcome swaplist_outcome;
#else
typedef uint8_t swaplist_outcome;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// A named set of rules, see docs/see.md.
enum swaplist_profile
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The Chess Programming Wiki's swap algorithm: no pins, everything else exact.
  SWAPLIST_PROFILE_SWAP = 0,
  // The `see_ge` of Stockfish 8 to 10.
  SWAPLIST_PROFILE_SF8 = 1,
  // The `see_ge` of Stockfish since 2019.
  SWAPLIST_PROFILE_SF = 2,
  // Least valuable attacker first, over strictly legal captures.
  SWAPLIST_PROFILE_LEGAL = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum swaplist_profile swaplist_profile;
#else
typedef int32_t swaplist_profile;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a pawn becomes.
enum swaplist_promotion
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Not a promotion.
  SWAPLIST_PROMOTION_NONE = 0,
  // A knight.
  SWAPLIST_PROMOTION_KNIGHT = 2,
  // A bishop.
  SWAPLIST_PROMOTION_BISHOP = 3,
  // A rook.
  SWAPLIST_PROMOTION_ROOK = 4,
  // A queen.
  SWAPLIST_PROMOTION_QUEEN = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum swaplist_promotion swaplist_promotion;
#else
typedef uint8_t swaplist_promotion;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Rules that keep or drop records, as those of `swaplist filter`. Made by `swaplist_filter_new`.
typedef struct swaplist_filter swaplist_filter;

// A packed position. Its bytes are made by `swaplist_from_fen` and `swaplist_from_bitboards`; the
// answers for other bytes have no meaning, but do no harm.
typedef struct swaplist_position {
  // Not for callers.
  uint64_t planes[4];
} swaplist_position;

// The rules of an exchange.
typedef struct swaplist_rules {
  // A `swaplist_profile`.
  int32_t profile;
  // The values of pawn, knight, bishop, rook and queen, at most 30000 in magnitude. Every SEE is
  // in their unit.
  int32_t values[5];
} swaplist_rules;

// A move, squares from a1 = 0, b1 = 1 to h8 = 63. Castling goes to the square of the own rook.
typedef struct swaplist_move {
  // The square that the piece leaves.
  uint8_t from;
  // The square that it goes to.
  uint8_t to;
  // A `swaplist_promotion`.
  uint8_t promotion;
} swaplist_move;

// The best of a side's captures and promotions.
typedef struct swaplist_best {
  // Its SEE.
  int32_t see;
  // The smallest such move, by origin, target and promotion.
  struct swaplist_move move;
  // Whether there is any; if not, the rest is 0.
  bool exists;
} swaplist_best;

// What the legal captures and promotions of a position are worth.
typedef struct swaplist_verdict {
  // The best one of the side to move.
  struct swaplist_best best;
  // The best one of the opponent if it were to move; none in check.
  struct swaplist_best threat;
  // How many the side to move has.
  uint32_t noisy;
  // On how many squares the opponent has one with a SEE above 0; 0 in check.
  uint8_t threats;
  // Whether the side to move is in check.
  bool in_check;
} swaplist_verdict;

// What a file says about a position. All zero is a record that says nothing.
typedef struct swaplist_record {
  // The score in centipawns, from the side to move; 32002 means none, as in Stockfish's formats.
  int32_t score;
  // The half-moves since the start of the game.
  uint32_t ply;
  // The move that was played; from a square to itself if that is not known.
  struct swaplist_move played;
  // A `swaplist_outcome`.
  uint8_t outcome;
  // Whether there is a score: not if this is 0.
  uint8_t has_score;
  // Whether the ply is known: not if this is 0.
  uint8_t has_ply;
} swaplist_record;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// What a status means, in English; never null, and never to be freed.
const char *swaplist_status_text(int32_t status);

// Packs the position of a FEN of `length` bytes, with or without its clocks.
swaplist_status swaplist_from_fen(const char *fen,
                                  size_t length,
                                  struct swaplist_position *position);

// Packs bitboards, a1 in bit 0 and h8 in bit 63: of `roles` six (pawns, knights, bishops, rooks,
// queens, kings of both sides), of `colors` two (White's pieces, Black's). `en_passant` is the
// target square; one above 63, or on which no pawn can capture, stands for none.
swaplist_status swaplist_from_bitboards(const uint64_t *roles,
                                        const uint64_t *colors,
                                        int32_t white_to_move,
                                        int32_t en_passant,
                                        struct swaplist_position *position);

// The exact SEE of a move. For an impossible move the number is meaningless, but always the same.
swaplist_status swaplist_see(const struct swaplist_rules *rules,
                             const struct swaplist_position *position,
                             struct swaplist_move played,
                             int32_t *see);

// Whether the SEE of a move is at least `threshold`; faster than the SEE.
swaplist_status swaplist_see_ge(const struct swaplist_rules *rules,
                                const struct swaplist_position *position,
                                struct swaplist_move played,
                                int32_t threshold,
                                bool *reached);

// The verdict on a position; the opponent's threat is found only if `with_threat` is not 0.
swaplist_status swaplist_judge(const struct swaplist_rules *rules,
                               const struct swaplist_position *position,
                               int32_t with_threat,
                               struct swaplist_verdict *verdict);

// Whether a position is quiet: not in check, and no capture or promotion has a SEE above 0.
swaplist_status swaplist_is_quiet(const struct swaplist_rules *rules,
                                  const struct swaplist_position *position,
                                  bool *quiet);

// Makes a filter from the text of a filter's file, `length` bytes of TOML such as
// `preset = 'calm'`, with the keys of `swaplist filter --config`. An empty text is the preset
// `quiet`. `swaplist_filter_free` frees it. If the text is not a filter's, the reason is written
// to `message`, at most `room` bytes with a final zero; both may be zero.
swaplist_status swaplist_filter_new(const char *toml,
                                    size_t length,
                                    char *message,
                                    size_t room,
                                    struct swaplist_filter **filter);

// Frees a filter; does nothing for a null pointer.
void swaplist_filter_free(struct swaplist_filter *filter);

// Whether a filter keeps a position. Refuses a filter with rules on what records have and
// positions have not, such as the score. Random rules draw by the position.
swaplist_status swaplist_filter_is_quiet(const struct swaplist_filter *filter,
                                         const struct swaplist_position *position,
                                         bool *quiet);

// Whether a filter keeps a position with its record.
swaplist_status swaplist_filter_keeps(const struct swaplist_filter *filter,
                                      const struct swaplist_position *position,
                                      const struct swaplist_record *record,
                                      bool *kept);

// The exact SEE of a move in each of `count` positions.
swaplist_status swaplist_see_batch(const struct swaplist_rules *rules,
                                   const struct swaplist_position *positions,
                                   const struct swaplist_move *moves,
                                   size_t count,
                                   int32_t *see);

// Whether the SEE of a move in each of `count` positions is at least `threshold`.
swaplist_status swaplist_see_ge_batch(const struct swaplist_rules *rules,
                                      const struct swaplist_position *positions,
                                      const struct swaplist_move *moves,
                                      size_t count,
                                      int32_t threshold,
                                      bool *reached);

// The verdicts on `count` positions, as by `swaplist_judge`.
swaplist_status swaplist_judge_batch(const struct swaplist_rules *rules,
                                     const struct swaplist_position *positions,
                                     size_t count,
                                     int32_t with_threat,
                                     struct swaplist_verdict *verdicts);

// Which of `count` positions are quiet, as by `swaplist_is_quiet`.
swaplist_status swaplist_is_quiet_batch(const struct swaplist_rules *rules,
                                        const struct swaplist_position *positions,
                                        size_t count,
                                        bool *quiet);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SWAPLIST_H */
