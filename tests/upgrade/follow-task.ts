import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, type Client, callApi, readData } from './call-api.js';

/** A Task as `GET /v1/tasks/{id}` gives it. */
export interface Task {
  readonly id: string;
  readonly status: string;
  readonly cost: string;
  readonly output?: { readonly url: string; readonly urls: readonly string[] };
}

/** The promise under which tasks that never end are noted. */
export const NOTHING_LOST = 'every accepted task ends as its request says, and no other task is there';

const EVERY_MS = 600;
const TIMEOUT_MS = 60_000;

/** Polls a task at all APIs in turn until it has ended; returns null after noting that it has not. */
export async function followTask(client: Client, next: () => Address, id: string): Promise<Task | null> {
  const until = Date.now() + TIMEOUT_MS;
  for (;;) {
    const answer = await callApi(client, next(), { path: `/v1/tasks/${id}` }, 200);
    if (answer !== null) {
      const data = readData<Task>(answer);
      if (data.status !== 'pending') {
        return data;
      }
    }
    if (Date.now() > until) {
      client.notes.add(NOTHING_LOST, 'a task had not ended after 60 s', id);
      return null;
    }
    await sleep(EVERY_MS);
  }
}
