import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CatalogFault } from '@image-gateway/shared/catalog/document';
import { createSemaphore, TIMED_OUT, withTimeout } from '@image-gateway/shared/concurrency';
import { AppError } from '@image-gateway/shared/errors';
import { DOCUMENT_PROGRAM } from './document-program.js';
import type { DocumentOperations, DocumentOrder } from './document-thread.js';

const MAX_SECONDS = 10;
const MAX_HEAP_MIB = 256;
const MAX_WAIT_MS = 30_000;
/** Time for which a thread that has answered is kept; the page of models asks every 10 s. */
const SPARE_MS = 15_000;

/** One document of a process at a time: several would take the processors from its requests. */
const turns = createSemaphore({
  permits: 1,
  timeout: {
    ms: MAX_WAIT_MS,
    createError: () =>
      new AppError('SERVICE_UNAVAILABLE', {
        publicMessage: 'Other catalog documents are being read. Try again in a moment.',
      }),
  },
});

/** Thread that has answered and waits for the next document; null for none. */
let spare: { readonly thread: Worker; readonly end: NodeJS.Timeout } | null = null;

/**
 * Runs an operation on the text of a document in a thread of its own: a small text can keep the parser busy for minutes.
 * Returns a fault for a document that takes too much time or memory. Throws AppError `SERVICE_UNAVAILABLE` after 30 s of waiting.
 */
export function parseInThread<Name extends keyof DocumentOperations>(
  name: Name,
  ...args: Parameters<DocumentOperations[Name]>
): Promise<ReturnType<DocumentOperations[Name]> | { readonly faults: readonly CatalogFault[] }> {
  return turns.run(async () => {
    const thread = takeSpare() ?? (await startThread());
    try {
      const result = await withTimeout(MAX_SECONDS * 1_000, ask(thread, { name, args }));
      if (result !== TIMED_OUT) {
        keepSpare(thread);
        return result as ReturnType<DocumentOperations[Name]>;
      }
      await thread.terminate();
      return refuse(`takes longer than ${MAX_SECONDS} s to read`);
    } catch (error) {
      await thread.terminate();
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
        return refuse(`takes more than ${MAX_HEAP_MIB} MiB of memory to read`);
      }
      throw error;
    }
  });
}

/** Starts a thread, and waits until it has loaded everything. */
async function startThread(): Promise<Worker> {
  const thread = new Worker(DOCUMENT_PROGRAM.file, {
    execArgv: [...DOCUMENT_PROGRAM.options],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
  });
  await once(thread, 'message');
  // Without a listener, the error of a thread that nobody waits for would end the process.
  thread.on('error', () => {
    spare = null;
  });
  return thread;
}

async function ask(thread: Worker, order: DocumentOrder): Promise<unknown> {
  const answered = once(thread, 'message');
  thread.postMessage(order);
  const [answer] = (await answered) as unknown[];
  return answer;
}

function takeSpare(): Worker | null {
  if (spare === null) {
    return null;
  }
  const { thread, end } = spare;
  clearTimeout(end);
  spare = null;
  thread.ref();
  return thread;
}

/** Keeps a thread for a while: a change takes several operations, and the page asks again and again. */
function keepSpare(thread: Worker): void {
  thread.unref();
  const end = setTimeout(() => {
    spare = null;
    void thread.terminate();
  }, SPARE_MS).unref();
  spare = { thread, end };
}

function refuse(what: string): { readonly faults: readonly CatalogFault[] } {
  return {
    faults: [
      { path: '', message: `the document ${what}; take out comments and entries that it can do without` },
    ],
  };
}
