import type { Database } from '@image-gateway/shared/db';

/** What commands work with. */
export interface CliContext {
  /** The settings: the environment, and for what is not set there what `npm start` wrote into `DATA_DIR/run.json`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The root folder of the project. */
  readonly projectDir: string;
  /** Opens the database when it is first needed; throws ConfigError when nobody says where it is. */
  readonly db: () => Database;
}
