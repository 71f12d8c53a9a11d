import type { Redis } from 'ioredis';
import { isId } from '../../domain/ids/index.js';
import { DEFAULT_PREFIX } from './jobs.js';

const getChannel = (prefix: string): string => `${prefix}:task-ends`;

/**
 * Creates the function that tells every API process that a task has ended. Never throws and waits for nothing: processes
 * without the message look at the row.
 */
export function createTaskEndPublisher(redis: Redis, prefix = DEFAULT_PREFIX): (taskId: string) => void {
  const channel = getChannel(prefix);
  return (taskId) => {
    if (redis.status === 'ready') {
      redis.publish(channel, taskId).catch(() => undefined);
    }
  };
}

/**
 * Calls `onEnd` for each published end of a task, as long as Redis is reachable. The connection must serve nothing else; its
 * owner disconnects it.
 */
export function subscribeToTaskEnds(
  redis: Redis,
  { prefix = DEFAULT_PREFIX, onEnd }: { readonly prefix?: string; readonly onEnd: (taskId: string) => void },
): void {
  const subscribe = (): void => {
    redis.subscribe(getChannel(prefix)).catch(() => undefined);
  };
  redis.on('ready', subscribe);
  redis.on('message', (_channel: string, taskId: string) => {
    if (isId('gen', taskId)) {
      onEnd(taskId);
    }
  });
  if (redis.status === 'ready') {
    subscribe();
  }
}
