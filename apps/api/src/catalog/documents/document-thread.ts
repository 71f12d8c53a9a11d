import { parentPort } from 'node:worker_threads';
import {
  addModel,
  checkDocument,
  checkForPrevious,
  editModels,
  keepProviders,
  removeProviders,
} from '@image-gateway/shared/catalog/document';

/** Everything that parses the text of a document, by its name. */
const operations = { addModel, checkDocument, checkForPrevious, editModels, keepProviders, removeProviders };

export type DocumentOperations = typeof operations;

/** Operation that a thread is asked for, and its arguments. */
export interface DocumentOrder {
  readonly name: keyof DocumentOperations;
  readonly args: readonly unknown[];
}

parentPort?.on('message', ({ name, args }: DocumentOrder) => {
  const operation: (...values: never[]) => unknown = operations[name];
  parentPort?.postMessage(operation(...(args as never[])));
});
// The first message says that everything is loaded: the time for a document begins.
parentPort?.postMessage(null);
