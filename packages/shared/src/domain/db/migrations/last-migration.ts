/** Newest migration of this release, without which no process works on a database. A test compares it with the folder. */
export const LAST_MIGRATION = '20261129164500_tried_tasks';
