import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ReceivedHook } from '../lab/start-hooks-receiver.js';
import type { TaskHistory } from './read-history.js';

/** Received webhooks, with the tasks that they must match. */
export interface HooksToJudge {
  readonly hooks: readonly ReceivedHook[];
  readonly history: readonly TaskHistory[];
  readonly secret: string;
  /** Data of `GET /v1/tasks/{id}`, by task. */
  readonly told: ReadonlyMap<string, unknown>;
}

/**
 * Checks the webhooks of finished tasks. Each arrives if its receiver responds, always under one id and signed over
 * the exact bytes. Its data equals that of GET.
 */
export function judgeHooks({ hooks, history, secret, told }: HooksToJudge): string[] {
  const faults: string[] = [];
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const byPath = Map.groupBy(hooks, ({ path }) => path);
  for (const task of history) {
    const url = task.webhookUrl === null ? null : new URL(task.webhookUrl);
    const path = url === null ? null : url.pathname + url.search;
    const received = path === null ? [] : (byPath.get(path) ?? []);
    const answers = path !== null && /^\/(ok|slow|flaky)\//.test(path);
    if (answers && received.length === 0) {
      faults.push(`the webhook of ${task.id} has not arrived`);
    }
    if (answers && task.deliveryState !== 'delivered') {
      faults.push(`the webhook of ${task.id} is ${task.deliveryState} although ${path} answers`);
    }
    for (const { id, timestamp, signatures, body } of received) {
      const signed = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
      if (id !== task.deliveryId) {
        faults.push(`webhook ${id} of ${task.id} should be ${task.deliveryId}`);
      }
      if (!signatures.includes(`v1,${signed}`)) {
        faults.push(`webhook ${id} is not signed`);
      }
      const { data, type } = JSON.parse(body.toString()) as { data: unknown; type: string };
      if (type !== `task.${task.status}`) {
        faults.push(`webhook ${id} says ${type}, the task is ${task.status}`);
      }
      const now = told.get(task.id);
      if (now !== undefined && !isDeepStrictEqual(data, now)) {
        faults.push(`webhook ${id} says ${JSON.stringify(data)}, GET says ${JSON.stringify(now)}`);
      }
    }
  }
  return faults;
}
