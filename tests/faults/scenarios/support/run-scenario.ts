import { awaitRest } from '../../judge/await-rest.js';
import { judgeAlerts } from '../../judge/judge-alerts.js';
import { judgeCustomer } from '../../judge/judge-customer.js';
import type { TaskHistory } from '../../judge/read-history.js';
import type { Laboratory } from '../../lab/start-laboratory.js';
import type { Submission } from '../../load/submission.js';
import type { Random } from '../../random.js';
import { listAlerts } from '../alerts/may-fire.js';
import type { Scenario, ScenarioResult } from '../scenario.js';
import { heal } from './heal.js';
import { openScene } from './open-scene.js';
import { useProviders } from './use-providers.js';

const REST_MS = 20_000;
const OF_INSTANCES: ReadonlySet<Scenario['providers']> = new Set(['gpu-1,gpu-2', 'relay,chain']);

/** No answer may take longer, whatever is broken. */
const ANSWER_MS = 7_000;
const MAX_FAULTS = 12;

/** Runs one scenario, heals everything, waits until the work rests, and judges what happened. */
export async function runScenario(
  lab: Laboratory,
  scenario: Scenario,
  random: Random,
): Promise<ScenarioResult> {
  const begun = performance.now();
  lab.now(scenario.name);
  const { scene, notes } = await openScene(lab, scenario, random);
  const attempt = async (what: string, action: () => Promise<void>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      notes.faults.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  let restMs = 0;
  const histories: (readonly TaskHistory[])[] = [];
  const prepare = [
    () => attempt('providers', () => useProviders(lab, scenario.providers ?? 'sandbox')),
    () => attempt('alerts', () => lab.alerts.begin()),
  ];
  // Workers of instances do not start before the scenario has applied a catalog that names these: nothing may come in between.
  for (const step of OF_INSTANCES.has(scenario.providers) ? prepare.reverse() : prepare) {
    await step();
  }
  await attempt('scenario', () => scenario.run(scene));
  await attempt('healing', () => heal(lab));
  await attempt('rest', async () => {
    for (const { customer } of notes.customers) {
      const { tasksMs } = await awaitRest(
        lab.services.database,
        customer.id,
        scenario.restWithinMs ?? REST_MS,
      );
      restMs += tasksMs;
    }
  });
  const seen: { alerts: readonly string[] | null } = { alerts: null };
  await attempt('alerts', async () => {
    seen.alerts = await lab.alerts.end();
    notes.faults.push(...judgeAlerts(listAlerts(scenario.name, scenario.alerts), seen.alerts));
  });
  await attempt('judging', async () => {
    for (const one of notes.customers) {
      const { faults, history } = await judgeCustomer(lab, one);
      notes.faults.push(...faults);
      histories.push(history);
    }
  });
  const submissions = notes.customers.flatMap((one) => one.submissions);
  notes.faults.push(...unexpected(submissions, scenario.mayRefuse ?? []));
  const tasks = histories.flat();
  const count = (outcome: Submission['outcome']): number =>
    submissions.filter((one) => one.outcome === outcome).length;
  return {
    name: scenario.name,
    fault: scenario.fault,
    outcome: scenario.outcome,
    injected: notes.injected,
    submissions: { accepted: count('accepted'), refused: count('refused'), unknown: count('unknown') },
    tasks: {
      completed: tasks.filter(({ status }) => status === 'completed').length,
      failed: tasks.filter(({ status }) => status === 'failed').length,
    },
    restMs: Math.round(restMs),
    slowestMs: Math.round(Math.max(0, ...submissions.map(({ slowestMs }) => slowestMs))),
    figures: notes.figures,
    ...(scenario.tenants && { tenants: scenario.tenants }),
    ...(seen.alerts !== null && { alerts: seen.alerts }),
    faults: notes.faults.slice(0, MAX_FAULTS),
    tookMs: Math.round(performance.now() - begun),
  };
}

function unexpected(submissions: readonly Submission[], mayRefuse: readonly number[]): string[] {
  const refused = submissions.filter(
    ({ outcome, answer }) => outcome === 'refused' && !mayRefuse.includes(Number(answer)),
  );
  const slow = submissions.filter(({ slowestMs }) => slowestMs > ANSWER_MS);
  return [
    ...refused.map(({ requestId, answer }) => `${requestId} was refused with ${answer}`),
    ...slow.map(({ requestId, slowestMs }) => `${requestId} was answered after ${Math.round(slowestMs)} ms`),
  ];
}
