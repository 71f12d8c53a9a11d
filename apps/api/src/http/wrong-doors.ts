import { AppError } from '@image-gateway/shared/errors';
import type { Route } from './framework/call.js';

/** Where OpenAI's protocol is spoken. */
const FACADE = '/openai/v1';
/** Paths of OpenAI's API, as clients have them whose base URL is not the facade's. */
const OF_OPENAI = new RegExp(
  '^(?:/(?:openai|api|v1))*/(?:images|chat|completions|responses|embeddings|audio|moderations|assistants|threads|edits|batches|' +
    'uploads|vector_stores|fine_tuning|conversations|videos|realtime|evals|containers|organization)(?:/|$)',
);
/** The gateway has files of its own, at `/v1/files`. */
const FILES_OF_OPENAI = /^(?:\/openai)(?:\/v1)*\/files(?:\/|$)/;
/** Prefix that stands there again where the base URL of a client ends with it. */
const DOUBLED = /^(?:\/v1)+(?=\/v1\/)/;
/** Letters by which a path may differ from the one that was meant. */
const MAX_TYPOS = 2;

/** Request that leads nowhere. */
export interface WrongDoor {
  readonly method: string;
  readonly path: string;
}

type Door = Pick<Route, 'method' | 'path'>;

/**
 * Creates the errors of requests that lead nowhere. They name the methods of a path. They name the path that was meant where it differs
 * by a letter or two, or by a prefix that the client adds itself.
 * Those of OpenAI's API say where that is spoken, and what of it.
 */
export function createNotFound({
  baseUrl,
  hasFacade,
  doors,
}: {
  readonly baseUrl: string;
  readonly hasFacade: boolean;
  /** Routes that a hint may name. */
  readonly doors: readonly Door[];
}): (request: WrongDoor) => AppError {
  const facade = `${baseUrl}${FACADE}`;
  const known = doors.map((door) => ({ ...door, pattern: toPattern(door.path) }));
  const listMethods = (path: string): string =>
    [...new Set(known.flatMap((door) => (door.pattern.test(path) ? door.method.toUpperCase() : [])))].join(
      ' and ',
    );
  return ({ method, path }) => {
    const here = listMethods(path);
    if (here !== '') {
      return notFound(`${method} is not served here: ${here} ${path} is.`);
    }
    if (hasFacade && (OF_OPENAI.test(path) || FILES_OF_OPENAI.test(path))) {
      return notFound(
        path.startsWith(`${FACADE}/`) && !path.startsWith(`${FACADE}/v1/`)
          ? `This gateway serves images only: POST ${FACADE}/images/generations, POST ${FACADE}/images/edits (each also with ` +
              `/async), POST ${FACADE}/images/tasks, GET ${FACADE}/images/tasks/{id} and GET ${FACADE}/models.`
          : `OpenAI's protocol for images is spoken below ${facade}: set that as the base URL of the client, which then sends POST ` +
              `${FACADE}/images/generations.`,
      );
    }
    const once = path.replace(DOUBLED, '');
    const single = listMethods(once);
    if (single !== '') {
      return notFound(`Not found. ${single} ${once} is: leave /v1 out of the base URL of the client.`);
    }
    const meant = doors.find((door) => !door.path.includes(':') && isTypo(path, door.path));
    return meant
      ? notFound(`Not found. ${meant.method.toUpperCase()} ${meant.path} is.`)
      : new AppError('NOT_FOUND');
  };
}

function notFound(publicMessage: string): AppError {
  return new AppError('NOT_FOUND', { publicMessage });
}

function toPattern(path: string): RegExp {
  const parts = path
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll('.', String.raw`\.`)));
  return new RegExp(`^${parts.join('/')}$`);
}

/** Tells if two paths differ by a slash at the end, capitals, or a letter or two that are too many, missing or others. */
function isTypo(path: string, right: string): boolean {
  const given = path.replace(/\/+$/, '').toLowerCase();
  if (Math.abs(given.length - right.length) > MAX_TYPOS) {
    return false;
  }
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...given].entries()) {
    const next = [index + 1];
    for (let at = 1; at <= right.length; at += 1) {
      const kept = (row[at - 1] ?? 0) + (letter === right[at - 1] ? 0 : 1);
      next.push(Math.min(kept, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return (row[right.length] ?? Number.POSITIVE_INFINITY) <= MAX_TYPOS;
}
