import { ALERT_FACTOR, readAlertRules } from '../lab/alerts/scale-rules.js';
import { listAlerts } from '../scenarios/alerts/may-fire.js';
import { SCENARIOS } from '../scenarios/index.js';
import type { ScenarioAlerts } from '../scenarios/scenario.js';
import { markdownTable } from './markdown-table.js';
import { findNewest, listResults, type RunSummary } from './run-summary.js';

const HEAD = ['Alert', 'Has to fire in', 'May fire in', 'Seen firing in', 'Seen silent in', 'Runs'];

/** Returns the chapter about alerts: for each the scenarios of the newest runs in which it has fired, and in which not. */
export function alertChapter(runs: readonly RunSummary[]): string {
  const newest = findNewest(listResults(runs, ({ alerts }) => Boolean(alerts)));
  if (newest.size === 0) {
    return '## Alerts\n\nNo run with a Prometheus is kept.';
  }
  const alerts = readAlertRules().groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const rows = alerts.map((alert) => {
    const seen = [...newest].filter(([, { result }]) => result.alerts?.includes(alert));
    const seeds = new Set(seen.map(([, { run }]) => `seed ${run.seed}, commit ${run.commit}`));
    return [
      alert,
      list(({ fire }) => fire.includes(alert)),
      list(({ may = [] }) => may === 'any' || may.includes(alert)),
      seen.map(([name]) => name).join(', ') || 'none',
      `${newest.size - seen.length} scenarios`,
      [...seeds].join('; '),
    ];
  });
  return `## Alerts\n\n${TEXT}\n\n${markdownTable(HEAD, rows)}`;
}

const list = (takes: (alerts: ScenarioAlerts) => boolean): string =>
  SCENARIOS.filter(({ name, alerts }) => takes(listAlerts(name, alerts)))
    .map(({ name }) => name)
    .join(', ') || '-';

const TEXT = `During each scenario a real, empty Prometheus scrapes every process each second and evaluates
[deploy/prometheus/alerts.yaml](../deploy/prometheus/alerts.yaml). Windows, offsets and \`for\` are ${ALERT_FACTOR} times shorter there: a minute takes two seconds. So are two
thresholds that are times of waiting: those of GatewayDueWorkWaits (4 s) and GatewayProviderSlow (2 s). An alert that has to fire and does not, and one
that fires in any other scenario, fail the run. Some may fire or not: whether a killed process is back within four seconds depends on the machine. Those are listed for each kind of scenario.
Without a Prometheus on PATH or in the cache of \`scripts/check-deploy.mjs --install\`, the scenarios of alerts are left out and counted as skipped.`;
