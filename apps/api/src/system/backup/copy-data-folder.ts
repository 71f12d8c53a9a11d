import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AppError } from '@image-gateway/shared/errors';
import type { BackupScope } from './backup-scope.js';
import type { SavedFile } from './manifest.js';

const PROGRAM = 'packages/local-stack/dist/copy/copy-main.js';

/** Line of what the program says. */
interface Message {
  readonly file?: SavedFile;
  readonly env?: Readonly<Record<string, string>>;
  readonly error?: string;
}

/** Running copy of a data folder. */
export interface ServedCopy {
  /** Settings with the addresses of its database and object store. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends both, and removes the copy. */
  readonly stop: () => Promise<void>;
}

/** Copies the data folder of `npm start`, and yields each file. Throws AppError while a gateway runs on it. */
export async function* saveDataFolder(scope: BackupScope, target: string): AsyncGenerator<SavedFile> {
  yield* readFiles(startProgram(scope, ['save', scope.dataDir, target]));
}

/** Makes `DATA_DIR` of a saved data folder. Throws AppError where there is one already. */
export async function placeDataFolder(scope: BackupScope, saved: string): Promise<void> {
  const files = readFiles(startProgram(scope, ['place', saved, scope.dataDir]));
  while (!(await files.next()).done) {
    // Its files were compared with their checksums before.
  }
}

/** Starts database and object store of a copy of a saved data folder, on ports of their own. */
export async function serveCopy(scope: BackupScope, saved: string, scratch: string): Promise<ServedCopy> {
  const program = startProgram(scope, ['serve', saved, scratch]);
  const stop = async (): Promise<void> => {
    program.end();
    await program.ended;
  };
  for await (const { env } of program.messages) {
    if (env !== undefined) {
      return { env, stop };
    }
  }
  throw await program.fail();
}

interface RunningProgram {
  readonly messages: AsyncGenerator<Message>;
  /** Returns the error of a program that ended early. */
  readonly fail: () => Promise<AppError>;
  readonly end: () => void;
  readonly ended: Promise<number | null>;
}

async function* readFiles(program: RunningProgram): AsyncGenerator<SavedFile> {
  try {
    for await (const { file } of program.messages) {
      if (file !== undefined) {
        yield file;
      }
    }
  } finally {
    program.end();
  }
  if ((await program.ended) !== 0) {
    throw await program.fail();
  }
}

function startProgram({ env, projectDir, signal }: BackupScope, args: readonly string[]): RunningProgram {
  const program = join(projectDir, PROGRAM);
  if (!existsSync(program)) {
    throw new AppError('BAD_REQUEST', {
      publicMessage: `${PROGRAM} is missing here. A data folder is copied by a clone (npm run build) or by the image of the whole gateway.`,
    });
  }
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C in a terminal reaches all of its processes; this one ends with its input.
    detached: true,
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(-2_000);
  });
  // It may have ended by itself.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      complaint = error.message;
      resolve(null);
    });
    child.once('close', (code) => resolve(code));
  });
  const end = (): void => void child.stdin.end();
  signal.addEventListener('abort', end, { once: true });
  let error: string | undefined;
  async function* readMessages(): AsyncGenerator<Message> {
    // The loop of a caller that leaves it must not end the stream, which the program goes on to write to.
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (let next = await lines.next(); !next.done; next = await lines.next()) {
      const message = JSON.parse(next.value) as Message;
      error ??= message.error;
      yield message;
    }
  }
  return {
    messages: readMessages(),
    fail: async () => {
      await ended;
      signal.throwIfAborted();
      return new AppError('SERVICE_UNAVAILABLE', {
        publicMessage:
          error ?? `The data folder could not be copied: ${complaint.trim() || 'its process was stopped'}`,
      });
    },
    end,
    ended,
  };
}
