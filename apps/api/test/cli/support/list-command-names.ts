import { buildProgram } from '../../../src/cli/build-program.js';
import type { CommandRun } from '../../../src/cli/define-command.js';
import { getPath, listCommands } from '../../../src/cli/help.js';

/** Lists the commands of the operator command line, such as `account create`, in the order of the help. */
export async function listCommandNames(): Promise<string[]> {
  const program = await buildProgram({} as CommandRun, { write: () => undefined, columns: 120 }, []);
  return listCommands(program).map(getPath);
}
