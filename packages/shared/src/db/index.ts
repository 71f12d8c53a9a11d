export { createDatabase, type Database, type DatabaseOptions } from './create-database.js';
export { isUniqueViolation, sqlStateOf, toDatabaseError } from './database-error.js';
export type { Statement } from './statement.js';
export { findOwnTask, findTask } from './tasks/find-task.js';
export { TASK_COLUMNS, type TaskRow } from './tasks/task-row.js';
