import { runProgram } from './run-program.mjs';

/** Shows for each mutant what finds it, and answers with 1 when one is not found. */
export function run() {
  return runProgram('tests/faults/mutants/main.ts');
}
