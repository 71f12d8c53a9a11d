// Entry point for commands. The statements in index.ts lead to most modules of the product, and loading those takes longer than most
// commands.
export { createDatabase, type Database, type DatabaseOptions } from './create-database.js';
export { getSqlState, isConnectionError, isRowError, isUniqueViolation } from './database-error.js';
export { applyMigrations, type MigrationOptions } from './migrations/apply-migrations.js';
export { type ApplicationRole, grantApplicationRole } from './migrations/grant-application-role.js';
export { LAST_MIGRATION } from './migrations/last-migration.js';
export { describeMissingRights, findMissingRights } from './migrations/missing-rights.js';
export { nameSession } from './name-session.js';
export {
  renderRoleSettings,
  SESSION_DEFAULTS,
  type SessionDefault,
  setSessionDefaults,
  UNCHECKED_ENCODING,
} from './session-defaults.js';
export { inputRows, isInput, readSql, type Statement, unplanned } from './statement.js';
