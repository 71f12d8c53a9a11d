import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'minio';
import { type Contestant, compete } from '../load/compete.js';
import { fillBacklog } from '../load/fill-backlog.js';
import { readSlowly } from '../load/readers/read-slowly.js';
import { getRequest } from '../load/requests.js';
import { submissions } from '../load/submissions.js';
import { printRounds } from '../report/print-rounds.js';
import { startBaseline } from '../stage/baseline.js';
import type { Bench } from '../stage/bench.js';
import { measurePeakMib, measureResidentMib } from '../stage/measure-usage.js';
import { readLoopLag, showLoopLag } from '../stage/read-loop-lag.js';
import { countTasks } from '../stage/rows/count-tasks.js';
import type { Program } from '../stage/start-program.js';
import { startStore } from '../stage/start-store.js';
import { type Product, type ProductPlan, withProduct } from '../stage/with-product.js';

const IMAGES = 40;
const SLOW_READERS = { readers: 200, bytesPerSecond: 100_000, seconds: 20 };
const BODY = { model: 'nanobanana', prompt: 'a red fox in the snow, at dawn' };
const LINK_SECONDS = 86_400;

/**
 * Measures downloads a second through the API, a bare Node proxy and nginx, all in front of one store. Then measures memory
 * under slow readers.
 */
export async function serve(bench: Bench): Promise<void> {
  const bytes = Number(bench.flag('size') ?? 1.5) * 1_000_000;
  const store = await startStore(bench, 'embedded');
  if (!store) {
    return;
  }
  const { s3 } = store;
  const stub = await startBaseline(bench, 'gemini-stub', { BYTES: String(bytes), LATENCY: '0' });
  const settings = { PROVIDERS: 'gemini', GEMINI_API_KEY: 'stub', GEMINI_BASE_URL: stub.url };
  const proxies: Record<string, Program> = {
    'bare proxy': await startBaseline(bench, 'bare-proxy', { S3_ENDPOINT: s3.endpoint }),
    ...(hasNginx() && { nginx: await startBaseline(bench, 'nginx', { S3_ENDPOINT: s3.endpoint }) }),
  };
  try {
    await withProduct(bench, { s3, settings }, async (product) => {
      const [api] = product.apis;
      const keys = await makeImages(bench, product, { ...settings, OUTBOUND_ALLOW: new URL(stub.url).host });
      if (!api) {
        return;
      }
      const links = await signLinks(s3, keys);
      const files = keys.map((key) => `/files/${key}`);
      const contestants: Contestant[] = [
        ...Object.entries(proxies).map(([name, { url, pid }]) => ({
          name,
          urls: [url],
          pids: { process: pid },
          status: 200,
          requests: links.map((link) => getRequest(link)),
        })),
        {
          name: 'product',
          urls: [api.url],
          pids: { process: api.pid },
          status: 200,
          requests: files.map((file) => getRequest(file)),
        },
      ];
      await readLoopLag(api);
      printRounds(bench, 'serve', await compete(bench, contestants));
      bench.say(`  product: ${showLoopLag(await readLoopLag(api))}`);
      const before = Math.round(measurePeakMib(api.pid));
      const read = await readSlowly({ url: api.url, paths: files, ...SLOW_READERS });
      bench.say(
        `  ${SLOW_READERS.readers} slow readers: ${Math.round(read / SLOW_READERS.seconds / 1_000)} kB/s in all; API ${Math.round(measureResidentMib(api.pid))} MiB, peak ${Math.round(measurePeakMib(api.pid))} MiB, before ${before}`,
      );
    });
  } finally {
    await Promise.all([...Object.values(proxies), stub, store].map(({ stop }) => stop()));
  }
}

function hasNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Makes some images through the product, as they are in production. Returns their keys. */
async function makeImages(
  bench: Bench,
  { pool, accounts, apis, startWorkers }: Product,
  settings: NonNullable<ProductPlan['settings']>,
): Promise<string[]> {
  await fillBacklog(bench, apis[0]?.url ?? '', submissions(accounts, BODY), IMAGES);
  const [worker] = await startWorkers(1, { ...settings, GENERATION_CONCURRENCY: '8' });
  while ((await countTasks(pool)).ended < IMAGES) {
    await sleep(200);
  }
  await worker?.stop();
  const { rows } = await pool.query<{ key: string }>(
    `SELECT o.key FROM task_outputs o JOIN tasks t ON t.id = o.task_id WHERE t.status = 'completed' LIMIT ${IMAGES}`,
  );
  return rows.map(({ key }) => key);
}

/** Returns path and query of a signed link to each object. */
async function signLinks(s3: Bench['services']['s3'], keys: readonly string[]): Promise<string[]> {
  const { hostname, port } = new URL(s3.endpoint);
  const client = new Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    region: 'us-east-1',
    accessKey: s3.accessKey,
    secretKey: s3.secretKey,
  });
  const links = await Promise.all(
    keys.map((key) => client.presignedGetObject('image-gateway', key, LINK_SECONDS)),
  );
  return links.map((link) => new URL(link).pathname + new URL(link).search);
}
