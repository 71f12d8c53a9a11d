import type { JobPace } from '../../../src/providers/follow-job.js';
import type { ImageProvider, ProviderEvent, ProviderRequest } from '../../../src/providers/port.js';
import { type Collected, collect, freeScope } from './collect-events.js';

/** Waits for a job until it has ended, without pauses. */
export const PATIENT: JobPace = {
  firstPollMs: 1,
  maxPollMs: 1,
  followMs: 10_000,
  parkMs: 1,
  maxPauseMs: 1,
  unseenMs: 0,
};

/** Parks a job right after its submission. */
export const IMPATIENT: JobPace = { ...PATIENT, followMs: 0 };

/**
 * Makes a call and takes it up again as the worker does each time it was parked, while `goesOn`. The parks are left out,
 * but for a last one.
 */
export async function followThrough(
  provider: ImageProvider,
  request: ProviderRequest,
  goesOn: () => boolean,
): Promise<Collected> {
  return collect(async (events) => {
    let { job } = request;
    for (;;) {
      let parked: ProviderEvent | null = null;
      for await (const event of provider.generate({ ...request, job }, freeScope())) {
        if (event.type === 'job') {
          job = { id: event.id, handle: event.handle };
        }
        if (event.type === 'park') {
          parked = event;
        } else {
          events.push(event);
        }
      }
      if (parked === null) {
        return;
      }
      if (!goesOn()) {
        events.push(parked);
        return;
      }
    }
  });
}
