/** SQL condition of a task `t` that should have moved on: due or out of its lease for longer than sweeps need, or near its end without a result. */
export const IS_STUCK = `(
  (t.phase = 'queued' AND t.due_at < now() - interval '30 seconds')
  OR (t.phase = 'running' AND t.lease_until < now() - interval '15 seconds')
  OR t.deadline_at < now() + interval '1 minute')`;
