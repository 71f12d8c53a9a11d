import type { Examples } from './examples.js';
import type { JsonSchema } from './json-schema.js';

const text = { type: 'string' };
const header = (name: string, description: string): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: text,
});

/** Requests that the gateway sends: Standard Webhooks (https://www.standardwebhooks.com). */
export function webhooks(examples: Examples): Readonly<Record<string, JsonSchema>> {
  return {
    taskFinished: {
      post: {
        operationId: 'taskFinished',
        summary: 'A task with a webhook_url has completed or failed',
        description:
          'Answer with 2xx within 15 s. Anything else is tried again with growing pauses for about three days; 410 ends the tries; redirects are not followed. The same event can arrive more than once: `webhook-id` tells.',
        security: [],
        parameters: [
          header('webhook-id', 'The same for every delivery of this event, `msg_…`.'),
          header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.'),
          header(
            'webhook-signature',
            'Space-separated `v1,<base64>`: HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, one for each active secret.',
          ),
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/WebhookEvent' },
              examples: { completed: { value: examples.event } },
            },
          },
        },
        responses: { '2XX': { description: 'Received.' } },
      },
    },
  };
}
