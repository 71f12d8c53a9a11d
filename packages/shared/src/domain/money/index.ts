export { formatDollars, parseDollars, parseDollarsOrZero, parseSignedDollars } from './dollars.js';
