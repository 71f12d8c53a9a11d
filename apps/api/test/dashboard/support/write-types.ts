import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generateTypes, TYPES_FILE } from './generate-types.js';

await mkdir(path.dirname(TYPES_FILE), { recursive: true });
await writeFile(TYPES_FILE, await generateTypes());
