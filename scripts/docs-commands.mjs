// node scripts/docs-commands.mjs [PAGE…]: runs the commands of README.md and the pages in docs/, against a gateway that it starts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { listCommands, NOT_RUN, TESTED_ELSEWHERE } from './docs/commands.mjs';
import { parseOptions } from './options/parse-options.mjs';
import { summaryLine } from './testing/summary-line.mjs';

const ROOT = path.resolve(import.meta.dirname, '..');
const START_MS = 300_000;
const COMMAND_MS = 120_000;
const READY = /image-gateway is running|listening|http:\/\/127\.0\.0\.1:\d+/;

const USAGE = `Usage: node scripts/docs-commands.mjs [PAGE…]

Runs the commands in the shell blocks of the pages (README.md and docs/**.md unless named), in this clone, against a gateway of its own.
Names each command that it leaves out, with the reason.`;

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'image-gateway-commands-'));
/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/** @returns {Promise<number>} */
async function findPort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts a program that stays, and waits until it serves.
 * @param {string} command
 * @param {Record<string, string>} env
 */
async function startProgram(command, env) {
  const child = spawn('bash', ['-c', `exec ${/^[A-Z_]+=/.test(command) ? 'env ' : ''}${command}`], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.add(child);
  let output = '';
  await new Promise((resolve, reject) => {
    const fail = (/** @type {string} */ why) => reject(new Error(`${why}:\n${output.slice(-2_000)}`));
    const timer = setTimeout(() => fail('it did not start in time'), START_MS);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece) => {
        output += piece;
        if (READY.test(output)) {
          clearTimeout(timer);
          resolve(undefined);
        }
      });
    }
    child.once('exit', (code) => {
      running.delete(child);
      clearTimeout(timer);
      // `--help` ends by itself.
      code === 0 ? resolve(undefined) : fail(`it ended with ${code}`);
    });
  });
  return child;
}

/** @param {import('node:child_process').ChildProcess} child */
async function stopProgram(child) {
  if (!running.has(child)) {
    return;
  }
  const ended = once(child, 'exit');
  // The whole group, as Ctrl-C does.
  process.kill(-Number(child.pid), 'SIGINT');
  await ended;
  running.delete(child);
}

/** A shell that takes one command after the other, so that variables stay. */
function openShell(/** @type {Record<string, string>} */ env) {
  const child = spawn('bash', [], {
    cwd: work,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => {
      output += piece;
    });
  }
  // An answer with an error fails the command. Commands of the clone run there.
  child.stdin.write(`curl() { command curl --fail-with-body --max-time 90 "$@"; }
npm() { (cd '${ROOT}' && command npm "$@"); }
npx() { (cd '${ROOT}' && command npx --no-install "$@"); }
set -o pipefail\n`);
  return {
    /** @param {string} command */
    run: async (command) => {
      output = '';
      child.stdin.write(`{ ${command}\n} </dev/null; echo "::ended $?"\n`);
      const until = Date.now() + COMMAND_MS;
      let ended = null;
      while (ended === null && Date.now() < until && child.exitCode === null) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        ended = /::ended (\d+)\n/.exec(output);
      }
      return { passed: ended?.[1] === '0', output: output.replace(/::ended \d+\n/, '') };
    },
    close: () => child.kill('SIGKILL'),
  };
}

/** @param {string} folder @returns {string[]} */
const listPages = (folder) =>
  fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join(folder, name))
    .filter((name) => name.endsWith('.md'))
    .sort();

/**
 * Puts in what a reader puts in: ids that an earlier command printed, the address and the folder of this gateway.
 * @param {string} command
 * @param {{ url: string, data: string, stub: string, ids: Map<string, string> }} place
 */
const fill = (command, { url, data, stub, ids }) =>
  command
    .replace(/\b(gen|acc|key)_…/g, (text, kind) => ids.get(kind) ?? text)
    .replace(/(http:\/\/)?localhost:3000/g, url)
    .replaceAll('http://127.0.0.1:8090', stub)
    .replaceAll('.data/run.json', path.join(data, 'run.json'))
    .replace(/\bgw_live_…/g, '"$GATEWAY_KEY"')
    // Pages set prices without regard to each other.
    .replace(/\bcatalog (check|apply) catalog\.yaml/g, '$& --yes')
    .replace(/\bcatalog\.yaml\b/g, path.join(work, 'catalog.yaml'));

