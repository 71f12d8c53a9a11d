import type { ScenarioAlerts } from '../scenarios/scenario.js';

/** Compares the alerts that have fired with those of the scenario; null stands for a scenario that nobody watched. */
export function judgeAlerts({ fire, may = [] }: ScenarioAlerts, fired: readonly string[] | null): string[] {
  if (fired === null) {
    return [];
  }
  const silent = fire.filter((alert) => !fired.includes(alert));
  const loud = may === 'any' ? [] : fired.filter((alert) => ![...fire, ...may].includes(alert));
  return [
    ...silent.map((alert) => `the alert ${alert} did not fire`),
    ...loud.map((alert) => `the alert ${alert} fired`),
  ];
}
