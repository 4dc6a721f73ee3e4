//! viriformat's model of a result's probability given the score.

use crate::formats::Outcome;
use crate::packed::{BISHOP, KNIGHT, PAWN, QUEEN, ROOK};
use swaplist::Position;

/// The parameters, with viriformat's names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WdlModel {
    /// `wdl_model_params_a`: the score at which a win has probability 1/2, as a polynomial of
    /// the material, highest power first.
    pub params_a: [f64; 4],
    /// `wdl_model_params_b`: the scale of the win probability, a polynomial like
    /// the one above.
    pub params_b: [f64; 4],
    /// `material_min`: material is clamped to at least this.
    pub material_min: u32,
    /// `material_max`: material is clamped to at most this.
    pub material_max: u32,
    /// `mom_target`: the unit of material in the polynomials.
    pub mom_target: u32,
    /// `wdl_heuristic_scale`: a factor of the second polynomial.
    pub heuristic_scale: f64,
}

impl Default for WdlModel {
    /// The defaults of viriformat's `Filter`.
    fn default() -> WdlModel {
        WdlModel {
            params_a: [6.871_558_62, -39.652_263_91, 90.684_603_52, 170.669_963_64],
            params_b: [
                -7.198_907_10,
                56.139_471_85,
                -139.910_911_83,
                182.810_074_27,
            ],
            material_min: 17,
            material_max: 78,
            mom_target: 58,
            heuristic_scale: 1.5,
        }
    }
}

impl WdlModel {
    /// The probability of a result, given White's score in centipawns and the [`material`] on
    /// the board.
    pub fn probability(&self, material: u32, white_score: i32, outcome: Outcome) -> f64 {
        // Like `clamp`, but without a panic if the limits are reversed.
        let material = material.min(self.material_max).max(self.material_min);
        let m = f64::from(material) / f64::from(self.mom_target);
        let polynomial =
            |[c3, c2, c1, c0]: [f64; 4]| c3.mul_add(m, c2).mul_add(m, c1).mul_add(m, c0);
        let a = polynomial(self.params_a);
        let b = polynomial(self.params_b) * self.heuristic_scale;
        let score = f64::from(white_score);
        let logistic = |x: f64| 1.0 / (1.0 + f64::exp((a - x) / b));
        match outcome {
            Outcome::White => logistic(score),
            Outcome::Black => logistic(-score),
            Outcome::Draw => (1.0 - logistic(score) - logistic(-score)).max(0.0),
        }
    }
}

/// The material of both sides at 1, 3, 3, 5, 9.
pub fn material(position: &Position) -> u32 {
    let count = |code| position.pieces_with(code).count_ones();
    let light = count(PAWN) + 3 * (count(KNIGHT) + count(BISHOP));
    light + 5 * count(ROOK) + 9 * count(QUEEN)
}
