import { setTimeout as sleep } from 'node:timers/promises';
import { REASONS, type Reason } from '@image-gateway/shared/contract';
import { endTask, type TaskEnd } from '../../support/end-task.js';
import type { TestApi } from '../../support/start-api.js';

/** Pending task as the worker of a test sees it. */
export interface PendingTask {
  readonly id: string;
  readonly prompt: string;
  readonly outputs: number;
  readonly ratio: string;
  readonly resolution: string;
  readonly inputs: readonly string[];
}

/** Worker of a test. */
export type TestWorker = ReturnType<typeof startWorker>;

/** Starts a worker that draws the images of pending tasks. A prompt `wait` leaves its task pending, `fail R` fails it for the reason R. */
export function startWorker(api: TestApi) {
  /** Every task that it has seen, in order. */
  const seen: PendingTask[] = [];
  const known = new Set<string>();
  const stopping = new AbortController();
  const work = async (): Promise<void> => {
    const { rows } = await api.test.pool.query<PendingTask>(
      `SELECT id, prompt, num_outputs AS outputs, aspect_ratio AS ratio, resolution, image_urls AS inputs
         FROM tasks WHERE status = 'pending' ORDER BY created_at`,
    );
    for (const task of rows.filter(({ id }) => !known.has(id))) {
      known.add(task.id);
      seen.push(task);
      const end = draw(task);
      if (end) {
        const put = (bytes: Buffer, index: number) =>
          api.store.put(`images/${task.id}/${index}.png`, bytes, { contentType: 'image/png' });
        await Promise.all(end.images.map(put));
        await endTask(api, task.id, end);
      }
    }
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await work().catch((error: unknown) => console.error(error));
      await sleep(20);
    }
  })();
  return {
    seen,
    /** Lets it see a task once more. */
    forget: (id: string) => void known.delete(id),
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

const KNOWN: Readonly<Record<string, Reason>> = REASONS;

function draw({ id, prompt, outputs }: PendingTask): TaskEnd | null {
  const [, word, reason = ''] = /^(wait|fail)(?: (.*))?/.exec(prompt) ?? [];
  if (word === 'wait') {
    return null;
  }
  return word === 'fail'
    ? { images: [], reason: KNOWN[reason] ?? reason }
    : { images: drawImages(id, outputs) };
}

/** Returns bytes that differ for each image of a task and are no multiple of three long. */
export function drawImages(id: string, outputs: number): Buffer[] {
  return Array.from({ length: outputs }, (_, index) => Buffer.from(`${id} ${index} `.repeat(5_000 + index)));
}
