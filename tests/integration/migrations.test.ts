import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');

interface Result {
  code: number;
  output: string;
}

const run = (file: string, args: string[]): Promise<Result> =>
  new Promise((resolve) => {
    execFile(file, args, { cwd: root }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, output: `${stdout}${stderr}` });
    });
  });
const check = (schema: string): Promise<Result> => run(process.execPath, ['scripts/db-check.mjs', schema]);

/** Before it all processes ended; what follows is applied beside processes that run. */
const STOP = '20261128064000_stop';
/** Columns that only releases before the stop, or functions of the database, have named. @until 0.5.0 */
const UNREAD = new Set(['DROP COLUMN "key_requests_per_minute"', 'DROP COLUMN lane']);

/**
 * Finds statements after which a process of the previous release fails. Tables and columns of the same migration may change.
 * A view may take the place of a table that processes only read.
 */
function findBreaks(sql: string): string[] {
  const isNew = (name: string): boolean =>
    new RegExp(`(?:CREATE TABLE|CREATE VIEW|ADD COLUMN) +"?${name}"?[ (]|^ +"${name}" [A-Z]`, 'm').test(sql);
  const drops = [
    ...sql.matchAll(/DROP (?:TABLE|COLUMN) (?:IF EXISTS )?"?(\w+)"?/g),
    ...sql.matchAll(/RENAME (?:COLUMN )?"?(\w+)"? TO/g),
    ...sql.matchAll(/ALTER COLUMN "?(\w+)"? SET NOT NULL/g),
    ...sql.matchAll(/ALTER TABLE "?(\w+)"? RENAME TO/g),
  ];
  return drops.filter(([, name = '']) => !isNew(name)).map(([text]) => text);
}

describe('the database schema', () => {
  test('the database schema is what the migrations lead to', async () => {
    expect(await check('prisma/schema.prisma')).toMatchObject({ code: 0 });
  });

  test('the database schema cannot change without a migration: the check fails and says which SQL is missing', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'schema-'));
    const changed = path.join(folder, 'schema.prisma');
    const schema = fs.readFileSync(path.join(root, 'prisma/schema.prisma'), 'utf8');
    fs.writeFileSync(changed, schema.replace(/^model Account \{$/m, 'model Account {\n  country String?'));
    const { code, output } = await check(changed);
    fs.rmSync(folder, { recursive: true });
    expect(output).toMatch(/ALTER TABLE "accounts" ADD COLUMN +"country" TEXT/);
    expect(code).toBe(1);
  });

  test('the database schema keeps what running processes read: no migration since the last stop drops or renames a table or column, or makes an old column required', () => {
    const folder = path.join(root, 'prisma/migrations');
    const since = fs.readdirSync(folder).filter((name) => /^\d{14}_/.test(name) && name > STOP);
    const read = (name: string): string =>
      fs.readFileSync(path.join(folder, name, 'migration.sql'), 'utf8').replace(/--.*$/gm, '');
    const isNew = (text: string): boolean => {
      const [, column] = /^DROP COLUMN "(\w+)"/.exec(text) ?? [];
      return (
        column !== undefined && since.some((name) => new RegExp(`ADD COLUMN +"${column}"`).test(read(name)))
      );
    };
    // Columns that were added since then are read by no release.
    const faults = since.flatMap((name) =>
      findBreaks(read(name))
        .filter((text) => !isNew(text) && !UNREAD.has(text))
        .map((text) => `${name}: ${text}`),
    );
    expect(faults).toEqual([]);
  });

  test('the database schema is handled by the same engine version that the command line of Prisma was made for', async () => {
    const cli = await run('node_modules/.bin/prisma', ['--version']);
    const engine = await run('prisma/schema-engine.mjs', ['--version']);
    const wanted = /^Default Engines Hash *: ([0-9a-f]{40})$/m.exec(cli.output)?.[1];
    expect(wanted).toBeDefined();
    expect(engine.output.trim()).toBe(`schema-engine-cli ${wanted}`);
  });
});
