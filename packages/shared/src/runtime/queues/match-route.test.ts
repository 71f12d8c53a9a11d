import { expect, test } from '@jest/globals';
import { matchRoute } from './match-route.js';

test.each([
  ['/api/queues', '/api/queues', {}],
  ['/api/queues/:name', '/api/queues/generation', { name: 'generation' }],
  ['/api/queues/:name/:id/logs', '/api/queues/webhook/7/logs', { name: 'webhook', id: '7' }],
  ['/api/queues/:name', '/api/queues/', null],
  ['/api/queues/:name', '/api/queues', null],
  ['/api/queues/:name', '/api/queues/a/b', null],
  ['/api/queues', '/api/other', null],
])('%s and %s', (route, path, params) => expect(matchRoute(route, path)).toEqual(params));
