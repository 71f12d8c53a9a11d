/**
 * Condition that a statement must contain, unqualified, to read open tasks by a time; true of every task. It selects
 * one of the indexes `tasks_due`, `tasks_lease` and `tasks_deadline`. Statements that find tasks by id must omit it.
 * PostgreSQL would read such an index from end to end whenever few tasks were open at its last ANALYZE, however many
 * are open now.
 */
export const BY_TIME = 'tries >= 0';

/** Condition that a statement must contain, unqualified, to read queued tasks that were tried before from the index `tasks_tried`. */
export const TRIED = 'tries > 0';

/**
 * Condition that a statement must contain, unqualified, to read queued tasks by account from the index `tasks_turns`;
 * true of every task.
 */
export const BY_ACCOUNT = 'attempt >= 0';
