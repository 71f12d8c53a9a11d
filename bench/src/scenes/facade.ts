import http from 'node:http';
import { setPriority } from 'node:os';
import type { LoadResult } from '../load/http-load.js';
import { parseTarget } from '../load/parse-target.js';
import { readAtRate } from '../load/readers/read-at-rate.js';
import { submissions } from '../load/submissions.js';
import { startBaseline } from '../stage/baseline.js';
import type { Bench } from '../stage/bench.js';
import { measurePeakMib, measureResidentMib, measureUsage, measureWaitedMs } from '../stage/measure-usage.js';
import { readLoopLag, showLoopLag } from '../stage/read-loop-lag.js';
import type { SeededAccount } from '../stage/rows/seed-accounts.js';
import type { Program } from '../stage/start-program.js';
import { type StoreName, startStore } from '../stage/start-store.js';
import { withProduct } from '../stage/with-product.js';

const ANSWERS = 16;
const IMAGES = 4;
/** Megabytes that a client takes a second. */
const READ_RATE = 1;
const UPLOADS = 16;
/** Uploads that one account may have at a time. */
const UPLOADS_PER_ACCOUNT = 8;
const UPLOAD_CHUNK = Buffer.alloc(64 * 1024, 'x');
const UPLOAD_CHUNK_EVERY_MS = 250;
const PROBES = { connections: 4, perSecond: 40, seconds: 25 };
const READY_EVERY_MS = 500;
const CLIENT_NICENESS = 10;
const BODY = { model: 'nanobanana', prompt: 'a red fox in the snow, at dawn' };
const BOUNDARY = 'image-gateway-bench';

/** Times of `POST /v1/generate` and memory of the API, idle and beside 16 answers of four images of `--size 8` MB and 16 slow uploads. */
export async function facade(bench: Bench): Promise<void> {
  const bytes = Number(bench.flag('size') ?? 8) * 1_000_000;
  const store = await startStore(bench, (bench.flag('store') ?? 'embedded') as StoreName);
  if (!store) {
    throw new Error('there is no program of this store here');
  }
  const stub = await startBaseline(bench, 'gemini-stub', { BYTES: String(bytes), LATENCY: '0' });
  const settings = { PROVIDERS: 'gemini', GEMINI_API_KEY: 'stub', GEMINI_BASE_URL: stub.url };
  try {
    await withProduct(bench, { s3: store.s3, accounts: 5, settings }, async (product) => {
      const [worker] = await product.startWorkers(1, {
        ...settings,
        OUTBOUND_ALLOW: new URL(stub.url).host,
      });
      const [api] = product.apis;
      const [prober, ...owners] = product.accounts;
      if (!api || !prober) {
        throw new Error('the scene needs an API and an account');
      }
      // The images are drawn and paid for once; the answers that are measured repeat these by their keys.
      await readAnswers(api.url, owners, Number.POSITIVE_INFINITY);
      await worker?.stop();
      await measure(bench, { api, prober, owners });
    });
  } finally {
    await Promise.all([stub, store].map(({ stop }) => stop()));
  }
}

interface Stage {
  readonly api: Program;
  readonly prober: SeededAccount;
  readonly owners: readonly SeededAccount[];
}

