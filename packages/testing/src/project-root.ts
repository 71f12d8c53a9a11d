import path from 'node:path';

/** The folder of the whole project; the same from `src` and from `dist`. */
export const projectRoot = path.resolve(import.meta.dirname, '../../..');
