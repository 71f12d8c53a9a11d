import { expect } from '@jest/globals';
import { query } from '../acceptance/support/product/database.js';
import { expectSound, type Views } from './check-page.js';
import type { BrowserScene } from './open-scene.js';
import type { Visitor } from './open-visitor.js';

/** Spans of the page of status, and a heading that each shows. */
export const SPANS = [
  ['day', 'By hour'],
  ['week', 'By hour'],
  ['month', 'By day'],
] as const;

/** Figures of a busy month, which no test could make by tasks. Nothing else reads these hours. */
const BUSY = [
  `INSERT INTO task_hours (hour, model, completed, failed, images, charged_micros, waits, durations)
   SELECT date_trunc('hour', now(), 'UTC') - make_interval(hours => n), 'busy', 60000 + 40000 * sin(n * 0.26), 500, 200000,
          6000000000 + 4000000000 * sin(n * 0.26),
          ARRAY(SELECT CASE WHEN bucket BETWEEN 4 AND 14 THEN 9 ELSE 0 END FROM generate_series(1, 45) bucket),
          ARRAY(SELECT CASE WHEN bucket BETWEEN 20 AND 26 THEN 9 ELSE 0 END FROM generate_series(1, 45) bucket)
     FROM generate_series(1, 740) n`,
  `INSERT INTO provider_call_hours (hour, provider, model, state, detail, calls, cost_micros, last_call_at)
   SELECT date_trunc('hour', now(), 'UTC') - make_interval(hours => n), provider, 'busy', state, '',
          CASE state WHEN 'succeeded' THEN 20000 ELSE n % 7 * 300 END, 1000000000, now() - make_interval(hours => n)
     FROM generate_series(1, 740) n, unnest(ARRAY['busy-1', 'busy-2', 'busy-3']) provider, unnest(ARRAY['succeeded', 'failed']) state`,
];

/** Makes the gateway a busy one. */
export async function fillMonth(scene: BrowserScene): Promise<void> {
  for (const statement of BUSY) {
    await query(scene.product, statement);
  }
}

/** Reads the status of a busy gateway over one span. */
export async function readStatus(
  {
    scene,
    operator,
    views,
  }: { readonly scene: BrowserScene; readonly operator: Visitor; readonly views: Views },
  [span, title]: (typeof SPANS)[number],
): Promise<void> {
  const { page } = operator;
  await page.setViewportSize(views[0].size);
  await operator.open('/operator/status');
  await page.getByLabel('Span', { exact: true }).selectOption(span);
  await page.getByRole('heading', { name: title }).waitFor();
  await operator.settle();
  await page.getByRole('application', { name: /^Money in each/ }).waitFor();
  await expectSound({ scene, visitor: operator, views }, `status-busy-${span}`);
  expect(operator.problems.splice(0)).toEqual([]);
}
