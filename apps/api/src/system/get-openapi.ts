import { querySchemas } from '@image-gateway/shared/validation';
import type { Offers } from '../catalog/create-offers.js';
import type { Handler } from '../http/framework/call.js';
import type { DocumentOptions } from '../openapi.js';

/** Dependencies of the OpenAPI document. */
export interface OpenapiDeps {
  readonly offers: Offers;
  readonly buildDocument: (schemas: Pick<DocumentOptions, 'schema' | 'queries'>) => object;
}

/**
 * `GET /v1/openapi.json`: the document itself, without the envelope, so that tools can read it. Built once for each version of
 * the catalog.
 */
export function getOpenapi({ offers, buildDocument }: OpenapiDeps): Handler {
  let known: { readonly version: number; readonly text: Buffer } | null = null;
  return async () => {
    const { version, modelIds: models, parser } = await offers.describe();
    if (known?.version !== version) {
      const document = buildDocument({ schema: parser.schema, queries: querySchemas({ models }) });
      known = { version, text: Buffer.from(JSON.stringify(document)) };
    }
    return {
      status: 200,
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'public, max-age=300' },
      text: known.text,
    };
  };
}
