import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { defineConfig } from 'prisma/config';

// Only developers compare and write migrations. The native engine is used where it was installed (`pnpm rebuild @prisma/engines`);
// elsewhere its WebAssembly build answers in its place.
const prisma = createRequire(import.meta.url).resolve('prisma/package.json');
const engines = path.dirname(createRequire(prisma).resolve('@prisma/engines/package.json'));
const isNative = fs.readdirSync(engines).some((name) => name.startsWith('schema-engine-'));
if (!isNative && process.platform !== 'win32') {
  process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= path.join(import.meta.dirname, 'prisma/schema-engine.mjs');
}
process.env.CHECKPOINT_DISABLE ??= '1';

/** What the Prisma CLI reads; `prisma generate` needs no database, everything else needs `DATABASE_URL`. */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://postgres@127.0.0.1:5432/image_gateway' },
});
