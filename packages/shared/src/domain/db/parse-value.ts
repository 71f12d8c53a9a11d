import pg from 'pg';

const INT8 = 20;
/** Types whose parsers return null, or an invalid Date, for a text that they do not know: date, timestamp, timestamptz. */
const TIMES: ReadonlySet<number> = new Set([1082, 1114, 1184]);

/** A statement ran, and a value that it returned cannot be read. Running it again would do its work twice. */
export class UnreadableValueError extends Error {
  constructor(text: string) {
    super(`the statement ran, and its answer cannot be read: ${text} is no time in ISO form`);
    this.name = 'UnreadableValueError';
  }
}

/** Returns the driver's parser of a type, for values that are not null; one of times throws UnreadableValueError. */
export const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  if (oid === INT8) {
    return BigInt;
  }
  const parse = pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown;
  return TIMES.has(oid) ? (text: string) => parseTime(text, parse) : parse;
};

function parseTime(text: string, parse: (text: string) => unknown): unknown {
  const time = parse(text);
  if (time === null || (time instanceof Date && Number.isNaN(time.getTime()))) {
    throw new UnreadableValueError(text);
  }
  return time;
}
