import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type pg from 'pg';
import { refuseFormerRelease } from './refuse-previous-release.js';

test('a process that has ended does not seem alive because a look at it was slow', async () => {
  const looks = [[{ name: 'generation-worker', version: '0.3.0', agoMs: 50 }], []];
  const client = {
    query: async () => {
      await sleep(400);
      return { rows: looks.shift() };
    },
  } as unknown as pg.Client;
  const told: string[] = [];
  await refuseFormerRelease(client, new Set(['baseline']), {
    tell: (line) => told.push(line),
    // After a fifteenth of it a sign of life is one of a process that runs.
    silenceMs: 1_500,
    baseline: { name: 'baseline', replaces: [] },
  });
  expect(told).toEqual([expect.stringContaining('If it has ended, this goes on by itself')]);
});
