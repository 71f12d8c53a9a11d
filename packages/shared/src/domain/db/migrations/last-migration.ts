/** Newest migration of this release, without which no process works on a database. A test compares it with the folder. */
export const LAST_MIGRATION = '20261128213000_change_email';
