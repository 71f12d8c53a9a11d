import type { ScenarioResult } from '../scenarios/scenario.js';

/** Returns one line about a scenario that has ended, and one for each fault that it found. */
export function formatResult(result: ScenarioResult): string {
  const { name, injected, submissions, tasks, restMs, slowestMs, figures, faults, tookMs } = result;
  const more = Object.entries(figures).map(([what, value]) => `, ${what} ${value}`);
  const line =
    `${faults.length === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(28)} ${String(injected).padStart(4)} faults, ` +
    `${submissions.accepted} accepted / ${submissions.refused} refused / ${submissions.unknown} unknown, ` +
    `${tasks.completed} completed, ${tasks.failed} failed, rest ${restMs} ms, slowest ${slowestMs} ms, ` +
    `${(tookMs / 1_000).toFixed(1)} s${more.join('')}`;
  return [line, ...faults.map((fault) => `       ${fault}`)].join('\n');
}
