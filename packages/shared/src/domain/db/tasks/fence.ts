/**
 * Condition on a task `t` and an input row `i` under which an attempt may change the task: it is open, and no later attempt
 * has taken it over.
 */
export const FENCE = "t.status = 'pending' AND t.attempt = i.attempt";
