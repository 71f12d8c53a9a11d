import type { QuerySchemas } from '@image-gateway/shared/validation';
import type { Examples } from './examples.js';
import type { JsonSchema } from './json-schema.js';
import { getParameters, slowReads } from './parameters.js';
import { listSchema, pageSchema, ref } from './parts.js';
import { errors, success } from './responses.js';

const ALWAYS = [400, 401, 403, 404, 429, 500, 503];

/** Operations about models and usage. */
export function usagePaths(queries: QuerySchemas, examples: Examples): Readonly<Record<string, JsonSchema>> {
  return {
    '/v1/models': {
      get: {
        operationId: 'listModels',
        summary: 'List the models on offer with their prices',
        description: 'Any key may ask. Models that the key may not use are left out.',
        responses: {
          200: success('Every model on offer.', listSchema(ref('Model')), { models: examples.models }),
          ...errors(...ALWAYS),
        },
      },
    },
    '/v1/usage': {
      get: {
        operationId: 'listUsage',
        summary: 'List usage records, newest first',
        description: `${slowReads('from and to')} With \`format\` the answer is a file without pages: all records and refunds, newest first, read from the ledger, so that its costs add up to what was taken from the balance. It is sent as it is read. A connection that ends early means an incomplete file. An account exports one file at a time, further ones are \`429\`.`,
        parameters: getParameters(queries.usage),
        responses: {
          200: withFiles(
            success('A page of usage records, or the file.', pageSchema('UsageRecord'), {
              usage: examples.usage,
            }),
            examples,
          ),
          ...errors(...ALWAYS),
        },
      },
    },
    '/v1/usage/summary': {
      get: {
        operationId: 'summarizeUsage',
        summary: 'Sum up usage by hour, day, key, model, quality or metadata',
        description: `${slowReads('from and to')} By hour it sums up at most 7 days, and there are at most 10,000 groups. Metadata is read from single records: for long spans of much usage choose from and to.`,
        parameters: getParameters(queries.usageSummary),
        responses: {
          200: success(
            'One entry for each group with usage.',
            { type: 'array', items: ref('UsageSummaryEntry') },
            { summary: examples.summary },
          ),
          ...errors(...ALWAYS),
        },
      },
    },
  };
}

function withFiles(response: JsonSchema, { usage }: Examples): JsonSchema {
  const [record] = usage.items;
  const csv = `${Object.keys(record ?? {}).join(',')},metadata,quality\r\n${Object.values(record ?? {}).join(',')},,\r\n`;
  const file = (value: string): JsonSchema => ({
    schema: { type: 'string' },
    examples: { usage: { value } },
  });
  return {
    ...response,
    content: {
      ...(response.content as JsonSchema),
      'text/csv': file(csv),
      'application/x-ndjson': file(`${JSON.stringify(record)}\n`),
    },
  };
}
