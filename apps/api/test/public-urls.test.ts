import { afterEach, describe, expect, test } from '@jest/globals';
import { openBrowser } from './dashboard/support/browser.js';
import { newOwner } from './dashboard/support/people.js';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
afterEach(() => api.stop());

describe('behind TLS', () => {
  test('cookies are Secure, HttpOnly and SameSite, and changes are taken from the https origin only', async () => {
    api = await startApi({
      AUTH_SECRET: 'x'.repeat(32),
      BASE_URL: 'https://images.example.com',
      TRUST_PROXY: '1',
    });
    const { email, password } = await newOwner(api);
    const signIn = (origin: string) => openBrowser(api).post('/sign-in', { email, password }, { origin });
    const { status, headers } = await signIn('https://images.example.com');
    expect(status).toBe(200);
    const [cookie = ''] = headers.getSetCookie();
    for (const word of ['__Secure-', 'Secure', 'HttpOnly', 'SameSite=Strict', 'Path=/dashboard']) {
      expect(cookie).toContain(word);
    }
    for (const origin of ['https://images.example.com.evil.example', 'https://example.com', 'null']) {
      expect([origin, (await signIn(origin)).status]).toEqual([origin, 403]);
    }
  });
});

describe('FILE_URL other than the default', () => {
  const FILE_URL = 'https://cdn.example.com/pics/';
  const base = 'https://cdn.example.com/pics';

  test('FILE_URL other than the default stands before every result, and images at it can be edited', async () => {
    api = await startApi({ FILE_URL });
    const as = await api.account();
    const { id } = await finishTask(api, as, { images: [Buffer.from('a'), Buffer.from('b')] });
    const urls = [`${base}/images/${id}/0.png`, `${base}/images/${id}/1.png`];
    const { json } = await api.call(`/v1/tasks/${id}`, { as });
    expect(json.data).toMatchObject({ output: { url: urls[0], urls } });
    expect((await api.call('/v1/tasks', { as })).json.data.items).toMatchObject([{ output: { urls } }]);
    const body = { model: 'nanobanana', prompt: 'x', image_urls: urls };
    expect((await api.call('/v1/generate', { as, body })).status).toBe(202);
  });

  test('FILE_URL other than the default may lie on this machine: what is under it is taken, what is beside it is refused', async () => {
    api = await startApi({ FILE_URL: 'http://localhost:9000/bucket' });
    const as = await api.account();
    const submit = (url: string) =>
      api.call('/v1/generate', { as, body: { model: 'nanobanana', prompt: 'x', image_urls: [url] } });
    expect((await submit('http://localhost:9000/bucket/images/gen_x/0.png')).status).toBe(202);
    expect((await submit('http://localhost:9000/other')).json.error.message).toContain('OUTBOUND_ALLOW');
  });
});
