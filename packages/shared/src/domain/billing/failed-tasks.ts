/** SQL of the number of tasks of an account that had failed because of their requests by now; `account` is an SQL expression. */
export const failedTasksTotal = (account: string): string => `
COALESCE((SELECT f.total FROM failed_task_counts f WHERE f.account_id = ${account} ORDER BY f.starts_at DESC LIMIT 1), 0)`;

/** SQL of those that had failed before the last `seconds`. Times are whole seconds: a task leaves the window up to a second early. */
export const failedTasksBefore = (account: string, seconds: string): string => `
COALESCE((SELECT f.total FROM failed_task_counts f
           WHERE f.account_id = ${account} AND f.starts_at <= now() - make_interval(secs => ${seconds})
           ORDER BY f.starts_at DESC LIMIT 1), 0)`;
