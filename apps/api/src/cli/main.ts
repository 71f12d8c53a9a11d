import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { createCliContext } from './cli-context.js';
import { COMMANDS } from './commands.js';
import { runCli } from './run-cli.js';

const projectDir = resolve(import.meta.dirname, '../../../..');
const isJson = process.argv.includes('--json');
const context = createCliContext({
  env: process.env,
  projectDir,
  readInput: () => text(process.stdin),
  reportProgress: (line) => {
    if (!isJson) process.stderr.write(`${line}\n`);
  },
});

process.exitCode = await runCli(
  {
    commands: COMMANDS,
    context,
    output: {
      stdout: (text) => process.stdout.write(text),
      stderr: (text) => process.stderr.write(text),
    },
  },
  process.argv.slice(2),
);
await context.close();
