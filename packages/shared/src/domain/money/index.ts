export { formatDollars } from './format-dollars.js';
export { parseDollars, parseDollarsOrZero, parseSignedDollars } from './parse-dollars.js';
