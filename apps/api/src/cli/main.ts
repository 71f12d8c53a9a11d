import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { readEnvironment } from '@image-gateway/shared/config';
import { createCliContext } from './cli-context.js';
import { explainError } from './explain-error.js';
import { runCli } from './run-cli.js';

const projectDir = resolve(import.meta.dirname, '../../../..');
const isJson = process.argv.includes('--json');

/** Reads the environment, or ends the process with one clear message. */
function environmentOrExit(): ReturnType<typeof readEnvironment> {
  try {
    return readEnvironment(process.env);
  } catch (thrown) {
    const error = explainError(thrown);
    (isJson ? process.stdout : process.stderr).write(
      isJson ? `${JSON.stringify({ error })}\n` : `${error.message}\n`,
    );
    process.exit(1);
  }
}

async function ask(question: string): Promise<string> {
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) {
    return line;
  }
  return '';
}

const tell = (line: string): void => void process.stderr.write(`${line}\n`);
const context = createCliContext({
  env: environmentOrExit(),
  projectDir,
  readInput: () => text(process.stdin),
  ask,
  reportProgress: (line) => {
    if (!isJson) {
      tell(line);
    }
  },
  tell,
});
const output = {
  stdout: (text: string) => process.stdout.write(text),
  stderr: (text: string) => process.stderr.write(text),
  columns: process.stdout.columns,
};

process.exitCode = await runCli({ context, output }, process.argv.slice(2));
await context.close();
