import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { createDatabase, type Database, nameSession } from '@image-gateway/shared/db/database';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { resolveEnv } from './resolve-env.js';

/** Result of a command: a value for `--json`, and the same as text. */
export interface CliResult {
  readonly value: unknown;
  readonly text: string;
  /** True when the command worked and what it checked is faulty: exit code 1. */
  readonly failed?: boolean;
}

/** Dependencies of the commands. */
export interface CliContext {
  /** Settings: the environment, completed from `DATA_DIR/run.json`, which `npm start` writes. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Root folder of the project. */
  readonly projectDir: string;
  /** Prints the progress of a long command; silent with `--json`. */
  readonly reportProgress: (line: string) => void;
  /** Prints a line on standard error, also with `--json`: why nothing seems to happen. */
  readonly tell: (line: string) => void;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<string>;
  /** Asks a question on standard error and returns the line of standard input that answers it. */
  readonly ask: (question: string) => Promise<string>;
  /** Opens the database on first use; throws ConfigError when no setting names it. */
  readonly db: () => Database;
  /** Loads Prisma's client on first use, over the connections of `db`. */
  readonly prisma: () => Promise<PrismaDatabase>;
  /** Closes what was opened. */
  readonly close: () => Promise<void>;
}

/** Some checks of a large ledger read every row. */
const STATEMENT_TIMEOUT_MS = 5 * 60_000;

/** Creates the dependencies of the commands; opens nothing yet. */
export function createCliContext(
  options: Pick<CliContext, 'env' | 'projectDir' | 'readInput' | 'ask' | 'reportProgress' | 'tell'>,
): CliContext {
  const env = resolveEnv(options.env, options.projectDir);
  let opened: Database | undefined;
  let withClient: PrismaDatabase | undefined;
  const db = (): Database => {
    const { DATABASE_URL: url } = loadSettings({ DATABASE_URL: sharedSettings.DATABASE_URL }, env);
    opened ??= createDatabase({
      url,
      applicationName: nameSession('image-gateway command line'),
      max: 2,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    });
    return opened;
  };
  return {
    ...options,
    env,
    db,
    prisma: async () => {
      const database = db();
      // Prisma's client takes longer to load than most commands take to run.
      const { withPrisma } = await import('@image-gateway/shared/db/prisma');
      withClient ??= withPrisma(database);
      return withClient;
    },
    close: async () => {
      await (withClient ?? opened)?.close();
    },
  };
}
