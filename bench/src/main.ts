// npm run bench -- [SCENE…] [--rounds 5] [--seconds 5] [--connections 64] …
import { mkdirSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createLoader } from './load/create-loader.js';
import { endToEnd } from './scenes/end-to-end.js';
import { flood } from './scenes/flood.js';
import { growth } from './scenes/growth.js';
import { memory } from './scenes/memory.js';
import { poll } from './scenes/poll.js';
import { processes } from './scenes/processes.js';
import { rawLimits } from './scenes/raw-limits.js';
import { submit } from './scenes/submit.js';
import { webhooks } from './scenes/webhooks.js';
import type { Bench } from './stage/bench.js';
import { startServices } from './stage/services.js';

const scenes = {
  ...{ submit, poll, 'raw-limits': rawLimits, 'end-to-end': endToEnd },
  ...{ webhooks, flood, processes, growth, memory },
} as const;
const args = process.argv.slice(2);
const flag = (name: string): string | undefined => {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? undefined : (args[at + 1] ?? '');
};
const firstFlag = args.findIndex((arg) => arg.startsWith('--'));
const wanted = firstFlag < 0 ? args : args.slice(0, firstFlag);
const root = path.resolve(import.meta.dirname, '../..');
const folder = flag('folder') ?? mkdtempSync(path.join(os.tmpdir(), 'image-gateway-bench-'));
mkdirSync(folder, { recursive: true });
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
  seconds: Number(flag('seconds') ?? 5),
  rounds: Number(flag('rounds') ?? 5),
  warmUp: Number(flag('warm-up') ?? 15),
  connections: Number(flag('connections') ?? 64),
  nodeArgs: (flag('node') ?? '').split(' ').filter(Boolean),
  say: (line) => console.log(line),
};
try {
  for (const [name, scene] of Object.entries(scenes)) {
    if (wanted.length > 0 && !wanted.includes(name)) {
      continue;
    }
    bench.say(
      `${name}  (load ${os
        .loadavg()
        .map((l) => l.toFixed(1))
        .join(' ')})`,
    );
    await scene(bench);
  }
} finally {
  loader.stop();
  await services.stop();
}
