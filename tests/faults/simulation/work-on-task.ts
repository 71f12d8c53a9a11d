import { type LastCall, settleTask } from '@image-gateway/shared/billing';
import {
  addOutput,
  type ClaimedTask,
  extendLease,
  findCalls,
  findOutputs,
  finishCall,
  releaseTask,
  startCall,
} from '@image-gateway/shared/db';
import type { newId } from '@image-gateway/shared/ids';
import type { Random } from '../random.js';
import type { Steps } from './create-scheduler.js';
import type { World } from './world.js';

/** Dependencies of a simulated worker. */
export interface WorkerDeps extends Steps {
  readonly world: World;
  readonly random: Random;
  readonly newId: typeof newId;
  readonly maxTries: number;
  readonly leaseMs: number;
}

const MAX_ROUNDS = 4;

/** One attempt at a claimed task with the product's own statements, in the order in which the product takes them. */
export async function workOnTask(deps: WorkerDeps, task: ClaimedTask): Promise<void> {
  const { db, step, world, random, newId } = deps;
  const { id: taskId, attempt } = task;
  const outputs = task.attempt > 1 ? await findOutputs(db, taskId) : [];
  const calls = task.callCount > 0 ? await findCalls(db, taskId) : [];
  let known = calls.length;
  let stored = outputs.length;
  const missing = (): number => task.numOutputs - stored;
  let last: LastCall | null = null;
  const createRow = (key: string) => ({
    index: stored,
    slot: stored,
    key,
    contentType: 'image/png',
    bytes: 10,
    width: 10,
    height: 10,
    sha256: world.bucket.get(key) ?? 'none',
  });
  /** The row after the object, as the product does it; false when the task is no longer ours. */
  const note = async (key: string): Promise<boolean> => {
    const own = await addOutput(db, { taskId, attempt }, createRow(key));
    if (own) {
      stored += 1;
    }
    return own;
  };
  for (
    let key = buildKey(taskId, stored);
    missing() > 0 && world.bucket.has(key);
    key = buildKey(taskId, stored)
  ) {
    if (!(await note(key))) {
      return;
    }
  }
  let refused = false;
  for (let round = 0; missing() > 0 && !refused && round < MAX_ROUNDS; round += 1) {
    if (random.chance(0.3) && !(await extendLease(db, { taskId, attempt, leaseMs: deps.leaseMs }))) {
      return;
    }
    const call = {
      id: newId('call'),
      attempt,
      provider: 'simulated',
      model: 'one',
      requestId: null,
      jobHandle: null,
      createdAt: new Date(),
      slots: Array.from({ length: missing() }, (_, n) => stored + n),
      keyFingerprint: null,
      state: 'started' as const,
      detail: null,
      costMicros: 1n,
    };
    if ((await startCall(db, { taskId, knownCalls: known }, call)) !== 'started') {
      return;
    }
    known += 1;
    const answer = await step(() => world.ask(taskId, missing()));
    refused = answer.state === 'refused';
    for (let n = 0; n < answer.images; n += 1) {
      const key = buildKey(taskId, stored);
      // The first writer wins, as with `If-None-Match: *`.
      await step(() => void (world.bucket.has(key) || world.bucket.set(key, `${taskId} ${attempt}`)));
      if (known === 1 && missing() === 1) {
        last = { output: createRow(key), outcome: null };
        stored += 1;
      } else if (!(await note(key))) {
        return;
      }
    }
    const outcome = { callId: call.id, state: answer.state, detail: null, costMicros: 1n };
    if (last === null) {
      await finishCall(db, outcome);
    } else {
      last = { ...last, outcome };
    }
    if (answer.state === 'failed') {
      break;
    }
  }
  const isOver = missing() === 0 || refused || task.tries + 1 >= deps.maxTries;
  if (!isOver) {
    await releaseTask(db, { taskId, attempt, delayMs: random.int(0, 800), usesTry: true });
    world.hints.push(taskId);
    return;
  }
  await settleTask(
    { db, newId, fileUrl: 'http://files' },
    { taskId, attempt, reason: 'the provider failed', last },
  );
}

const buildKey = (taskId: string, index: number): string => `images/${taskId}/${index}.png`;
