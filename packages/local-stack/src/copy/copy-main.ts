// Copies data folders for `gateway backup` and `gateway restore`. Arguments: "save", a data folder and a new one; "place", a saved folder
// and a new data folder; or "serve" with the same. That one runs database and object store of the copy, and removes it at the end. Each
// line of standard output is a message. The program ends when its standard input does.
import fs from 'node:fs';
import { placeDataDir, saveDataDir } from './copy-data-dir.js';
import { serveDataDir } from './serve-data-dir.js';

const [mode = '', from = '', to = ''] = process.argv.slice(2);
const controller = new AbortController();
const { signal } = controller;
const stop = (): void => controller.abort();
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
process.stdin.once('end', stop).once('error', stop).resume();

const send = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
const context = { signal, out: process.stderr, onFile: (file: object) => send({ file }) };

async function serve(): Promise<void> {
  let folder: string | undefined;
  try {
    ({ folder } = await placeDataDir(from, to, { ...context, isScratch: true }));
    const { env, stop: end } = await serveDataDir(to, context);
    send({ env });
    await new Promise<void>((resolve) => {
      if (signal.aborted) {
        resolve();
      }
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await end();
  } finally {
    for (const made of [to, ...(folder === undefined ? [] : [folder])]) {
      fs.rmSync(made, { recursive: true, force: true });
    }
  }
}

try {
  if (mode === 'save') {
    await saveDataDir(from, to, context);
  } else if (mode === 'place') {
    await placeDataDir(from, to, { ...context, isScratch: false });
  } else {
    await serve();
  }
} catch (error) {
  send({ error: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
}
process.exit();
