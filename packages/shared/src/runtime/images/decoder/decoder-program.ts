import path from 'node:path';
import { fileURLToPath } from 'node:url';

const extension = path.extname(fileURLToPath(import.meta.url));

/** Program of a decoder process. Development runs it from its TypeScript source, which takes options of node. */
export const DECODER_PROGRAM = {
  file: fileURLToPath(new URL(`./decoder-main${extension}`, import.meta.url)),
  options: extension === '.ts' ? ['--conditions=@image-gateway/source', '--import', 'tsx'] : [],
} as const;
