import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { createDatabase } from '@image-gateway/shared/db';
import { type PrismaDatabase, withPrisma } from '@image-gateway/shared/db/prisma';
import { resolveEnv } from './resolve-env.js';

/** What commands work with. */
export interface CliContext {
  /** The settings: the environment, and for what is not set there what `npm start` wrote into `DATA_DIR/run.json`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The root folder of the project. */
  readonly projectDir: string;
  /** Tells a person how a long command is getting on; says nothing with `--json`. */
  readonly reportProgress: (line: string) => void;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<string>;
  /** Opens the database when it is first needed; throws ConfigError when nobody says where it is. */
  readonly db: () => PrismaDatabase;
  /** Closes what was opened. */
  readonly close: () => Promise<void>;
}

/** Some checks of a large ledger read every row. */
const STATEMENT_TIMEOUT_MS = 5 * 60_000;

/** Makes what commands work with; opens nothing yet. */
export function createCliContext(
  options: Pick<CliContext, 'env' | 'projectDir' | 'readInput' | 'reportProgress'>,
): CliContext {
  const env = resolveEnv(options.env, options.projectDir);
  let opened: PrismaDatabase | undefined;
  return {
    env,
    projectDir: options.projectDir,
    readInput: options.readInput,
    reportProgress: options.reportProgress,
    db: () => {
      const { DATABASE_URL: url } = loadSettings({ DATABASE_URL: sharedSettings.DATABASE_URL }, env);
      opened ??= withPrisma(
        createDatabase({
          url,
          applicationName: 'image-gateway command line',
          max: 2,
          statementTimeoutMs: STATEMENT_TIMEOUT_MS,
        }),
      );
      return opened;
    },
    close: async () => {
      await opened?.close();
    },
  };
}
