import { ProviderError, type ProviderFailure } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import {
  findFieldInText,
  judgeResponse,
  parseRetryAfter,
  quoteUpstream,
  readRefusedField,
} from '../http/error-response.js';
import { ANY, entries, list, loose, needed, readLoosely, readShape, TEXT } from '../http/read-shape.js';
import type { ProviderKey } from '../port.js';

const choice = needed({ message: loose({ content: list(needed({ image: TEXT })) }) });
const imagesSchema = needed({ output: needed({ choices: entries(choice) }) });
const bodySchema = loose({ code: TEXT, message: TEXT, request_id: ANY });

interface Rule {
  /** Of the code; some begin with `InternalError.Algo.`. */
  readonly code: RegExp;
  readonly text?: RegExp;
  readonly failure: ProviderFailure;
}

/** Codes of errors (alibabacloud.com/help/en/model-studio/error-code); the first match counts, then the status. */
const RULES: readonly Rule[] = [
  // The check could not read the image, which has been decoded here before.
  { code: /InvalidParameter\.DataInspection$/, failure: 'doubtful-input' },
  { code: /DataInspectionFailed$|^IPInfringementSuspect$|^FaqRuleBlocked$/, failure: 'moderation' },
  {
    code: /^Arrearage$|BillOverdue$|^CommodityNotPurchased$|AllocationQuota\.FreeTierOnly$/,
    failure: 'billing',
  },
  { code: /^Throttling/, failure: 'rate-limit' },
  { code: /^InvalidApiKey$/, failure: 'auth' },
  { code: /^ModelNotFound$|^model_not_found$/, failure: 'model-gone' },
  { code: /InvalidParameter$/, text: /\bmodel not exist\b/i, failure: 'model-gone' },
  {
    code: /InvalidParameter$/,
    text: /\brange of input length\b|\b(input length|prompt|image) .*\b(length|range|size|resolution|large|small|format|decode)/i,
    failure: 'invalid-input',
  },
  { code: /^InvalidImage|^BadRequest\.TooLarge$/, failure: 'invalid-input' },
  { code: /^(RequestTimeOut|ResponseTimeout)$|Timeout$/, failure: 'timeout' },
  { code: /^(ModelUnavailable|ModelServingError|ServiceUnavailableError)$/, failure: 'overload' },
];

/** Images of a response as URLs, and its id. */
export interface DashscopeImages {
  readonly urls: readonly string[];
  readonly upstreamId: unknown;
}

/**
 * Parses the images of a response with status 200: all of one choice, or one of each. Throws `bad-response` for another shape,
 * and for an error with that status what it is.
 */
export function parseResponse(response: UpstreamResponse, key: ProviderKey | null): DashscopeImages {
  const value = response.json?.value;
  const { code, request_id: upstreamId } = readLoosely(bodySchema, value);
  if (code !== '') {
    throw toProviderError(response, key);
  }
  const { output } = readShape(imagesSchema, value, { upstream: 'DashScope', upstreamId });
  const images = output.choices.flatMap(({ message }) => message.content.map(({ image }) => image));
  return { urls: images.filter((url) => url !== ''), upstreamId };
}

/** Converts a response that is no success. */
export function toProviderError(
  { status, headers, json }: UpstreamResponse,
  key: ProviderKey | null,
): ProviderError {
  const { code, message: text, request_id: upstreamId } = readLoosely(bodySchema, json?.value);
  const rule = RULES.find((one) => one.code.test(code) && (one.text?.test(text) ?? true));
  const field = findFieldInText(text);
  const failure = rule?.failure ?? judgeResponse(status, { code, text, field });
  return new ProviderError(
    failure,
    `DashScope answered ${status} ${quoteUpstream(`${code}: ${text}`, key)}`,
    {
      retryAfterMs: parseRetryAfter(headers),
      upstreamId,
      field: readRefusedField(failure, field, text),
    },
  );
}
