import { writeSync } from 'node:fs';
import winston from 'winston';
import { redact, redactField } from './redact.js';
/** The logger of a process; `child({ taskId })` adds fields to every line. */
export type Logger = winston.Logger;

/** How a logger is made. */
export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Where lines go; standard output unless a test says otherwise. */
  readonly write?: (line: string) => void;
}

const MESSAGE = Symbol.for('message');
/** Lines of these levels are written at once: they may be the last words. */
const URGENT = new Set(['error', 'warn']);

/** Makes the process' logger: one JSON object a line, secrets taken out, `level`, `message`, `service`, `timestamp` first. */
export function createLogger(options: LoggerOptions): Logger {
  const head = JSON.stringify({ service: options.service }).slice(1, -1);
  const line = winston.format((info) => {
    info[MESSAGE] = formatLine(info, head);
    return info;
  });
  return winston.createLogger({
    level: options.level,
    defaultMeta: { service: options.service },
    format: line(),
    transports: [options.write ? transportTo(options.write) : standardOutput()],
  });
}

const OF_HEAD = new Set(['timestamp', 'level', 'service', 'message']);

/** Written field by field: taking objects apart and joining them anew took most of the time of a line. */
function formatLine(info: winston.Logform.TransformableInfo, service: string): string {
  const message = toJson(redact(info.message)) ?? null;
  let text = `{"timestamp":"${new Date().toISOString()}","level":"${info.level}",${service},"message":${message}`;
  for (const name in info) {
    if (OF_HEAD.has(name)) {
      continue;
    }
    const value = toJson(redactField(name, info[name]));
    if (value !== undefined) {
      text += `,${JSON.stringify(name)}:${value}`;
    }
  }
  return `${text}}`;
}

/** There is no JSON of a function, a symbol, and what is undefined. */
function toJson(value: unknown): string | undefined {
  return JSON.stringify(value);
}

// Exported by winston, which forgets to say so in its types.
const { Transport } = winston as unknown as {
  Transport: new (options: {
    readonly log: (info: Record<string | symbol, string>, next: () => void) => void;
  }) => winston.transport;
};

function transportTo(write: (line: string, level: string) => void): winston.transport {
  return new Transport({
    log: (info, next) => {
      write(info[MESSAGE] ?? '', info.level ?? '');
      next();
    },
  });
}

function standardOutput(): winston.transport {
  const writer = createTurnWriter(standardWriter());
  // Writing to files and pipes is synchronous: nothing that was logged is lost when the process ends by itself.
  process.once('exit', writer.flush);
  return transportTo((line, level) => {
    writer.add(line);
    if (URGENT.has(level)) {
      writer.flush();
    }
  });
}

/** Writes to standard output as long as that can be written; a full disk costs lines and never the process. */
function standardWriter(): (text: string) => unknown {
  let broken = false;
  process.stdout.on('error', () => {
    broken = true;
  });
  // Node closes its stream after the first error; past it, lines are written again as soon as there is room.
  return (text) => (broken ? wasWritten(text) : process.stdout.write(text));
}

function wasWritten(text: string): boolean {
  try {
    writeSync(process.stdout.fd, text);
    return true;
  } catch {
    return false;
  }
}

/** Writes lines, those of one turn of the event loop together. */
export interface TurnWriter {
  readonly add: (line: string) => void;
  /** Writes at once what was added. */
  readonly flush: () => void;
}

/** Makes a writer: a system call a line would cost a busy process more than making the line does. */
function createTurnWriter(write: (text: string) => unknown): TurnWriter {
  let text = '';
  const flush = (): void => {
    if (text === '') {
      return;
    }
    const lines = text;
    text = '';
    write(lines);
  };
  return {
    add: (line) => {
      if (text === '') {
        setImmediate(flush);
      }
      text += `${line}\n`;
    },
    flush,
  };
}
