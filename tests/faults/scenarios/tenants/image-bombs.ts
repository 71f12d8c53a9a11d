import { existsSync } from 'node:fs';
import { buildPng, inflatingChunk } from '@image-gateway/testing';
import type { Scenario } from '../scenario.js';
import { measureFamilyRss } from '../support/measure-family-rss.js';
import { readSums } from '../support/read-sums.js';

const WORKERS = ['worker-1', 'worker-2'] as const;
const MAX_MB = 700;
const LOOK_MS = 30;
const rgba16 = { depth: 16, colour: 'rgba' } as const;
const BOMBS = {
  '/row': () => buildPng({ ...rgba16, width: 39_999_999, height: 1 }),
  '/rows': () => buildPng({ ...rgba16, width: 1_000_000, height: 40 }),
  '/interlaced': () => buildPng({ ...rgba16, width: 6_320, height: 6_320, interlaced: true }),
  '/texts': () =>
    buildPng({
      width: 64,
      height: 64,
      depth: 8,
      colour: 'rgb',
      chunks: Array<Buffer>(100).fill(inflatingChunk('zTXt', 7_000_000)),
    }),
};

/** Input images that are small files and large in memory. */
export const imageBombScenarios: readonly Scenario[] = [
  {
    name: 'image-bombs',
    tenants: {
      worstMs: 'slowest ordinary task ms',
      cost: ['slowest ordinary task before ms', 'slowest bomb ms', 'peak of a worker with decoders MB'],
    },
    fault:
      'input images of some hundred kilobytes that decoders need gigabytes for, by row, interlacing and text',
    outcome: `workers and decoders below ${MAX_MB} MB, no process dies, nobody loses a try`,
    restWithinMs: 60_000,
    run: async (scene) => {
      const { fleet, images, imageHost } = scene.lab;
      for (const [name, build] of Object.entries(BOMBS)) {
        images.set(name, build());
      }
      const deaths = () => WORKERS.reduce((sum, name) => sum + fleet.process(name).deaths(), 0);
      const deathsBefore = deaths();
      let peak = 0;
      const look = (): void => {
        for (const name of WORKERS) {
          peak = Math.max(peak, measureFamilyRss(fleet.process(name).pid()));
        }
      };
      const timer = existsSync('/proc/self/statm') ? setInterval(look, LOOK_MS) : undefined;
      try {
        const terms = { count: 150, perSecond: 15, wish: () => ({ prompt: 'sandbox:fixed' }) };
        const before = await scene.another();
        await before.load(terms).done;
        const { slowestMs: slowestBeforeMs } = await readSums(scene, before.id, 120_000);
        scene.figure('slowest ordinary task before ms', slowestBeforeMs);
        const quiet = await scene.another();
        const ordinary = quiet.load(terms);
        const names = Object.keys(BOMBS);
        for (let n = 0; n < 3 * names.length; n += 1) {
          const url = `${imageHost.url}${names[n % names.length]}`;
          await scene.submitOne({ prompt: 'sandbox:fixed', image_urls: [url] });
          scene.injected();
        }
        await ordinary.done;
        for (const [what, id] of [
          ['ordinary task', quiet.id],
          ['bomb', scene.customer.id],
        ] as const) {
          const { tries, slowestMs } = await readSums(scene, id, 120_000);
          scene.figure(`slowest ${what} ms`, slowestMs);
          scene.must(tries === 0, `${tries} tries were lost`);
        }
      } finally {
        clearInterval(timer);
      }
      scene.figure('peak of a worker with decoders MB', peak);
      scene.must(peak < MAX_MB, `a worker and its decoders took ${Math.round(peak)} MB`);
      scene.must(deaths() === deathsBefore, `${deaths() - deathsBefore} workers died`);
    },
  },
];
