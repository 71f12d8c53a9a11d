/**
 * What a statement has to say, unqualified, to read open tasks by a time, from one of the indexes `tasks_due`,
 * `tasks_lease` and `tasks_deadline`; true of every task. Statements that look tasks up by their ids must not say it: PostgreSQL
 * would read such an index from end to end whenever few tasks were open at its last ANALYZE, however many there are now.
 */
export const BY_TIME = 'tries >= 0';

/** What a statement has to say, unqualified, to read queued tasks by account, from the index `tasks_turns`; true of every task. */
export const BY_ACCOUNT = 'attempt >= 0';