async function main() {
  const parsed = parseOptions(USAGE, { allowPositionals: true });
  if (parsed === null) {
    return 0;
  }
  const pages = parsed.positionals.length > 0 ? parsed.positionals : ['README.md', ...listPages('docs')];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const [port, stubPort] = [await findPort(), await findPort()];
  const data = path.join(work, 'data');
  const own = { PORT: String(port), DATA_DIR: data };
  await startProgram('npm start', own);
  const { api, demo } = JSON.parse(fs.readFileSync(path.join(data, 'run.json'), 'utf8'));
  const url = api.url;
  const authorization = `Bearer ${demo.apiKey}`;
  /** Waits until no task is under way. */
  const settle = async () => {
    for (let left = 1; left > 0; ) {
      const answer = await fetch(`${url}/v1/tasks?status=pending`, { headers: { authorization } });
      left = /** @type {any} */ (await answer.json()).data.items.length;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const drawn = await fetch(`${url}/v1/generate`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', prefer: 'wait=50' },
    body: JSON.stringify({ model: 'nanobanana', prompt: 'a red fox' }),
  });
  const { data: task } = /** @type {any} */ (await drawn.json());
  const image = await fetch(task.output.url);
  const [, document = ''] =
    /^```yaml\n(.*?)^```/ms.exec(fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8')) ?? [];
  fs.writeFileSync(path.join(work, 'catalog.yaml'), document);
  fs.writeFileSync(path.join(work, 'fox.png'), new Uint8Array(await image.arrayBuffer()));

  for (const page of pages) {
    const elsewhere = Object.entries(TESTED_ELSEWHERE).find(([folder]) => page.startsWith(folder));
    const commands = listCommands(fs.readFileSync(path.join(ROOT, page), 'utf8'));
    if (commands.length === 0) {
      continue;
    }
    process.stdout.write(`${page}\n`);
    if (elsewhere) {
      process.stdout.write(`  elsewhere: ${elsewhere[1]} runs its ${commands.length} commands\n`);
      continue;
    }
    const stub = `http://127.0.0.1:${stubPort}`;
    const ids = new Map([['gen', task.id]]);
    const shell = openShell({
      ...own,
      API: url,
      BASE: url,
      GATEWAY_URL: url,
      KEY: demo.apiKey,
      GATEWAY_KEY: demo.apiKey,
    });
    /** @type {import('node:child_process').ChildProcess[]} */
    const started = [];
    for (const { line, command } of commands) {
      const left = NOT_RUN.find(([pattern]) => pattern.test(command));
      if (left) {
        process.stdout.write(`  not run, needs ${left[1]}: ${command.split('\n')[0]}\n`);
        continue;
      }
      const filled = fill(command, { url, data, stub, ids });
      let result = { passed: true, output: '' };
      if (/^npm run stub-upstreams|\bnpm start\b/.test(filled)) {
        const isStub = filled.startsWith('npm run stub');
        try {
          const child = await startProgram(isStub ? `${filled} -- --port ${stubPort}` : filled, {
            PORT: String(await findPort()),
            DATA_DIR: path.join(work, `of-line-${path.basename(page)}-${line}`),
          });
          isStub ? started.push(child) : await stopProgram(child);
        } catch (error) {
          result = { passed: false, output: String(error) };
        }
      } else {
        await settle();
        result = await shell.run(filled);
        for (const [id, kind = ''] of result.output.matchAll(/\b(gen|acc|key)_[0-9A-Za-z]+/g)) {
          ids.set(kind, id);
        }
      }
      counts[result.passed ? 'passed' : 'failed'] += 1;
      process.stdout.write(`  ${result.passed ? 'ok    ' : 'FAILED'} ${command.split('\n')[0]}\n`);
      if (!result.passed) {
        process.stdout.write(`${page}:${line}\n${filled}\n${result.output.slice(-2_000)}\n`);
      }
    }
    shell.close();
    for (const child of started) {
      await stopProgram(child);
    }
  }
  fs.writeSync(1, `${summaryLine(counts)}\n`);
  return counts.failed > 0 ? 1 : 0;
}

let code = 1;
try {
  code = await main();
} finally {
  for (const child of running) {
    await stopProgram(child);
  }
  fs.rmSync(work, { recursive: true, force: true });
}
process.exit(code);
