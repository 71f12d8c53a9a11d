import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import tls from 'node:tls';
import { findFreePort } from '@image-gateway/local-stack';
import { createOutbound } from '@image-gateway/shared/outbound';
import { countFor } from '../load/count-for.js';
import { median } from '../report/median.js';
import { quantile } from '../report/quantile.js';
import { spread } from '../report/spread.js';
import { startBaseline } from '../stage/baseline.js';
import type { Bench } from '../stage/bench.js';

const AT_A_TIME = 8;
const IMAGE_BYTES = 300_000;
const CALLS = 5;
const CONTESTANTS = { 'connections kept': 'key', 'a connection each': undefined } as const;

/** Tasks of five calls over TLS by the product's client, with connections that are kept and with one for each call. */
export async function connections(bench: Bench): Promise<void> {
  const file = (name: string): string => path.join(bench.folder, name);
  const [certificate, key] = [file('provider.pem'), file('provider.key')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-keyout',
      key,
      '-out',
      certificate,
    ],
    { stdio: 'ignore' },
  );
  tls.setDefaultCACertificates([readFileSync(certificate, 'utf8')]);
  const port = await findFreePort();
  const provider = await startBaseline(bench, 'tls-provider', {
    TLS_PORT: String(port),
    CERTIFICATE: certificate,
    KEY: key,
    SIZE: String(IMAGE_BYTES),
  });
  const outbound = createOutbound({ allow: new Set([`127.0.0.1:${port}`]) });
  const call = async (times: number[], owner: string | undefined, target: string): Promise<void> => {
    const from = performance.now();
    const isCostly = target === '/submit';
    await outbound.request({
      ...(isCostly ? { method: 'POST', body: Buffer.alloc(1_000, 32) } : { method: 'GET' }),
      url: `https://127.0.0.1:${port}${target}`,
      maxBytes: 2 * IMAGE_BYTES,
      timeoutMs: 30_000,
      isCostly,
      owner,
    });
    times.push(performance.now() - from);
  };
  const figures = new Map<string, { perSecond: number[]; cpu: number[]; p50: number[]; p99: number[] }>();
  try {
    for (let round = 0; round <= bench.rounds; round += 1) {
      const turn = Object.entries(CONTESTANTS);
      for (const [name, owner] of round % 2 === 0 ? turn : turn.reverse()) {
        const times: number[] = [];
        const before = process.cpuUsage();
        const perSecond = await countFor(bench.seconds, AT_A_TIME, async () => {
          for (const target of ['/submit', '/state', '/state', '/result', '/image']) {
            await call(times, owner, target);
          }
        });
        const { user, system } = process.cpuUsage(before);
        if (round > 0) {
          const figure = figures.get(name) ?? { perSecond: [], cpu: [], p50: [], p99: [] };
          figure.perSecond.push(perSecond);
          figure.cpu.push((user + system) / 1_000 / (times.length / CALLS));
          figure.p50.push(quantile(times, 0.5));
          figure.p99.push(quantile(times, 0.99));
          figures.set(name, figure);
        }
      }
    }
    for (const [name, { perSecond, cpu, p50, p99 }] of figures) {
      const client = `CPU of the client ${median(cpu).toFixed(2)} ms a task`;
      bench.say(
        `  ${name.padEnd(18)} ${spread(perSecond)} tasks/s, ${client}; a call p50 ${median(p50).toFixed(2)} ms, p99 ${median(p99).toFixed(1)} ms`,
      );
    }
  } finally {
    await provider.stop();
  }
}
