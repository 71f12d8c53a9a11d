export { formatDollars } from './format-dollars.js';
export { parseDollars } from './parse-dollars.js';
export { parseSignedDollars } from './parse-signed-dollars.js';
