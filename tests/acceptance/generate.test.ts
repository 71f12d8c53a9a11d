import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { query } from './support/product/database.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';
import type { Task } from './support/servers/wire.js';

const id = /^gen_[0-9A-Za-z]{22,}$/;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let scene: Scene;
let customer: Customer;

beforeAll(async () => {
  scene = await openSharedScene();
  customer = await scene.customer();
}, 700_000);
afterAll(() => scene.audit());

describe('submitting', () => {
  test('submitting answers 202 with a pending Task of exactly the promised fields', async () => {
    const answer = await customer.client.generate({ prompt: 'sandbox:fixed a red fox' });
    expect(answer.status).toBe(202);
    expect(answer.envelope.error).toBeNull();
    expect(answer.data).toEqual({
      id: expect.stringMatching(id),
      status: 'pending',
      model: 'nanobanana',
      type: 'image_generate',
      cost: '$0.00',
      created_at: expect.stringMatching(timestamp),
    });
  });

  test('submitting answers 202 with Location, Retry-After 2 and no caching', async () => {
    const answer = await customer.client.generate({ prompt: 'sandbox:fixed' });
    expect(answer.headers).toMatchObject({
      location: `/v1/tasks/${answer.data.id}`,
      'retry-after': '2',
      'cache-control': 'no-store',
    });
  });

  test('a request without image_urls is a generation, one with them is an edit', async () => {
    const made = await customer.client.run({ prompt: 'sandbox:fixed' });
    const edit = await customer.client.generate({ prompt: 'sandbox:fixed', image_urls: [made.output?.url] });
    expect(made.type).toBe('image_generate');
    expect(edit.data.type).toBe('image_edit');
    expect(await customer.client.finished(edit.data.id)).toMatchObject({
      status: 'completed',
      type: 'image_edit',
    });
  });

  test('two equal requests without a key for repetition make two tasks', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(() => customer.client.generate({ prompt: 'sandbox:fixed twice' })),
    );
    expect(one?.data.id).not.toBe(two?.data.id);
  });
});

describe('the Task over its life', () => {
  test('the Task over its life stays pending at $0.00 and without output until it is done, and shows started_at while it is worked on', async () => {
    const { data } = await customer.client.generate({ prompt: 'sandbox:fixed sandbox:delay=1500' });
    const seen: Task[] = [];
    do {
      seen.push(await customer.client.task(data.id));
    } while (seen.at(-1)?.status === 'pending');
    for (const task of seen.filter(({ status }) => status === 'pending')) {
      expect(
        Object.keys(task).filter((field) => ['output', 'error', 'completed_at'].includes(field)),
      ).toEqual([]);
      expect(task.cost).toBe('$0.00');
    }
    expect(seen.some((task) => task.status === 'pending' && task.started_at !== undefined)).toBe(true);
    expect(seen.at(-1)?.status).toBe('completed');
  });

  test('a completed Task has output, cost and all three times in order', async () => {
    const task = await customer.client.run({ prompt: 'sandbox:fixed' });
    const fileUrl = `${scene.product.run().api.url}/files`;
    expect(task).toEqual({
      id: expect.stringMatching(id),
      status: 'completed',
      model: 'nanobanana',
      type: 'image_generate',
      output: {
        url: expect.stringMatching(new RegExp(`/images/${task.id}/0\\.(png|jpg|jpeg|webp)$`)),
        urls: [task.output?.url],
      },
      cost: '$0.0100',
      created_at: expect.stringMatching(timestamp),
      started_at: expect.stringMatching(timestamp),
      completed_at: expect.stringMatching(timestamp),
    });
    expect(task.output?.url.replace('localhost', '127.0.0.1')).toContain(
      `${fileUrl.replace('localhost', '127.0.0.1')}/images/`,
    );
    const times = [task.created_at, task.started_at, task.completed_at];
    expect([...times].sort()).toEqual(times);
  });

  test('a failed Task is answered with 200, a reason, $0.00 and all three times', async () => {
    const task = await customer.client.run({ prompt: 'sandbox:fail=moderation' });
    expect(task).toEqual({
      id: expect.stringMatching(id),
      status: 'failed',
      model: 'nanobanana',
      type: 'image_generate',
      error: expect.stringMatching(/moderation/i),
      cost: '$0.00',
      created_at: expect.stringMatching(timestamp),
      started_at: expect.stringMatching(timestamp),
      completed_at: expect.stringMatching(timestamp),
    });
  });

  test.each(['sandbox:fixed', 'sandbox:fail=moderation'])(
    'a finished Task never changes again, byte for byte, whoever tries (%s)',
    async (prompt) => {
      const { id: taskId } = await customer.client.run({ prompt });
      const read = () => customer.client.call('GET', `/v1/tasks/${taskId}`);
      const first = await read();
      await customer.client.call('POST', `/v1/tasks/${taskId}/cancel`);
      for (const change of ["status = 'pending'", "status = 'failed', error = 'x'", "status = 'completed'"]) {
        const update = `UPDATE tasks SET ${change}, cost_micros = cost_micros + 1 WHERE id = $1`;
        await expect(query(scene.product, update, [taskId])).rejects.toThrow();
      }
      expect((await read()).body.equals(first.body)).toBe(true);
    },
  );

  test.each([
    ['refused by moderation', 'sandbox:fail=moderation', /moderation/i],
    ['refused input', 'sandbox:fail=invalid', /input/i],
    ['a failing upstream', 'sandbox:fail=upstream', /upstream|provider/i],
  ])('%s ends in a failed Task with a reason in plain words', async (_, prompt, reason) => {
    const task = await customer.client.run({ prompt });
    expect(task.status).toBe('failed');
    expect(task.error).toMatch(reason);
    expect(task.error?.length).toBeLessThanOrEqual(400);
  });

  test('an upstream that fails once does not fail the task', async () => {
    const task = await customer.client.run({ prompt: 'sandbox:fixed sandbox:fail=once' });
    expect([task.status, task.cost]).toEqual(['completed', '$0.0100']);
  });
});
