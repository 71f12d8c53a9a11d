import { pause } from '@image-gateway/shared/lifecycle';
import type { ConcurrencyLimiter, RateLimiter } from '@image-gateway/shared/limits';

/** Dependencies of the limits of hosts. */
export interface HostLimitDeps {
  readonly concurrency: ConcurrencyLimiter;
  readonly rate: RateLimiter;
  readonly bounds?: HostBounds;
}

/** Bounds of the downloads of input images from one host, over all processes. An account has half of each. */
export interface HostBounds {
  readonly atATime: number;
  readonly perMinute: number;
}

/** Account of a download, and the signal that ends its wait. */
export interface DownloadOwner {
  readonly accountId: string;
  readonly signal: AbortSignal;
}

/** Limits of the hosts of input images. */
export interface HostLimits {
  /**
   * Waits until an image may be downloaded from the host of a URL, and returns the function that ends the download. Throws the
   * reason of the signal.
   */
  readonly admit: (url: URL, owner: DownloadOwner) => Promise<() => void>;
}

/** More than a customer's own server or a CDN needs, and far less than would harm the server of a stranger. */
const BOUNDS: HostBounds = { atATime: 64, perMinute: 1_200 };
const POLL_MS = 200;

/**
 * Creates the limits of hosts, without which the gateway could flood any host. A download over a limit waits, so that an
 * image on a busy host is late and fails no task. One account cannot use up the limit of a host.
 */
export function createHostLimits({ concurrency, rate, bounds = BOUNDS }: HostLimitDeps): HostLimits {
  const tryAdmit = async (host: string, account: string): Promise<(() => void) | number> => {
    const release = await concurrency.tryAcquire([
      { key: account, limit: Math.ceil(bounds.atATime / 2) },
      { key: host, limit: bounds.atATime },
    ]);
    if (release === null) {
      return POLL_MS;
    }
    const perMinute = { policy: 'input-host', windowSeconds: 60 };
    const { allowed, retryAfterMs } = await rate.consume([
      { ...perMinute, key: account, limit: Math.ceil(bounds.perMinute / 2) },
      { ...perMinute, key: host, limit: bounds.perMinute },
    ]);
    if (allowed) {
      return release;
    }
    release();
    return Math.max(POLL_MS, retryAfterMs);
  };
  return {
    admit: async ({ hostname }, { accountId, signal }) => {
      const host = hostname.replace(/\.$/, '');
      for (;;) {
        signal.throwIfAborted();
        const admitted = await tryAdmit(host, `${accountId}:${host}`);
        if (typeof admitted === 'function') {
          return admitted;
        }
        // Jitter keeps waiting downloads out of step.
        await pause(admitted * (1 + Math.random()), signal);
      }
    },
  };
}
