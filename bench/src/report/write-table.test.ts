import { expect, test } from '@jest/globals';
import { drawHistory, drawRatios } from './draw-charts.js';
import type { Run } from './run.js';
import { replaceTable } from './write-table.js';

const RUN: Run = {
  at: '2026-11-26T10:00:00.000Z',
  commit: 'abc1234',
  machine: { node: 'v24', processor: 'one', cores: 2, load: 0.4 },
  scores: [
    { scene: 'submit', name: 'bare Express', unit: '/s', values: [7_000], cpuMicros: { own: 90, all: 90 } },
    {
      scene: 'submit',
      name: 'product',
      unit: '/s',
      values: [3_000, 4_000, 5_000],
      cpuMicros: { own: 120, all: 200 },
      ratios: {
        'bare Express': [0.4, 0.6, 0.5],
        raw: [1.5, 1.7],
        plain: [2, 2.4],
        'its statements alone': [0.3],
      },
    },
    { scene: 'pictures', name: 'product', unit: 'images/s', values: [48.64] },
  ],
};
const PAGE = [
  'before',
  '<!-- Written by `npm run bench -- … --record`. -->',
  'old',
  '<!-- End of what is written. -->',
  'after',
].join('\n');

test('the table stands between its marks, with medians and the ends of the rounds', () => {
  const page = replaceTable(PAGE, [RUN]);
  expect(page).toContain(
    '| submit | product | 4,000 /s | **0.50** (0.40–0.60) | **1.60** (1.50–1.70) | **2.20** (2.00–2.40) | **0.30** (0.30–0.30) | 120 / 200 µs | 2026-11-26, `abc1234`, load 0.4 |',
  );
  expect(page).toContain('| pictures | product | 48.6 images/s |  |  |  |  |  | 2026-11-26');
  expect(page).not.toContain('old');
  expect(page.startsWith('before\n')).toBe(true);
  expect(page.endsWith('\nafter')).toBe(true);
  expect(replaceTable(page, [RUN])).toBe(page);
  expect(() => replaceTable('no marks', [RUN])).toThrow('the page lacks the line');
});

test('the charts show the product alone, and name each of its lines', () => {
  const bars = drawRatios([RUN]);
  expect(bars.match(/<rect /g)).toHaveLength(2); // the ground and one bar
  expect(bars).toContain('>submit<');
  expect(bars).toContain('>0.50<');
  const earlier = { ...RUN, at: '2026-10-01T10:00:00.000Z' };
  const history = drawHistory([RUN, earlier]);
  expect(history.match(/<circle /g)).toHaveLength(2);
  expect(history.match(/<polyline /g)).toHaveLength(1);
  expect(history).toContain('>10-01<');
});
