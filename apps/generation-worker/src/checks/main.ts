import { createDatabase, nameSession } from '@image-gateway/shared/db';
import { createDecoder, createValidator } from '@image-gateway/shared/images';
import { createLogger } from '@image-gateway/shared/logging';
import { readCheckSettings } from '../env.js';
import { takeOneCheck } from './take-checks.js';

/** Does the check whose id is the only argument, which the command line keeps for this process, and writes its outcome. */
async function main(id: string): Promise<void> {
  const settings = readCheckSettings(process.env);
  const applicationName = nameSession('provider check');
  const db = createDatabase({ url: settings.DATABASE_URL, applicationName, max: 2 });
  const ending = new AbortController();
  process.once('SIGTERM', () => ending.abort());
  process.once('SIGINT', () => ending.abort());
  const decode = createDecoder({ onFailure: () => undefined });
  try {
    await takeOneCheck(
      {
        db,
        settings,
        // The command line says what came of it.
        logger: createLogger({ service: 'provider check', level: 'error' }),
        validate: createValidator({ decode }),
        signal: ending.signal,
      },
      id,
    );
  } finally {
    await db.close();
  }
}

main(process.argv[2] ?? '').then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
