import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { createUnknownClients, type UnknownClients } from './unknown-clients.js';

/** Enters so many requests, each from the address that `locate` gives; returns their numbers in the order in which they were refused. */
function enterMany(unknownClients: UnknownClients, count: number, locate: (n: number) => string) {
  const refused: number[] = [];
  const leave = Array.from({ length: count }, (_, n) =>
    unknownClients.enter({} as IncomingMessage, { address: locate(n), refuse: () => refused.push(n) }),
  );
  return { refused, leave };
}

test('bodies of unknown clients under way are at most 1,000 in a process: over it the oldest of all is refused', () => {
  const { refused } = enterMany(createUnknownClients(), 1_003, (n) => `address ${n % 500}`);
  expect(refused).toEqual([0, 1, 2]);
});

test('an address over its bound gives way itself, and nobody else does', () => {
  const { refused } = enterMany(createUnknownClients(), 164, (n) => (n < 100 ? `address ${n}` : 'hostile'));
  expect(refused).toEqual([]);
  const more = enterMany(createUnknownClients(), 166, (n) => (n < 100 ? `address ${n}` : 'hostile'));
  expect(more.refused).toEqual([100, 101]);
});

test('a stranger who has left makes room', () => {
  const unknownClients = createUnknownClients({ perAddress: 2, total: 3 });
  const { refused, leave } = enterMany(unknownClients, 3, (n) => `address ${n}`);
  leave[1]?.();
  enterMany(unknownClients, 1, () => 'another');
  expect(refused).toEqual([]);
  enterMany(unknownClients, 1, () => 'a last one');
  expect(refused).toEqual([0]);
});
