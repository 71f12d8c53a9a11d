export { type CircuitBreaker, createCircuitBreaker } from './create-circuit-breaker.js';
export { createFollower, type Follower, type FollowerOptions } from './create-follower.js';
export { createMicroBatch, type MicroBatch, type MicroBatchOptions } from './create-micro-batch.js';
export { spreadOverTurns } from './spread-over-turns.js';
export {
  type AcquireOptions,
  createSemaphore,
  type Semaphore,
  type SemaphoreOptions,
  startTimer,
  TIMED_OUT,
  withTimeout,
} from './wait-limits.js';
