import { readdirSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import { LAST_MIGRATION } from './last-migration.js';

test('processes wait for the newest migration of the folder', () => {
  const names = readdirSync(path.join(repositoryRoot(), 'prisma/migrations')).filter((name) =>
    /^\d/.test(name),
  );
  expect(LAST_MIGRATION).toBe(names.sort().at(-1));
});
