import { ApiError, DeadlineError, TaskFailedError } from './errors.js';
import { List } from './list.js';
import { type Answer, getPause, now, type Query, sleep, type Transport, Unanswered } from './transport.js';
import type { FullTask, Page, Task, TaskCompleted, TaskFinished, TasksQuery } from './types.js';

/** How long a call may take, and what ends it. */
export interface CallOptions {
  /** Milliseconds until the call rejects with DeadlineError. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of a call that waits for the end of a task. */
export interface WaitOptions extends CallOptions {
  /** Called with the task whenever it was read, while it is pending too. */
  readonly onTask?: ((task: Task) => void) | undefined;
}

/** Deadlines of calls without one of their own, in milliseconds. */
export interface Timeouts {
  readonly submit: number;
  readonly subscribe: number;
}

/** Seconds that one request waits for the end of a task: proxies and load balancers often cut after 30. */
const WAIT_SECONDS = 25;
/** An answer that comes sooner did not wait. */
const NOT_WAITED_MS = 1_000;

/** Tasks of the account. */
export class Tasks {
  readonly #transport: Transport;
  readonly #timeouts: Timeouts;

  constructor(transport: Transport, timeouts: Timeouts) {
    this.#transport = transport;
    this.#timeouts = timeouts;
  }

  /** Reads a task; with `view: 'full'` its request and what is known of each image too. */
  async get(id: string, options: CallOptions & { readonly view: 'full' }): Promise<FullTask>;
  async get(id: string, options?: CallOptions & { readonly view?: 'full' | undefined }): Promise<Task>;
  async get(id: string, options: CallOptions & { readonly view?: 'full' | undefined } = {}): Promise<Task> {
    return (await this.#send<Task>('GET', toPath(id), options, { view: options.view })).data;
  }

  /** Waits for the end of a task, 15 minutes unless told, and returns it, completed or failed. */
  async wait(id: string, options: WaitOptions = {}): Promise<TaskFinished> {
    const deadline = now() + (options.timeoutMs ?? this.#timeouts.subscribe);
    return (await this.waitUntil(id, deadline, options)).task;
  }

  /** Waits until a moment of `now()`; the request id is that of the last response. */
  async waitUntil(
    id: string,
    deadline: number,
    { signal, onTask }: WaitOptions,
    seen?: Task,
  ): Promise<{ readonly task: TaskFinished; readonly requestId: string | undefined }> {
    let known = seen;
    for (let quick = 0; ; ) {
      const started = now();
      const seconds = Math.max(1, Math.min(WAIT_SECONDS, Math.floor((deadline - started) / 1_000)));
      const { data, requestId } = await this.#transport.send<Task>({
        method: 'GET',
        path: toPath(id),
        query: { wait: seconds },
        deadline,
        signal,
        details: { task: known },
      });
      known = data;
      onTask?.(data);
      if (data.status !== 'pending') {
        return { task: data, requestId };
      }
      // The gateway answers at once while it has too many waiting requests, or restarts.
      quick = now() - started < NOT_WAITED_MS ? quick + 1 : 0;
      const pause = quick === 0 ? 0 : getPause(quick - 1);
      if (now() + pause >= deadline) {
        throw new DeadlineError(`Task ${id} has not ended yet; tasks.wait goes on with it.`, {
          task: data,
          requestId,
        });
      }
      await sleep(pause, signal);
    }
  }

  /** Iterates over the task as it is and as it ends, over connections that break too. */
  async *events(id: string, options: CallOptions = {}): AsyncGenerator<Task, void, undefined> {
    const deadline = now() + (options.timeoutMs ?? this.#timeouts.subscribe);
    let last = '';
    let task: Task | undefined;
    do {
      // One connection for each change: the gateway sends the present state first, which is left out if it is known.
      const call = {
        method: 'GET',
        path: `${toPath(id)}/events`,
        headers: { Accept: 'text/event-stream' },
        deadline,
        signal: options.signal,
        details: { task },
      };
      last = (
        await this.#transport.repeat(call, (response, keepAlive) => readChange(response, keepAlive, last))
      ).data;
      task = JSON.parse(last) as Task;
      yield task;
    } while (task.status === 'pending');
  }

  /** Cancels a task and returns it as it now is: calls under way may still deliver images, which are charged. */
  async cancel(id: string, options: CallOptions = {}): Promise<Task> {
    return (await this.#send<Task>('POST', `${toPath(id)}/cancel`, options)).data;
  }

  /** Erases a finished task with its images. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await deleteOnce(() => this.#send<void>('DELETE', toPath(id), options));
  }

  /** Lists tasks, newest first, page by page while it is iterated. */
  list(query: TasksQuery = {}, options: CallOptions = {}): List<Task> {
    return new List(async (page, before) => {
      const filters = { ...query, page, created_before: query.created_before ?? before };
      return (await this.#send<Page<Task>>('GET', '/v1/tasks', options, filters)).data;
    });
  }

  #send<T>(
    method: string,
    path: string,
    { timeoutMs = this.#timeouts.submit, signal }: CallOptions,
    query: Query = {},
  ): Promise<Answer<T>> {
    return this.#transport.send<T>({ method, path, query, deadline: now() + timeoutMs, signal });
  }
}

/** Returns the completed task, or throws TaskFailedError. */
export function requireCompleted(task: TaskFinished, requestId: string | undefined): TaskCompleted {
  if (task.status === 'failed') {
    throw new TaskFailedError(task, requestId);
  }
  return task;
}

/** Deletes; what is gone after an attempt whose answer was lost was deleted by it. */
export async function deleteOnce(send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404 && error.isRepeated)) {
      throw error;
    }
  }
}

function toPath(id: string): string {
  return `/v1/tasks/${encodeURIComponent(id)}`;
}

/** Reads server-sent events until one holds another text than `last`. */
async function readChange(response: Response, keepAlive: () => void, last: string): Promise<string> {
  let text = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    keepAlive();
    text += chunk.value;
    const events = text.split(/\r?\n\r?\n/);
    text = events.pop() ?? '';
    const found = events
      .map((event) => /^data: ?(.*)$/m.exec(event)?.[1])
      .find((data) => data !== undefined && data !== last);
    if (found !== undefined) {
      return found;
    }
  }
  throw new Unanswered('the stream of events was cut', {});
}
