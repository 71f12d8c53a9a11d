import { runProgram } from './run-program.mjs';

/** Runs the fault laboratory on the compiled product and answers with its exit code. */
export function run() {
  return runProgram('tests/faults/main.ts');
}
