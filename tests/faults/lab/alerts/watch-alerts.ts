import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually, freePort } from '@image-gateway/testing';
import type { Guard } from '../start-guard.js';
import { findPrometheus } from './find-prometheus.js';
import { readAlertRules, scaleRules } from './scale-rules.js';

/** A real Prometheus that watches the processes with the rules that operators deploy, in shorter times. */
export interface AlertWatch {
  /** Starts an empty Prometheus, so that nothing counts that was before; does nothing where there is none. */
  readonly begin: () => Promise<void>;
  /** Waits until all of these alerts fire; throws Error naming those that do when the time is over. */
  readonly untilFiring: (alerts: readonly string[], timeoutMs?: number) => Promise<void>;
  /** Stops Prometheus and returns the alerts that have fired since its start; null where there is none. */
  readonly end: () => Promise<readonly string[] | null>;
}

const FIRING_MS = 120_000;
const REACHED_MS = 10_000;
const EVER = 'count by (alertname) (max_over_time(ALERTS{alertstate="firing"}[1h]))';
const NOW = 'count by (alertname) (ALERTS{alertstate="firing"})';

interface Running {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly query: (expr: string) => Promise<readonly string[]>;
}

/** Creates the watch over the processes whose metrics are at these addresses. */
export function watchAlerts(guard: Guard, targets: readonly string[]): AlertWatch {
  const program = findPrometheus();
  let running: Running | null = null;
  const stop = async (): Promise<void> => {
    if (running === null) {
      return;
    }
    const { child, folder } = running;
    running = null;
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    if (child.pid !== undefined) {
      guard.remove(child.pid);
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    begin: async () => {
      await stop();
      if (program !== null) {
        running = await startPrometheus(program, guard, targets);
      }
    },
    untilFiring: async (alerts, timeoutMs = FIRING_MS) => {
      await eventually(
        async () => {
          const firing = (await running?.query(NOW)) ?? [];
          if (!alerts.every((alert) => firing.includes(alert))) {
            throw new Error(`of ${alerts.join(', ')} these fire: ${firing.join(', ') || 'none'}`);
          }
        },
        { timeoutMs, everyMs: 250 },
      );
    },
    end: async () => {
      try {
        return (await running?.query(EVER)) ?? null;
      } finally {
        await stop();
      }
    },
  };
}

async function startPrometheus(program: string, guard: Guard, targets: readonly string[]): Promise<Running> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'prometheus-'));
  // YAML takes JSON. The usual interval of 15 to 30 s, by the factor; a scrape may take as long.
  writeFileSync(
    path.join(folder, 'prometheus.yml'),
    JSON.stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '500ms' },
      rule_files: ['rules.yml'],
      scrape_configs: [{ job_name: 'image-gateway', static_configs: [{ targets }] }],
    }),
  );
  writeFileSync(path.join(folder, 'rules.yml'), JSON.stringify(scaleRules(readAlertRules())));
  const port = await freePort();
  const args = [
    `--config.file=${folder}/prometheus.yml`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said = (said + part.toString()).slice(-2_000)));
  if (child.pid !== undefined) {
    guard.add(child.pid);
  }
  const query = async (expr: string): Promise<readonly string[]> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`);
    const { data } = (await response.json()) as {
      data: { result: readonly { metric: { alertname?: string } }[] };
    };
    return data.result.map(({ metric }) => metric.alertname ?? '').sort();
  };
  await eventually(
    async () => {
      if (child.exitCode !== null) {
        throw new Error(`Prometheus has ended: ${said}`);
      }
      await query('up');
    },
    { timeoutMs: 30_000, everyMs: 100 },
  );
  // Some scenarios begin with workers that do not start yet.
  await eventually(
    async () => {
      if ((await query('up == 1')).length < targets.length) {
        throw new Error('Prometheus has not reached every process');
      }
    },
    { timeoutMs: REACHED_MS, everyMs: 100 },
  ).catch(() => undefined);
  return { child, folder, query };
}
