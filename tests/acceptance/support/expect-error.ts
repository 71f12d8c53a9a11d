import { expect } from '@jest/globals';
import type { Answer } from './client.js';

/** Expects an error answer with this status and code; gives its message. */
export function expectError(answer: Answer, status: number, code: string): string {
  expect([answer.status, answer.envelope.data, answer.envelope.error?.code]).toEqual([status, null, code]);
  return answer.envelope.error?.message ?? '';
}
