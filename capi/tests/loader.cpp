// The skip predicate of docs/c.md on positions of a file, by several threads: loader FENS. The
// types are the part of nnue-pytorch's that it uses.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "swaplist.h"

namespace chess {
enum struct Color : std::uint8_t { White, Black };
enum struct PieceType : std::uint8_t { Pawn, Knight, Bishop, Rook, Queen, King, None };

struct Piece {
    Piece(PieceType type, Color color) : id(static_cast<int>(type) * 2 + static_cast<int>(color)) {}
    int id;
};

struct Bitboard {
    std::uint64_t bits() const { return squares; }
    friend Bitboard operator|(Bitboard a, Bitboard b) { return {a.squares | b.squares}; }
    std::uint64_t squares;
};

struct Square {
    explicit operator int() const { return index; }
    int index;
};

struct Position {
    explicit Position(const std::string& fen) {
        std::size_t at = 0;
        for (int square = 56; fen[at] != ' '; ++at) {
            auto piece = std::string("PpNnBbRrQqKk").find(fen[at]);
            if (piece != std::string::npos)
                pieces[piece] |= std::uint64_t{1} << square++;
            else
                square += fen[at] == '/' ? -16 : fen[at] - '0';
        }
        color = fen[at + 1] == 'w' ? Color::White : Color::Black;
        at = fen.find(' ', at + 3) + 1;
        ep.index = fen[at] == '-' ? 64 : fen[at] - 'a' + 8 * (fen[at + 1] - '1');
    }
    Bitboard piecesBB(Piece piece) const { return {pieces[piece.id]}; }
    Bitboard piecesBB(Color of) const {
        std::uint64_t all = 0;
        for (int id = static_cast<int>(of); id < 12; id += 2)
            all |= pieces[id];
        return {all};
    }
    Color sideToMove() const { return color; }
    Square epSquare() const { return ep; }

   private:
    std::uint64_t pieces[12] = {};
    Color color;
    Square ep;
};
}  // namespace chess

#include "is_loud.inc"

static_assert(sizeof(swaplist_position) == 32, "a position has 32 bytes");

int main(int argc, char** argv) {
    if (argc != 2)
        return 2;
    std::ifstream file(argv[1]);
    std::vector<std::string> fens;
    std::vector<swaplist_position> positions;
    for (std::string fen; std::getline(file, fen);) {
        swaplist_position position;
        if (swaplist_from_fen(fen.data(), fen.size(), &position) != SWAPLIST_STATUS_OK)
            return 1;
        fens.push_back(fen);
        positions.push_back(position);
    }
    std::vector<std::size_t> quiet(4), wrong(4);
    auto work = [&](std::size_t thread) {
        std::vector<char> answers(fens.size());
        auto out = reinterpret_cast<bool*>(answers.data());
        if (swaplist_is_quiet_batch(nullptr, positions.data(), fens.size(), out))
            wrong[thread]++;
        for (std::size_t i = 0; i < fens.size(); ++i) {
            quiet[thread] += answers[i] != 0;
            wrong[thread] += is_loud(chess::Position(fens[i])) != (answers[i] == 0);
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 4; ++thread)
        threads.emplace_back(work, thread);
    int status = 0;
    for (std::size_t thread = 0; thread < 4; ++thread) {
        threads[thread].join();
        if (quiet[thread] == 3615 && wrong[thread] == 0)  // as `swaplist filter` counts
            continue;
        std::printf("%zu quiet, %zu wrong\n", quiet[thread], wrong[thread]);
        status = 1;
    }
    return status;
}
