import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { CatalogFault } from '@image-gateway/shared/catalog/document';
import { createSemaphore, TIMED_OUT, withTimeout } from '@image-gateway/shared/concurrency';
import { AppError } from '@image-gateway/shared/errors';
import type { DocumentOperations, DocumentOrder } from './document-thread.js';

const MAX_SECONDS = 10;
const MAX_HEAP_MIB = 256;
const MAX_WAIT_MS = 30_000;

const extension = path.extname(fileURLToPath(import.meta.url));
const MAIN = new URL(`./document-thread${extension}`, import.meta.url);
/** TypeScript sources run in development and tests. */
const NODE_OPTIONS = extension === '.ts' ? ['--conditions=@image-gateway/source', '--import', 'tsx'] : [];

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

/**
 * Runs an operation on the text of a document in a thread of its own: a small text can keep the parser busy for minutes.
 * Returns a fault for a document that takes too much time or memory. Throws AppError `SERVICE_UNAVAILABLE` after 30 s of waiting.
 */
export function parseInThread<Name extends keyof DocumentOperations>(
  name: Name,
  ...args: Parameters<DocumentOperations[Name]>
): Promise<ReturnType<DocumentOperations[Name]> | { readonly faults: readonly CatalogFault[] }> {
  return turns.run(async () => {
    const order: DocumentOrder = { name, args };
    const thread = new Worker(MAIN, {
      workerData: order,
      execArgv: NODE_OPTIONS,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    });
    try {
      const { begun, answer } = converse(thread);
      await begun;
      const result = await withTimeout(MAX_SECONDS * 1_000, answer);
      return result === TIMED_OUT
        ? refuse(`takes longer than ${MAX_SECONDS} s to read`)
        : (result as ReturnType<DocumentOperations[Name]>);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
        return refuse(`takes more than ${MAX_HEAP_MIB} MiB of memory to read`);
      }
      throw error;
    } finally {
      await thread.terminate();
    }
  });
}

/** Resolves `begun` when the operation begins, `answer` with its result; both reject when the thread fails. */
function converse(thread: Worker): { readonly begun: Promise<unknown>; readonly answer: Promise<unknown> } {
  const begun = Promise.withResolvers<unknown>();
  const answer = Promise.withResolvers<unknown>();
  thread.once('message', (ready) => {
    begun.resolve(ready);
    thread.once('message', answer.resolve);
  });
  thread.once('error', (error) => {
    begun.reject(error);
    answer.reject(error);
  });
  // It may fail while `begun` is awaited.
  answer.promise.catch(() => undefined);
  return { begun: begun.promise, answer: answer.promise };
}

function refuse(what: string): { readonly faults: readonly CatalogFault[] } {
  return {
    faults: [
      { path: '', message: `the document ${what}; take out comments and entries that it can do without` },
    ],
  };
}
