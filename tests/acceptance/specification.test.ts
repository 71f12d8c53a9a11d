import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { findHolder, readRows, readRuleMutants } from './support/specification-table.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** How many rules each section of the specification has: one for each sentence or table row. */
const RULES: Readonly<Record<string, number>> = {
  'What the service does': 18,
  'Resources and their fields': 23,
  'States and transitions': 5,
  Endpoints: 11,
  Authentication: 10,
  Events: 3,
  Errors: 18,
  'Limits and versioning': 4,
};

/** How many further promises each section has. */
const PROMISES: Readonly<Record<string, number>> = {
  'Where the specification is silent': 39,
  'How a task ends': 23,
  'Repetitions, webhooks and files': 20,
  'Running it': 17,
  'Names that tools rely on': 5,
  'The catalog': 15,
  'The OpenAI-compatible API': 18,
};

/** Terms of the specification; each occurs in some rule. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  models: ['nano-banana', 'nanobanana', 'nanobanana-pro', '$0.0100', '$0.016', '$0.032'],
  endpoints: [
    'POST /v1/generate',
    'GET /v1/tasks/{id}',
    'GET /v1/tasks',
    'GET /v1/usage',
    'GET /v1/usage/summary',
  ],
  'fields of a Task': [
    'id',
    'status',
    'model',
    'type',
    'output',
    'url',
    'urls',
    'error',
    'cost',
    'created_at',
    'started_at',
    'completed_at',
    'image_generate',
    'image_edit',
  ],
  'fields of a request': [
    'model',
    'prompt',
    'negative_prompt',
    'aspect_ratio',
    'num_outputs',
    'resolution',
    'image_urls',
    'webhook_url',
    'duration',
    '16:9',
    '9:16',
    '1k',
    '2k',
    '4k',
  ],
  'fields of the usage summary': ['model', 'total_units', 'total_cost', 'request_count'],
  states: ['pending', 'completed', 'failed'],
  lists: ['page', 'per_page', 'data.items', 'data.pagination'],
  statuses: [
    '200',
    '202',
    '400 BAD_REQUEST',
    '400 VALIDATION_ERROR',
    '401 UNAUTHORIZED',
    '403 FORBIDDEN',
    '403 INSUFFICIENT_BALANCE',
    '404 NOT_FOUND',
    '429 RATE_LIMITED',
    '500 INTERNAL_ERROR',
    '502 UPSTREAM_ERROR',
    '503 SERVICE_UNAVAILABLE',
  ],
  authentication: ['Authorization: Bearer <API_KEY>', 'Missing Authorization header', 'Bearer <token>'],
};

const rows = readRows();
const heldRows = rows.filter(({ heldBy }) => !heldBy.startsWith('none:'));

// The first argument of test(…), describe(…), or of what test.each(…) gives.
function titlesIn(source: string): string[] {
  return [...source.matchAll(/(?:\b(?:test|describe)|\))\(\s*(['"`])((?:\\.|(?!\1).)+)\1/gs)].map(
    ([, , title = '']) => title,
  );
}

describe('the table of the specification', () => {
  test('the table of the specification has a row for each rule of each section', () => {
    const counts = rows.map(({ section }) => section);
    expect(
      Object.fromEntries(
        [...new Set(counts)].map((one) => [one, counts.filter((other) => other === one).length]),
      ),
    ).toEqual({ ...RULES, ...PROMISES });
    expect(new Set(rows.map(({ section, rule }) => `${section}: ${rule}`)).size).toBe(rows.length);
  });

  test.each(Object.entries(NAMES))('the table of the specification has rules about all %s', (_, names) => {
    const quoted = new Set(
      rows.flatMap(({ rule }) => [...rule.matchAll(/`([^`]+)`/g)].map(([, name]) => name)),
    );
    const said = rows.map(({ rule }) => rule.replaceAll('`', '')).join('\n');
    const isNamed = (name: string): boolean => quoted.has(name) || (/[ $]/.test(name) && said.includes(name));
    expect(names.filter((name) => !isNamed(name))).toEqual([]);
  });

  test('the table of the specification names a test in each row or says why there is none', () => {
    const unclear = rows.filter(
      ({ rule, heldBy }) => rule === '' || !/^none: .{20,}|^[a-z\d/-]+ › ./.test(heldBy),
    );
    expect(unclear).toEqual([]);
  });

  test('the table of the specification has one line for each row of the specification that a test holds, which makes that test red', () => {
    const toName = ({ section, rule }: { section: string; rule: string }): string => `${section}: ${rule}`;
    const ofSpecification = heldRows.filter(({ section }) => section in RULES);
    expect(readRuleMutants().map(toName)).toEqual(ofSpecification.map(toName));
  });

  test.each(readRuleMutants())(
    'the table of the specification finds the line that would break this row: $rule',
    ({ file, find, replace }) => {
      const text = readFileSync(path.join(root, file), 'utf8');
      expect([text.split(find).length - 1, find === replace]).toEqual([1, false]);
    },
  );

  test.each(heldRows)(
    'the table of the specification names a test that exists and always runs: $rule',
    (row) => {
      const { file, title } = findHolder(row);
      const target = path.join(root, file);
      const source = existsSync(target) ? readFileSync(target, 'utf8') : '';
      expect(titlesIn(source)).toContain(title);
      expect(source).not.toMatch(/\b(test|describe)\.(skip|todo)\b/);
    },
  );
});
