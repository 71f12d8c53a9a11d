import { parentPort, workerData } from 'node:worker_threads';
import {
  addModel,
  checkDocument,
  checkForFormer,
  editModels,
  keepProviders,
  removeProviders,
} from '@image-gateway/shared/catalog/document';

/** Everything that parses the text of a document, by its name. */
const operations = { addModel, checkDocument, checkForFormer, editModels, keepProviders, removeProviders };

export type DocumentOperations = typeof operations;

/** Operation that a thread is started for, and its arguments. */
export interface DocumentOrder {
  readonly name: keyof DocumentOperations;
  readonly args: readonly unknown[];
}

const { name, args } = workerData as DocumentOrder;
const operation: (...values: never[]) => unknown = operations[name];
// The first message says that everything is loaded: the time for the document begins.
parentPort?.postMessage(null);
parentPort?.postMessage(operation(...(args as never[])));
