// The build copies the file that these types belong to.
export { Chessground } from '../../node_modules/@lichess-org/chessground/dist/chessground.js';
export type { DrawShape } from '../../node_modules/@lichess-org/chessground/dist/draw.js';
export type { Key } from '../../node_modules/@lichess-org/chessground/dist/types.js';
