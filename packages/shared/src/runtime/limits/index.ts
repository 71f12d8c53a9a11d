export {
  type ConcurrencyCheck,
  type ConcurrencyLimiter,
  type ConcurrencyLimiterOptions,
  createConcurrencyLimiter,
} from './create-concurrency-limiter.js';
export {
  createRateLimiter,
  type PolicyState,
  type RateDecision,
  type RateLimiter,
  type RateLimiterOptions,
} from './create-rate-limiter.js';
export type { LimitCheck } from './gcra.js';
