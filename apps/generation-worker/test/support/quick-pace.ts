import type { JobPace } from '../../src/providers/follow-job.js';

/** A tenth of the real times: a job is parked after less than half a second. */
export const QUICK_PACE: JobPace = {
  firstPollMs: 100,
  maxPollMs: 300,
  followMs: 400,
  parkMs: 300,
  maxPauseMs: 60_000,
  unseenMs: 0,
};
