import { ANY, list, loose, needed, readLoosely, TEXT } from './read-shape.js';

/** Fault of a request as servers written with FastAPI name it; missing texts are empty. */
export interface RequestFault {
  readonly type: string;
  readonly text: string;
  /** Place in the request, such as `["body", "image_urls", 0]`. */
  readonly location: readonly unknown[];
  /** Innermost field of that place. */
  readonly field: string;
}

const fault = needed({ type: TEXT, msg: TEXT, loc: list(ANY) });
const listSchema = loose({ detail: list(fault) });
const textSchema = loose({ detail: TEXT });

/** Reads the `detail` of a refusal: one text, or a list of faults, of which the first counts. */
export function readDetail(value: unknown): RequestFault {
  const [first] = readLoosely(listSchema, value).detail;
  const { type = '', msg: text = readLoosely(textSchema, value).detail, loc: location = [] } = first ?? {};
  const field = location.findLast((part): part is string => typeof part === 'string' && part !== 'body');
  return { type, text, location, field: field ?? '' };
}
