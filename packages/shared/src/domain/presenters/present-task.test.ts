import { describe, expect, test } from '@jest/globals';
import { presentTask, type TaskView } from './index.js';

const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, second, 5));
const pending: TaskView = {
  id: 'gen_x',
  status: 'pending',
  model: 'nanobanana',
  type: 'image_generate',
  costMicros: 0n,
  error: null,
  createdAt: at(0),
  startedAt: null,
  completedAt: null,
  outputKeys: [],
  metadata: null,
};

describe('a task as the public sees it', () => {
  test('a fresh task has no output, error, started_at or completed_at', () => {
    expect(presentTask(pending, 'http://f')).toEqual({
      id: 'gen_x',
      status: 'pending',
      model: 'nanobanana',
      type: 'image_generate',
      cost: '$0.00',
      created_at: '2026-01-02T03:04:00.005Z',
    });
  });

  test('stored images and their price stay hidden while the task is pending', () => {
    const shown = presentTask(
      { ...pending, startedAt: at(1), outputKeys: ['images/gen_x/0.png'] },
      'http://f',
    );
    expect(shown).not.toHaveProperty('output');
    expect(shown.cost).toBe('$0.00');
    expect(shown.started_at).toBe('2026-01-02T03:04:01.005Z');
  });

  test('a completed task has every URL, the first one by itself, and its cost', () => {
    const done: TaskView = {
      ...pending,
      status: 'completed',
      costMicros: 20_000n,
      startedAt: at(1),
      completedAt: at(2),
      outputKeys: ['images/gen_x/0.png', 'images/gen_x/1.jpg'],
    };
    expect(presentTask(done, 'http://f')).toMatchObject({
      status: 'completed',
      cost: '$0.0200',
      output: {
        url: 'http://f/images/gen_x/0.png',
        urls: ['http://f/images/gen_x/0.png', 'http://f/images/gen_x/1.jpg'],
      },
    });
  });

  test('a failed task has its reason, costs nothing and shows no output', () => {
    const failed: TaskView = {
      ...pending,
      status: 'failed',
      error: 'The upstream provider failed.',
      startedAt: at(1),
      completedAt: at(1),
      outputKeys: ['images/gen_x/0.png'],
    };
    const shown = presentTask(failed, 'http://f');
    expect(shown).toMatchObject({ status: 'failed', cost: '$0.00', error: 'The upstream provider failed.' });
    expect(shown).not.toHaveProperty('output');
  });
});
