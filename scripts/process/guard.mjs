// Stops the children of its parent when the parent ends without doing so itself (kill -9, out of memory).
// The parent writes one line per child: "+pid role signal" when it starts, "-pid" when it has ended, "quit" at an orderly end.
// The end of the input without "quit" means that the parent was killed. First the apps get their signal and time to drain
// (argument 1, milliseconds), then the services. Afterwards the remaining process groups are killed.
import readline from 'node:readline';
import { startedAt } from './process-identity.mjs';

const graceMs = Number(process.argv[2] ?? 25_000);
const SERVICE_TIMEOUT_MS = 5_000;

/** @type {Map<number, { role: string, signal: string, started: string | null }>} */
const children = new Map();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {});
}

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {number} pid @param {string} signal */
function send(pid, signal) {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** A process group outlives its leader; the number of a living group is never given to another process. @param {number} pid */
function groupLives(pid) {
  const now = startedAt(pid);
  if (now !== null && now !== children.get(pid)?.started) {
    return false;
  }
  return now !== null || send(-pid, /** @type {any} */ (0));
}

/** @param {string} role @param {number} ms */
async function stopAll(role, ms) {
  const pids = [...children].filter(([, child]) => child.role === role).map(([pid]) => pid);
  for (const pid of pids) {
    if (groupLives(pid)) {
      send(pid, children.get(pid)?.signal ?? 'SIGTERM');
    }
  }
  const until = Date.now() + ms;
  while (pids.some((pid) => startedAt(pid) !== null && groupLives(pid)) && Date.now() < until) {
    await sleep(50);
  }
  for (const pid of pids) {
    if (groupLives(pid)) {
      send(-pid, 'SIGKILL');
    }
  }
}

/** @param {string} line */
function obey(line) {
  if (line === 'quit') {
    process.exit(0);
  }
  const [head, role = 'app', signal = 'SIGTERM'] = line.slice(1).split(' ');
  const pid = Number(head);
  if (line.startsWith('+')) {
    children.set(pid, { role, signal, started: startedAt(pid) });
  } else {
    children.delete(pid);
  }
}

readline
  .createInterface({ input: process.stdin })
  .on('line', obey)
  .on('close', async () => {
    await stopAll('app', graceMs);
    await stopAll('service', SERVICE_TIMEOUT_MS);
    process.exit(0);
  });
