import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { createCliContext } from './cli-context.js';
import { runCli } from './run-cli.js';

const projectDir = resolve(import.meta.dirname, '../../../..');
const isJson = process.argv.includes('--json');
const context = createCliContext({
  env: process.env,
  projectDir,
  readInput: () => text(process.stdin),
  reportProgress: (line) => {
    if (!isJson) {
      process.stderr.write(`${line}\n`);
    }
  },
});
const output = {
  stdout: (text: string) => process.stdout.write(text),
  stderr: (text: string) => process.stderr.write(text),
  columns: process.stdout.columns,
};

process.exitCode = await runCli({ context, output }, process.argv.slice(2));
await context.close();
