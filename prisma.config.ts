import path from 'node:path';
import { defineConfig } from 'prisma/config';

// The stand-in answers for the native schema engine, which would have to be downloaded: same path online and offline.
if (!process.env.PRISMA_NATIVE_ENGINE && process.platform !== 'win32') {
  process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= path.join(import.meta.dirname, 'prisma/schema-engine.mjs');
}
process.env.CHECKPOINT_DISABLE ??= '1';

/** What the Prisma CLI reads; `prisma generate` needs no database, everything else needs `DATABASE_URL`. */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://postgres@127.0.0.1:5432/image_gateway' },
});
