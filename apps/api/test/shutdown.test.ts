import http from 'node:http';
import { eventually } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { startApi } from './support/start-api.js';

interface Got {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
}

describe('a stop', () => {
  test('finishes what is under way, answers what still comes with 503, and closes', async () => {
    const api = await startApi();
    const account = await api.account();
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const get = (path: string) =>
      new Promise<Got>((resolve, reject) => {
        const request = http.get(
          api.url + path,
          { agent, headers: { authorization: `Bearer ${account.apiKey}` } },
          (answer) => {
            answer.resume();
            answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }));
          },
        );
        request.on('error', reject);
      });
    expect((await get('/v1/tasks')).status).toBe(200);

    // The account's row is locked, so that a submission is under way when the stop begins.
    const holder = await api.test.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [account.id]);
    const submission = api.call('/v1/generate', { as: account, body: { model: 'nanobanana', prompt: 'x' } });
    await eventually(async () => {
      const { rows } = await api.test.pool.query(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      expect(rows).toHaveLength(1);
    });

    const stopped = api.shutdown.run('test');
    const [refused, ready, alive] = await Promise.all([
      get('/v1/tasks'),
      api.call('/readyz'),
      api.call('/healthz'),
    ]);
    expect([refused.status, refused.headers.connection]).toEqual([503, 'close']);
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect([ready.status, alive.status]).toEqual([503, 200]);

    await holder.query('COMMIT');
    holder.release();
    expect((await submission).status).toBe(202);
    await stopped;
    await expect(get('/healthz')).rejects.toThrow(/ECONNREFUSED|ECONNRESET|hang up/);
    agent.destroy();
    await api.stop();
  });

  test('under load resets no connection: every answer is 202 or 503', async () => {
    const api = await startApi();
    const account = await api.account();
    const body = { model: 'nanobanana', prompt: 'x' };
    let answered = 0;
    const answers = Array.from({ length: 200 }, async () => {
      const answer = await api.call('/v1/generate', { as: account, body });
      answered += 1;
      return answer;
    });
    // Every request has its connection by then, on a busy machine too.
    await eventually(() => expect(answered).toBeGreaterThan(20));
    const stopped = api.shutdown.run('test');
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    await stopped;
    expect(statuses.filter((status) => status !== 202 && status !== 503)).toEqual([]);
    const { rows } = await api.test.pool.query('SELECT count(*)::int AS n FROM tasks');
    expect(rows[0].n).toBe(statuses.filter((status) => status === 202).length);
    await api.stop();
  });
});
