// Prepares everything that npm start and npm test need to run: dependencies, the database client, the compiled code.
import fs from 'node:fs';
import path from 'node:path';
import { takeLock } from '../process/lock-file.mjs';
import { bootstrapSteps } from './bootstrap-steps.mjs';
import { runStep } from './run-step.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');
const POLL_MS = 200;

async function lockBootstrap(file, out) {
  let isAnnounced = false;
  for (;;) {
    const lock = takeLock(file);
    if (lock.taken) {
      return lock;
    }
    if (!isAnnounced) {
      out.write(`Waiting for process ${lock.holder.pid}, which is installing or building here…\n`);
    }
    isAnnounced = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * Brings the working copy up to date: installs, generates and compiles what has changed since the last time.
 * Two of these in one working copy wait for each other. Throws an error whose message is meant for people.
 * @param {{ goals: string[], out: { write(text: string): unknown, isTTY?: boolean }, root?: string,
 *   steps?: ReturnType<typeof bootstrapSteps> }} options goals: names of steps
 */
export async function bootstrap({ goals, out, root = ROOT, steps = bootstrapSteps(root) }) {
  const getStampFile = (step) => path.join(root, '.cache', `${step.name}.stamp`);
  /** A step is current while what it reads is what it read last time and what it made is still there. */
  const isCurrent = (step) => {
    const stamps = [step, ...steps.filter(({ name }) => name === step.coveredBy)].map(getStampFile);
    return (
      step.outputs().every(fs.existsSync) &&
      stamps.some((stamp) => fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === step.hash())
    );
  };

  const wanted = steps.filter((step) => goals.includes(step.name));
  if (wanted.every(isCurrent)) {
    return;
  }
  const lock = await lockBootstrap(path.join(root, '.cache/bootstrap.lock'), out);
  process.once('exit', lock.release);
  try {
    for (const step of wanted) {
      if (isCurrent(step)) {
        continue;
      }
      fs.rmSync(getStampFile(step), { force: true });
      // Taken before the step runs: a file that changes meanwhile makes the next start do it again.
      const hash = step.hash();
      if (await runStep({ ...step, cwd: root, out })) {
        step.finish?.();
        fs.writeFileSync(getStampFile(step), hash);
      }
    }
  } finally {
    lock.release();
    process.off('exit', lock.release);
  }
}

/** Goals of all scripts that run the compiled product, with the tools of lint and tests. */
export const EVERYTHING = ['install', 'generate', 'build', 'dashboard'];