async function measure(bench: Bench, { api, prober, owners }: Stage): Promise<void> {
  const probe = (): Promise<LoadResult> =>
    bench.loader.run({ ...parseTarget([api.url]), ...PROBES, requests: submissions([prober], BODY) });
  await probe();
  // The readers and uploads are in this process. Clients have machines of their own: they take what the product leaves.
  setPriority(process.pid, CLIENT_NICENESS);
  const before = Math.round(measureResidentMib(api.pid));
  const measureBusy = createMeter(bench, api);
  const idle = await probe();
  const idleCosts = await measureBusy();

  const uploads = Array.from({ length: UPLOADS }, (_, i) =>
    startUpload(
      api.url,
      owners[Math.floor(i / UPLOADS_PER_ACCOUNT)] ?? prober,
      (i * UPLOAD_CHUNK_EVERY_MS) / UPLOADS,
    ),
  );
  let unready = 0;
  const looking = setInterval(() => {
    fetch(`${api.url}/readyz`).then(
      ({ ok }) => {
        unready += ok ? 0 : 1;
      },
      () => {
        unready += 1;
      },
    );
  }, READY_EVERY_MS);
  const cpuBefore = measureUsage(api.pid).cpuMs;
  const from = performance.now();
  const reading = readAnswers(api.url, owners, Number(bench.flag('rate') ?? READ_RATE) * 1_000_000).then(
    (written) => ({
      written,
      seconds: (performance.now() - from) / 1_000,
      cpuMs: measureUsage(api.pid).cpuMs - cpuBefore,
    }),
  );
  const busy = await probe();
  const busyCosts = await measureBusy();
  const uploaded = uploads.map(({ end }) => end()).reduce((sum, sent) => sum + sent, 0);
  const { written, seconds, cpuMs } = await reading;
  clearInterval(looking);

  const show = ({ p50, p95 }: LoadResult): string => `${p50.toFixed(1)} / ${p95.toFixed(1)} ms`;
  bench.say(
    `  POST /v1/generate p50 / p95: idle ${show(idle)}, beside them ${show(busy)}: ${(busy.p95 / idle.p95).toFixed(2)} of idle; ${JSON.stringify(busy.statuses)}`,
  );
  bench.say(`  while these submits ran: idle ${idleCosts}; beside them ${busyCosts}`);
  bench.say(
    `  ${Math.round(written / 1e6)} MB of answers in ${seconds.toFixed(1)} s with ${Math.round(cpuMs)} ms CPU of the API, ${Math.round(uploaded / 1e6)} MB of uploads; /readyz was not 200 ${unready} times; API ${before} MiB before, peak ${Math.round(measurePeakMib(api.pid))} MiB`,
  );
}

/**
 * Creates a function that says what processes took since its last call, and how late the event loop of the API was. Time
 * without a processor is no cost of the API: the bench shares its processors.
 */
function createMeter({ services }: Bench, api: Program): () => Promise<string> {
  const pids = { API: api.pid, bench: process.pid, PostgreSQL: services.postgresPid };
  const read = () => ({
    at: performance.now(),
    waitedMs: measureWaitedMs(api.pid),
    cpuMs: Object.entries(pids).map(([name, pid]) => [name, measureUsage(pid).cpuMs] as const),
  });
  let last = read();
  return async () => {
    const before = last;
    last = read();
    const seconds = (last.at - before.at) / 1_000;
    const costs = last.cpuMs.map(
      ([name, ms], i) => `${name} ${Math.round((ms - (before.cpuMs[i]?.[1] ?? 0)) / seconds)}`,
    );
    const lag = showLoopLag(await readLoopLag(api));
    const waited = Math.round((last.waitedMs - before.waitedMs) / seconds);
    return `CPU ms a second ${costs.join(', ')}; the API was ready and had no processor for ${waited} ms a second; its ${lag}`;
  };
}

/** Asks for four images as often as there are answers, at a time, and reads all of it at a rate. Returns the number of bytes. */
async function readAnswers(url: string, owners: readonly SeededAccount[], rate: number): Promise<number> {
  const lengths = await Promise.all(
    Array.from({ length: ANSWERS }, (_, i) => readAnswer(url, owners[i % owners.length], `bench-${i}`, rate)),
  );
  return lengths.reduce((sum, length) => sum + length, 0);
}

function readAnswer(
  url: string,
  owner: SeededAccount | undefined,
  key: string,
  rate: number,
): Promise<number> {
  return readAtRate({
    url: `${url}/openai/v1/images/generations`,
    headers: {
      authorization: `Bearer ${owner?.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ ...BODY, n: IMAGES }),
    bytesPerSecond: rate,
  });
}

/** Begins an edit whose file comes at 256 kB/s, from `delayMs` on. `end` breaks it off and returns how many bytes were sent. */
function startUpload(
  url: string,
  { apiKey }: SeededAccount,
  delayMs: number,
): { readonly end: () => number } {
  let sent = 0;
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
  };
  const request = http.request(`${url}/openai/v1/images/edits`, { method: 'POST', headers });
  request.on('error', () => undefined);
  request.once('response', ({ statusCode }) => {
    throw new Error(`an upload was answered with status ${statusCode} before its end`);
  });
  request.write(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`,
  );
  const send = (): void => {
    request.write(UPLOAD_CHUNK);
    sent += UPLOAD_CHUNK.length;
  };
  // Clients know nothing of each other: their pieces don't come at the same moment.
  let timer = setTimeout(() => {
    timer = setInterval(send, UPLOAD_CHUNK_EVERY_MS);
  }, delayMs);
  return {
    end: () => {
      clearInterval(timer);
      request.destroy();
      return sent;
    },
  };
}
