/**
 * Condition on a task `t` and an input row `i` under which an attempt may change the task. The task is open, and no
 * later attempt has claimed it.
 */
export const FENCE = "t.status = 'pending' AND t.attempt = i.attempt";
