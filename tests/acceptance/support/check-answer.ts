import type { OpenApi } from './openapi.js';
import type { Envelope } from './servers/wire.js';

const statusOfCode: Readonly<Record<string, number>> = {
  BAD_REQUEST: 400,
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  INSUFFICIENT_BALANCE: 403,
  NOT_FOUND: 404,
  RANGE_NOT_SATISFIABLE: 416,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UPSTREAM_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
};

// Traces of the inside that no message may carry.
const inside =
  /\n|\bat \/|node_modules|prisma|postgres|bullmq|ioredis|ECONN|ENOTFOUND|SELECT |INSERT |127\.0\.0\.1|Error:/i;

interface Judged {
  method: string;
  target: string;
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

/** Holds an answer against what every answer of the API promises, and gives its envelope; throws on the first fault. */
export function checkAnswer(
  { method, target, status, headers, text }: Judged,
  openapi: OpenApi | undefined,
): Envelope {
  const fault = (why: string) =>
    new Error(`${method} ${target.slice(0, 200)} → ${status}: ${why}: ${text.slice(0, 500)}`);
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(String(headers['x-request-id']))) {
    throw fault('no X-Request-Id');
  }
  if (!/^application\/json/.test(String(headers['content-type']))) {
    throw fault(`content type ${headers['content-type']}`);
  }
  const envelope = JSON.parse(text) as Envelope;
  const fields = Object.keys(envelope).sort().join();
  if (fields !== 'data,error') {
    throw fault(`not the envelope, its fields are ${fields}`);
  }
  if ((envelope.data === null) === (envelope.error === null)) {
    throw fault('exactly one of data and error must be null');
  }
  if (envelope.error === null) {
    if (status !== 200 && status !== 202) {
      throw fault('success with an unknown status');
    }
  } else {
    const { code, message } = envelope.error;
    if (statusOfCode[code] !== status) {
      throw fault(`${code} does not belong to ${status}`);
    }
    if (typeof message !== 'string' || message === '' || message.length > 400) {
      throw fault('not a short message');
    }
    if (inside.test(message)) {
      throw fault('the message shows the inside');
    }
  }
  const wrong = openapi?.findFault(method, target.split('?')[0] ?? target, status, envelope);
  if (wrong) {
    throw fault(wrong);
  }
  return envelope;
}
