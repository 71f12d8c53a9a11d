import type { Examples } from './examples.js';
import type { JsonSchema } from './json-schema.js';
import { ref } from './parts.js';
import { errors, success } from './responses.js';

/** Operations about the account and its prices. */
export function accountPaths({ generate, account, quote }: Examples): Readonly<Record<string, JsonSchema>> {
  return {
    '/v1/quote': {
      post: {
        operationId: 'quote',
        summary: 'Price a request without submitting it',
        description: 'Validates the body as `POST /v1/generate` does, and holds nothing.',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: ref('GenerateRequest'),
              examples: { generate: { value: generate } },
            },
          },
        },
        responses: {
          200: success('The price.', ref('Quote'), { quote }),
          ...errors(400, 401, 403, 404, 429, 500, 503),
        },
      },
    },
    '/v1/account': {
      get: {
        operationId: 'getAccount',
        summary: 'Read the balance of the account and the limits of the key',
        responses: {
          200: success('The account and the key of the request.', ref('Account'), { account }),
          ...errors(400, 401, 403, 404, 429, 500, 503),
        },
      },
    },
  };
}
