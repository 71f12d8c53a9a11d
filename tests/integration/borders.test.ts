import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');

/** One forbidden import each: the file, what it imports, the rule that has to speak. */
const forbidden: [rule: string, from: string, to: string][] = [
  ['shared-level-0', 'packages/shared/src/domain/money/a.ts', '../billing/index.js'],
  ['shared-level-1', 'packages/shared/src/domain/errors/a.ts', '../db/index.js'],
  ['shared-level-2', 'packages/shared/src/domain/db/a.ts', '../billing/index.js'],
  ['shared-level-2-siblings', 'packages/shared/src/runtime/outbound/a.ts', '../../domain/db/index.js'],
  ['shared-browser-safe', 'packages/shared/src/domain/money/b.ts', 'node:crypto'],
  ['shared-level-0-plain', 'packages/shared/src/domain/contract/a.ts', 'joi'],
  ['dashboard-without-joi', 'apps/dashboard/src/a.ts', '../../../packages/shared/src/domain/key/schema.js'],
  ['shared-doors', 'packages/shared/src/domain/billing/a.ts', '../db/inner.js'],
  ['shared-is-below', 'packages/shared/src/domain/billing/b.ts', '../../../../../apps/api/src/routes.js'],
  ['apps-alone', 'apps/api/src/a.ts', '../../webhook-worker/src/process.js'],
  ['testing-for-tests', 'apps/api/src/b.ts', '../../../packages/testing/src/index.js'],
  ['local-stack-for-scripts', 'apps/api/src/c.ts', '../../../packages/local-stack/src/index.js'],
  ['scripts-plain', 'scripts/a.mjs', '../packages/local-stack/src/index.js'],
  ['scripts-plain', 'scripts/b.mjs', 'bullmq'],
  ['scripts-for-starters', 'packages/local-stack/src/a.ts', '../../../scripts/bootstrap/bootstrap.mjs'],
  ['process-for-local-stack', 'apps/api/src/e.ts', '../../../scripts/process/progress.mjs'],
  ['acceptance-from-outside', 'tests/acceptance/a.ts', '../../apps/api/src/routes.js'],
  ['main-on-top', 'apps/api/src/d.ts', './main.js'],
  ['compose-wires', 'apps/api/src/routes.ts', './compose.js'],
  ['noun-key', 'apps/api/src/key/a.ts', '../account/a.js'],
  ['noun-key', 'apps/api/src/key/b.ts', '../cli/a.js'],
  ['verbs-below-http', 'apps/api/src/key/c.ts', '../http/a.js'],
  [
    'api-calls-no-customer',
    'apps/api/src/webhook/a.ts',
    '../../../../packages/shared/src/runtime/outbound/index.js',
  ],
  ['nouns-below-app', 'apps/api/src/task/a.ts', '../routes.js'],
  ['steps-below-processor', 'apps/generation-worker/src/steps/a.ts', '../process-generation.js'],
  ['providers-alone', 'apps/generation-worker/src/providers/fal/a.ts', '../gemini/a.js'],
  ['only-wrapped-bullmq', 'apps/generation-worker/src/a.ts', 'bullmq'],
];
const targets = [
  'packages/shared/src/domain/key/schema.ts',
  'apps/api/src/cli/a.ts',
  'apps/api/src/account/a.ts',
  'apps/api/src/http/a.ts',
  'packages/shared/src/domain/billing/index.ts',
  'packages/shared/src/domain/db/index.ts',
  'packages/shared/src/domain/db/inner.ts',
  'packages/shared/src/runtime/outbound/index.ts',
  'packages/testing/src/index.ts',
  'packages/local-stack/src/index.ts',
  'scripts/bootstrap/bootstrap.mjs',
  'scripts/process/progress.mjs',
  'apps/api/src/main.ts',
  'apps/api/src/compose.ts',
  'apps/webhook-worker/src/process.ts',
  'apps/generation-worker/src/process-generation.ts',
  'apps/generation-worker/src/providers/gemini/a.ts',
  'node_modules/bullmq/index.js',
  'node_modules/joi/index.js',
];

describe('the borders of the architecture', () => {
  const tree = fs.mkdtempSync(path.join(os.tmpdir(), 'borders-'));
  let found: string;

  const write = (file: string, text: string): void => {
    const target = path.join(tree, file);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, text);
  };

  beforeAll(async () => {
    for (const file of targets) {
      write(file, 'export default 1;\n');
    }
    for (const [, from, to] of forbidden) {
      write(from, `import it from '${to}';\nexport default it;\n`);
    }
    const args = [
      '--config',
      path.join(root, '.dependency-cruiser.cjs'),
      '--output-type',
      'err',
      'apps',
      'packages',
      'tests',
      'scripts',
    ];
    const program = path.join(root, 'node_modules/.bin/depcruise');
    found = await new Promise((resolve) => {
      execFile(program, args, { cwd: tree }, (_, stdout, stderr) => resolve(`${stdout}${stderr}`));
    });
  });
  afterAll(() => fs.rmSync(tree, { recursive: true }));

  test.each(forbidden)('%s: %s may not import %s', (rule, from) => {
    expect(found).toContain(`${rule}: ${from}`);
  });
});
