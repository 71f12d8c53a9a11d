import { runProgram } from './run-program.mjs';

/** Tries the product's security from outside and answers with 1 when something was found. */
export function run() {
  return runProgram('tests/faults/security/main.ts');
}
