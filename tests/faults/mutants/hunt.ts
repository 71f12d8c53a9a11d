import { spawn } from 'node:child_process';
import { findPrometheus } from '../lab/alerts/find-prometheus.js';
import type { RunSummary } from '../report/run-summary.js';
import type { SimulationResult } from '../simulation/simulate.js';
import { huntByTest } from './hunt-by-test.js';

/** Fault that a hunt has found; null when there is none. */
export type Prey = string | null;

/** Returns whether a hunter is a test file: it reads the sources, or starts a product that compiles them. */
const isTest = (hunter: string): boolean => hunter.endsWith('.test.ts');

const HUNT_MS = 200_000;
const SIMULATION_SECONDS = '45';

/**
 * Runs one hunter in a checkout: the simulation, a test file, or scenarios of the laboratory. Throws Error when it could not
 * run at all.
 */
export async function hunt(
  root: string,
  { hunter, red, seed }: { readonly hunter: string; readonly red: string | undefined; readonly seed: number },
  signal: AbortSignal,
): Promise<Prey> {
  if (hunter === 'simulation') {
    const args = ['tests/faults/simulation/main.ts', String(seed), SIMULATION_SECONDS];
    const { failed } = JSON.parse(await output(root, args, signal)) as SimulationResult;
    return failed ? (failed.faults[0] ?? 'a fault') : null;
  }
  if (isTest(hunter)) {
    return huntByTest(root, { file: hunter, red }, signal);
  }
  const args = ['tests/faults/main.ts', '--only', hunter, '--seed', String(seed), '--json'];
  // Only hunters of alerts may find a defect by an alert: others fire or not as the machine is slow.
  const isOfAlerts = hunter.startsWith('alert-');
  if (isOfAlerts && findPrometheus() === null) {
    throw new Error('there is no Prometheus: node scripts/check-deploy.mjs --install makes one');
  }
  const env = isOfAlerts ? {} : { FAULTS_ALERTS: 'off' };
  const summary = JSON.parse(await output(root, args, signal, env)) as RunSummary;
  if (summary.green) {
    return null;
  }
  const faults = [...summary.scenarios, ...summary.closing].flatMap((one) => one.faults);
  return faults[0] ?? 'a fault';
}

function output(
  root: string,
  args: readonly string[],
  signal: AbortSignal,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const node = ['--conditions=@image-gateway/source', '--import', 'tsx', ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, node, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    let errors = '';
    const stop = (): void => void child.kill('SIGTERM');
    const late = setTimeout(stop, HUNT_MS);
    signal.addEventListener('abort', stop, { once: true });
    child.stdout.on('data', (part: Buffer) => (said += part.toString()));
    child.stderr.on('data', (part: Buffer) => (errors += part.toString()));
    child.on('close', () => {
      clearTimeout(late);
      signal.removeEventListener('abort', stop);
      if (said.trim() === '') {
        reject(new Error(`the hunter said nothing: ${errors.slice(-600)}`));
      } else {
        resolve(said);
      }
    });
  });
}
