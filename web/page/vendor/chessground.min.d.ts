// The build copies the file that these types belong to.
export { Chessground } from '../../node_modules/@lichess-org/chessground/dist/chessground.js';
