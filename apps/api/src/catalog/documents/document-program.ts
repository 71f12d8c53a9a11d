import path from 'node:path';
import { fileURLToPath } from 'node:url';

const extension = path.extname(fileURLToPath(import.meta.url));

/** Program of the thread that reads documents. Development runs it from its TypeScript source, which takes options of node. */
export const DOCUMENT_PROGRAM = {
  file: fileURLToPath(new URL(`./document-thread${extension}`, import.meta.url)),
  options: extension === '.ts' ? ['--conditions=@image-gateway/source', '--import', 'tsx'] : [],
} as const;
