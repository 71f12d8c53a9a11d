import { asRecord } from '../record-of.js';

/** An answer of fal as far as its errors go. */
export interface FalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body; null when it is no JSON. */
  readonly value: unknown;
}

/** What an answer says about its error. */
export interface FalFault {
  /** The machine-readable type; null when there is none. */
  readonly type: string | null;
  /** For the log, at most 300 characters. */
  readonly text: string;
  /** Where in the request the error is, such as `["body", "image_urls", 0]`. */
  readonly place: readonly unknown[];
}

const LONGEST = 300;

/** Reads an error in any of fal's three shapes: a list of typed details, one text with `error_type`, or a header. */
export function faultOf({ headers, value }: FalAnswer): FalFault {
  const body = asRecord(value);
  const { detail, error, error_type: errorType } = body ?? {};
  const first = Array.isArray(detail) ? asRecord(detail[0]) : null;
  const types = [first?.type, errorType, headers['x-fal-error-type']];
  const texts = [first?.msg, detail, error];
  const place = first?.loc;
  return {
    type: types.find((type): type is string => typeof type === 'string' && type !== '') ?? null,
    text: (texts.find((text): text is string => typeof text === 'string') ?? '').slice(0, LONGEST),
    place: Array.isArray(place) ? place : [],
  };
}
