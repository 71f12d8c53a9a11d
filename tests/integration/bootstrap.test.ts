import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { bootstrapSteps } from '../../scripts/bootstrap/bootstrap-steps.mjs';
import { startedAt } from '../../scripts/process/process-identity.mjs';

const scripts = path.resolve(import.meta.dirname, '../../scripts');

/** Runs the bootstrap with one step that notes when it begins and ends, and takes as long as it is told. */
const program = `
  import fs from 'node:fs';
  import { bootstrap } from '${scripts}/bootstrap/bootstrap.mjs';
  const [root, ms, code, command] = process.argv.slice(1);
  const note = \`\${root}/notes\`;
  const script = \`echo $$ > '\${root}/pid'; echo begin >> '\${note}'; sleep \${ms / 1000}; echo end >> '\${note}'; exit \${code}\`;
  const step = { name: 'step', label: 'Stepping', command, args: ['-c', script], env: () => process.env,
    outputs: () => [note], hash: () => fs.readFileSync(\`\${root}/source\`, 'utf8') };
  await bootstrap({ goals: ['step'], out: process.stdout, root, steps: [step] }).catch((error) => {
    console.log(error.message);
    process.exitCode = 1;
  });`;

describe('the bootstrap', () => {
  let root: string;
  beforeEach(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'bootstrap-'));
    fs.mkdirSync(path.join(root, '.cache'));
    fs.writeFileSync(path.join(root, 'source'), 'one');
  });
  afterEach(() => fs.rmSync(root, { recursive: true }));

  function start(ms: number, code = 0, command = '/bin/sh'): ChildProcess {
    return spawn(
      process.execPath,
      ['--input-type=module', '--eval', program, root, String(ms), String(code), command],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
  }
  const end = (child: ChildProcess): Promise<{ code: number | null; output: string }> =>
    new Promise((resolve) => {
      let output = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      child.once('close', (code) => resolve({ code, output }));
    });
  const notes = (): string[] => fs.readFileSync(path.join(root, 'notes'), 'utf8').trim().split('\n');

  test('the bootstrap runs a step once when several start at the same time', async () => {
    const results = await Promise.all([300, 300, 300, 300].map((ms) => end(start(ms))));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(notes()).toEqual(['begin', 'end']);
  });

  test('the bootstrap runs a step again only when what it reads has changed', async () => {
    await end(start(0));
    await end(start(0));
    expect(notes()).toHaveLength(2);
    fs.writeFileSync(path.join(root, 'source'), 'two');
    await end(start(0));
    expect(notes()).toHaveLength(4);
  });

  test('the bootstrap ends with the reason when a step fails, and tries it again the next time', async () => {
    const failed = await end(start(0, 3));
    expect(failed.code).toBe(1);
    expect(failed.output).toContain('Stepping failed (exit code 3)');
    expect((await end(start(0))).code).toBe(0);
    expect(notes()).toHaveLength(4);
  });

  test('the bootstrap compiles with the SQL files of packages/shared, which stand beside the compiled modules', () => {
    const shared = path.resolve(scripts, '../packages/shared');
    const files = fs.globSync('**/*.sql', { cwd: path.join(shared, 'src') });
    expect(files).toContain('domain/billing/judge-submit.sql');
    for (const file of files) {
      const compiled = path.join(shared, 'dist', file);
      expect([file, fs.readFileSync(compiled, 'utf8')]).toEqual([
        file,
        fs.readFileSync(path.join(shared, 'src', file), 'utf8'),
      ]);
    }
  });

  test('every statement with variants stands written out as its source, its fragments and the table of task fields say', async () => {
    const { readStatements } = await import(path.join(scripts, 'database/write-statements.mjs'));
    const statements: { target: string; isStale: boolean }[] = await readStatements();
    expect(statements.filter(({ isStale }) => isStale)).toEqual([]);
    expect(statements.map(({ target }) => target)).toContain(
      'packages/shared/src/domain/billing/generated/insert-tasks.sql',
    );
  });

  test('the bootstrap says which command is missing', async () => {
    const failed = await end(start(0, 0, 'no-such-command'));
    expect(failed.code).toBe(1);
    expect(failed.output).toContain('Stepping failed: the command no-such-command was not found');
  });

  test('the bootstrap takes over from one that was killed, and the step of that one ends with it', async () => {
    const killed = start(60_000);
    const pid = await eventually(() => {
      const text = fs.readFileSync(path.join(root, 'pid'), 'utf8').trim();
      if (text === '') {
        throw new Error('the step has not begun');
      }
      return Number(text);
    });
    const ended = end(killed);
    killed.kill('SIGKILL');
    await ended;
    await eventually(() => expect(startedAt(pid)).toBeNull());
    expect((await end(start(0))).code).toBe(0);
    expect(notes().at(-1)).toBe('end');
    expect(notes().filter((note) => note === 'end')).toHaveLength(1);
  });
});

describe('the installation', () => {
  let root: string;
  beforeEach(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'installation-'));
    fs.mkdirSync(path.join(root, 'node_modules/.bin'), { recursive: true });
    // The link that an installation leaves for npx.
    fs.writeFileSync(path.join(root, 'node_modules/.bin/gateway'), '');
  });
  afterEach(() => fs.rmSync(root, { recursive: true }));

  const hold = (tools: boolean) =>
    fs.writeFileSync(path.join(root, 'node_modules/.modules.yaml'), `"devDependencies": ${tools}`);
  const find = (name: string) => {
    const step = bootstrapSteps(root).find((one) => one.name === name);
    return {
      args: step?.args ?? [],
      isThere: (step?.outputs() ?? ['']).every((file) => fs.existsSync(file)),
    };
  };

  test('a start installs the product alone, and keeps the tools of lint and tests where they are', () => {
    expect(find('install-product').args).toContain('--prod=true');
    hold(false);
    expect(find('install-product').args).toContain('--prod=true');
    hold(true);
    expect(find('install-product').args).toContain('--prod=false');
  });

  test('the product alone is enough for a start, and not for tests', () => {
    hold(false);
    expect([find('install-product').isThere, find('install').isThere]).toEqual([true, false]);
    expect(find('install').args).toContain('--prod=false');
    hold(true);
    expect([find('install-product').isThere, find('install').isThere]).toEqual([true, true]);
  });
});
