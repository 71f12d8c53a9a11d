/**
 * Connections of a process to PostgreSQL unless `DATABASE_POOL` says otherwise. A worker needs few: what happens at one moment
 * shares its statements.
 */
export const DEFAULT_DATABASE_POOL = { api: 10, worker: 4 } as const;

/** Connections of an API process for lists, sums and pages of the dashboard, beside those of `DATABASE_POOL`. */
export const READ_CONNECTIONS = 3;
