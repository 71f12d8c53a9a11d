import { buildPng, eventually } from '@image-gateway/testing';
import type { Scenario, Scene } from '../scenario.js';

const EDITS = 24;
const IMAGES = 6;
const image = { width: 64, height: 64, depth: 8, colour: 'rgb' } as const;

/** Waits until all tasks of an account have ended; returns the longest time that one of a type took, in seconds. */
function measureSlowest({ lab }: Scene, accountId: string, type: string): Promise<number> {
  return eventually(
    async () => {
      const { rows } = await lab.services.database.pool.query<{ slowest: number; open: number }>(
        `SELECT max(EXTRACT(EPOCH FROM completed_at - created_at))::float8 AS slowest,
                count(*) FILTER (WHERE status = 'pending')::int AS open
           FROM tasks WHERE account_id = $1 AND type = $2`,
        [accountId, type],
      );
      if (rows[0]?.open !== 0) {
        throw new Error(`${rows[0]?.open} tasks are open`);
      }
      return rows[0].slowest;
    },
    { timeoutMs: 60_000, everyMs: 100 },
  );
}

/** Input images that come late. */
export const inputScenarios: readonly Scenario[] = [
  {
    name: 'slow-inputs',
    tenants: {
      worstMs: 'slowest edit of the other ms',
      cost: ['slowest generation of the other ms', 'slowest edit of the flood ms'],
    },
    fault: `one account has ${EDITS} edits of ${IMAGES} images that each take three seconds to come`,
    outcome: 'edits of another account are delayed by less than 5 s, its generations by less than 2 s',
    restWithinMs: 60_000,
    run: async (scene) => {
      const { images, imageHost } = scene.lab;
      images.set('/slow.png', buildPng(image));
      images.set('/quick.png', buildPng(image));
      let sent = 0;
      const slowUrls = (): string[] =>
        Array.from({ length: IMAGES }, () => `${imageHost.url}/slow.png?${++sent}`);
      const flood = scene.load({
        count: EDITS,
        keyed: 0,
        wish: () => ({ prompt: 'sandbox:fixed', image_urls: slowUrls() }),
      });
      await flood.done;
      scene.injected(EDITS * IMAGES);
      const other = await scene.another();
      const terms = { count: 12, perSecond: 2, keyed: 0 };
      const edits = other.load({
        ...terms,
        wish: () => ({ prompt: 'sandbox:fixed', image_urls: [`${imageHost.url}/quick.png?${++sent}`] }),
      });
      const generations = other.load({ ...terms, wish: () => ({ prompt: 'sandbox:fixed' }) });
      await Promise.all([edits.done, generations.done]);
      const edit = await measureSlowest(scene, other.id, 'image_edit');
      const generation = await measureSlowest(scene, other.id, 'image_generate');
      scene.figure('slowest edit of the other ms', edit * 1_000);
      scene.figure('slowest generation of the other ms', generation * 1_000);
      scene.figure(
        'slowest edit of the flood ms',
        (await measureSlowest(scene, scene.customer.id, 'image_edit')) * 1_000,
      );
      scene.must(edit < 5, `an edit of another account took ${edit} s`);
      scene.must(generation < 2, `a generation of another account took ${generation} s`);
    },
  },
];
