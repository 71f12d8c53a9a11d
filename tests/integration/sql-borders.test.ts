import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');
// The verbs of the API's nouns; their routes and commands call them.
const home =
  /^(packages\/shared\/src\/domain\/(db|billing)\/|apps\/api\/src\/(?!http|mcp|cli|openapi)[a-z]+\/(?!([a-z-]+-)?routes\.ts$|commands(\.ts$|\/)))/;
// Statements, and calls of a model of Prisma's client.
const sql = /\b(SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b|\bprisma\.\w|\$(query|execute)Raw/;

const folders = [
  'packages/shared/src',
  ...fs.readdirSync(path.join(root, 'apps')).map((app) => `apps/${app}/src`),
];
const withSql = folders.flatMap((folder) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.(tsx?|sql)$/.test(file) && !/\.test\.ts$|\/generated\//.test(file))
    .filter((file) => sql.test(fs.readFileSync(path.join(root, file), 'utf8'))),
);

describe('queries of the product', () => {
  test('queries of the product stand in shared/db, shared/billing and the verbs of the API only', () => {
    expect(withSql.filter((file) => !home.test(file))).toEqual([]);
  });

  test('queries of the product are recognised in each of these three', () => {
    for (const folder of [
      'packages/shared/src/domain/db/',
      'packages/shared/src/domain/billing/',
      'apps/api/src/',
    ]) {
      expect(withSql.filter((file) => file.startsWith(folder)).length).toBeGreaterThan(5);
    }
  });
});
