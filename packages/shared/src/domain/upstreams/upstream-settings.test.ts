import { describe, expect, test } from '@jest/globals';
import { describeUpstream } from './upstream-settings.js';
import type { UpstreamName } from './upstreams.js';

const read = (protocol: UpstreamName, address: string, apiPath?: string): string =>
  describeUpstream({ name: 'x', protocol, settings: { keys: '', address: '' }, address, apiPath }, []).apiUrl;

describe('the address of an API', () => {
  test.each([
    ['openai', 'http://gpu:8000', 'http://gpu:8000/v1'],
    ['openai', 'http://gpu:8000/', 'http://gpu:8000/v1'],
    ['openai', 'https://proxy.example/openai', 'https://proxy.example/openai/v1'],
    ['openai', 'http://gpu:8000/v1', 'http://gpu:8000/v1'],
    ['azure-openai', 'https://x.openai.azure.com', 'https://x.openai.azure.com/openai'],
    ['azure-openai', 'https://x.openai.azure.com/openai/', 'https://x.openai.azure.com/openai'],
    ['azure-openai', 'https://x.openai.azure.com/openai/v1', 'https://x.openai.azure.com/openai/v1'],
    [
      'openai',
      'https://ark.ap-southeast.bytepluses.com/api/v3',
      'https://ark.ap-southeast.bytepluses.com/api/v3',
    ],
    ['openai', 'https://open.bigmodel.cn/api/paas/v4/', 'https://open.bigmodel.cn/api/paas/v4'],
    [
      'openai',
      'https://generativelanguage.googleapis.com/v1beta/openai',
      'https://generativelanguage.googleapis.com/v1beta/openai',
    ],
    [
      'gemini',
      'https://aiplatform.googleapis.com/v1/publishers/google',
      'https://aiplatform.googleapis.com/v1/publishers/google',
    ],
    ['gemini', 'https://proxy.example', 'https://proxy.example/v1beta'],
    ['fal', 'https://proxy.example/fal', 'https://proxy.example/fal'],
  ] as const)('of %s at %s keeps a version that it has: %s', (protocol, address, expected) => {
    expect(read(protocol, address)).toBe(expected);
  });

  test.each([
    ['', 'https://host/v9'],
    ['/inference/v1', 'https://host/v9/inference/v1'],
  ])('is what its document says: %j', (apiPath, expected) => {
    expect(read('openai', 'https://host/v9/', apiPath)).toBe(expected);
  });
});
