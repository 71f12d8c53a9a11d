import { AppError } from '@image-gateway/shared/errors';
import { createLogger } from '@image-gateway/shared/logging';
import { eventually } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createStoreGate } from './create-store-gate.js';

const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
const away = new AppError('INTERNAL_ERROR', { message: 'away', retryable: true });
let ending: AbortController;
beforeEach(() => {
  ending = new AbortController();
});
afterEach(() => ending.abort());

function setUp() {
  const store = { works: false, probes: 0 };
  const changes: (string | null)[] = [];
  const probe = (): Promise<void> => {
    store.probes += 1;
    return store.works ? Promise.resolve() : Promise.reject(away);
  };
  const onChange = (fault: string | null): void => void changes.push(fault);
  return { store, changes, gate: createStoreGate({ probe, logger, onChange, signal: ending.signal }) };
}
const patient = (): AbortSignal => new AbortController().signal;

describe('create store gate', () => {
  test('the gate of new calls closes with a put that fails and opens with one that succeeds', async () => {
    const { gate, changes } = setUp();
    await gate.passed(patient());
    await expect(gate.watch(() => Promise.reject(away))).rejects.toBe(away);
    await expect(gate.watch(() => Promise.reject(away))).rejects.toBe(away);
    expect(changes).toEqual(['away']);
    expect(gate.isOpen()).toBe(false);
    const passed = gate.passed(patient());
    expect(await gate.watch(() => Promise.resolve('stored'))).toBe('stored');
    await passed;
    expect(gate.isOpen()).toBe(true);
    expect(changes).toEqual(['away', null]);
  });

  test('the gate of new calls opens by itself when the store can be written again and no image is left to say so', async () => {
    const { gate, store } = setUp();
    await gate.watch(() => Promise.reject(away)).catch(() => undefined);
    await eventually(async () => expect(store.probes).toBeGreaterThan(1));
    expect(gate.isOpen()).toBe(false);
    store.works = true;
    await gate.passed(patient());
    expect(gate.isOpen()).toBe(true);
  });

  test('the gate of new calls stays open for a put that fails by itself', async () => {
    const { gate } = setUp();
    const own = new AppError('INTERNAL_ERROR', { message: 'too large', retryable: false });
    for (const error of [own, new Error('a fault of ours')]) {
      await expect(gate.watch(() => Promise.reject(error))).rejects.toBe(error);
    }
    expect(gate.isOpen()).toBe(true);
  });

  test('the gate of new calls lets nobody wait for longer than the attempt lasts', async () => {
    const { gate } = setUp();
    await gate.watch(() => Promise.reject(away)).catch(() => undefined);
    await expect(gate.passed(AbortSignal.abort(new Error('the deadline')))).rejects.toThrow('the deadline');
  });
});
