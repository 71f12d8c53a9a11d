export { createMicroBatch, type MicroBatch, type MicroBatchOptions } from './micro-batch.js';
