import { Writable } from 'node:stream';
import winston from 'winston';
import { redact } from './redact.js';

/** The logger of a process; `child({ taskId })` adds fields to every line. */
export type Logger = winston.Logger;

/** How a logger is made. */
export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Where lines go; standard output unless a test says otherwise. */
  readonly write?: (line: string) => void;
}

/** Makes the process' logger: one JSON object a line, secrets taken out, `level`, `message`, `service`, `timestamp` first. */
export function createLogger(options: LoggerOptions): Logger {
  const { write } = options;
  const line = winston.format.printf((info) => {
    const { level, message, timestamp, service, ...rest } = info;
    return JSON.stringify({ timestamp, level, service, message, ...(redact(rest) as object) });
  });
  const safeMessage = winston.format((info) => {
    info.message = redact(info.message);
    return info;
  });
  const transport = write
    ? new winston.transports.Stream({ stream: asStream(write) })
    : new winston.transports.Console({ forceConsole: false });
  return winston.createLogger({
    level: options.level,
    defaultMeta: { service: options.service },
    format: winston.format.combine(winston.format.timestamp(), safeMessage(), line),
    transports: [transport],
  });
}

function asStream(write: (line: string) => void): NodeJS.WritableStream {
  return new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      write(chunk);
      done();
    },
  });
}
