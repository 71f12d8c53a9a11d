export { createSpool, type Spool, type SpoolFile, type SpoolOptions } from './create-spool.js';
