import type { Database } from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { ObjectStore } from '@image-gateway/shared/storage';
import type { Tracing } from '@image-gateway/shared/tracing';
import type { Settings } from './env.js';
import type { HostBounds } from './inputs/create-host-limits.js';
import type { JobPace } from './providers/follow-job.js';
import type { Router } from './routing/create-router.js';

/** Parts of a generation worker; optional ones default to the production implementation. */
export interface WorkerParts {
  readonly settings: Settings;
  readonly db: Database;
  readonly store: ObjectStore;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing?: Tracing;
  /** Age of a waiting hint at which the queue counts as not consumed. */
  readonly queueStuckAfterMs: number;
  readonly router?: Router;
  readonly hostBounds?: HostBounds;
  readonly jobPace?: JobPace;
  /** Executable of node for decoders of images; that of this process unless given. */
  readonly decoderPath?: string;
}
