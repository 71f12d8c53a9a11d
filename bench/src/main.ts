// npm run bench -- SCENE… [options]; ../options.mjs reads them.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readBenchOptions } from '../options.mjs';
import { createLoader } from './load/create-loader.js';
import { judgeRun } from './report/judge-run.js';
import { describeRun, readRuns, recordRun } from './report/results-folder.js';
import type { Score } from './report/run.js';
import { attacks } from './scenes/attacks.js';
import { bytes } from './scenes/bytes.js';
import { catalog } from './scenes/catalog.js';
import { connections } from './scenes/connections.js';
import { endToEnd } from './scenes/end-to-end.js';
import { endpoints } from './scenes/endpoints.js';
import { facade } from './scenes/facade.js';
import { flood } from './scenes/flood.js';
import { growth } from './scenes/growth.js';
import { images } from './scenes/images.js';
import { memory } from './scenes/memory.js';
import { poll } from './scenes/poll.js';
import { processes } from './scenes/processes.js';
import { rawLimits } from './scenes/raw-limits.js';
import { serve } from './scenes/serve.js';
import { submit } from './scenes/submit.js';
import { waiters } from './scenes/waiters.js';
import { webhooks } from './scenes/webhooks.js';
import { writes } from './scenes/writes.js';
import type { Bench } from './stage/bench.js';
import { startServices } from './stage/services.js';

const scenes = {
  submit,
  poll,
  'raw-limits': rawLimits,
  pictures: images,
  serve,
  'end-to-end': endToEnd,
  writes,
  webhooks,
  endpoints,
  connections,
  facade,
  flood,
  processes,
  growth,
  bytes,
  memory,
  waiters,
  catalog,
  attacks,
} as const;
const options = readBenchOptions(process.argv.slice(2));
if (options === null) {
  process.exit();
}
const flag = (name: string): string | undefined => options.values[name];
const root = path.resolve(import.meta.dirname, '../..');
const folder = flag('folder') ?? mkdtempSync(path.join(os.tmpdir(), 'image-gateway-bench-'));
mkdirSync(folder, { recursive: true });
const run = describeRun(root);
let scores: Score[] = [];
const stop = new AbortController();
const services = await startServices(root, stop.signal);
const loader = createLoader();
// Ctrl-C: nothing that was started may stay behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stop.abort();
    loader.stop();
    services.stop().then(
      () => process.exit(1),
      () => process.exit(1),
    );
  });
}
const bench: Bench = {
  root,
  folder,
  services,
  loader,
  flag,
  seconds: Number(flag('seconds') ?? 3),
  rounds: Number(flag('rounds') ?? 5),
  warmUp: Number(flag('warm-up') ?? 8),
  connections: Number(flag('connections') ?? 64),
  nodeArgs: (flag('node') ?? '').split(' ').filter(Boolean),
  isQuick: options.isQuick,
  say: (line) => console.log(line),
  score: (score) => void scores.push(score),
};

/** Runs scenes and returns their figures. */
async function runScenes(names: readonly string[]): Promise<Score[]> {
  scores = [];
  for (const [name, scene] of Object.entries(scenes).filter(([one]) => names.includes(one))) {
    const load = os.loadavg().map((value) => value.toFixed(1));
    bench.say(`${name}  (load ${load.join(' ')})`);
    await scene(bench);
  }
  return scores;
}

let isWhole = false;
try {
  const recorded = readRuns(root);
  const measured = await runScenes(options.scenes);
  if (options.guard) {
    const fallen = await judgeRun({ ...run, recorded, measured, runScenes, say: bench.say });
    process.exitCode = fallen.length > 0 ? 1 : 0;
  }
  if (options.record) {
    bench.say(`kept as ${recordRun(root, { ...run, scores: measured })}`);
  }
  isWhole = true;
} finally {
  loader.stop();
  await services.stop();
  if (!isWhole) {
    bench.say(`logs are kept in ${folder}`);
  } else if (flag('folder') === undefined) {
    rmSync(folder, { recursive: true });
  }
}
