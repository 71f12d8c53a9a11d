export { type Consumer, type ConsumerOptions, createConsumer, type JobHandlers } from './create-consumer.js';
export { type ConsumptionProbeOptions, createConsumptionProbe } from './create-consumption-probe.js';
export {
  createProducer,
  type HintOptions,
  LOWEST_PRIORITY,
  type Producer,
  type ProducerOptions,
} from './create-producer.js';
export {
  createQueueInspector,
  type QueuedHint,
  type QueueInspector,
  type QueueSnapshot,
} from './create-queue-inspector.js';
export { createRedis, type RedisConnectionOptions, type RedisMode } from './create-redis.js';
export {
  DEFAULT_PREFIX,
  type GenerationJob,
  JOB_POLICY,
  type JobName,
  type JobPayloads,
  jobs,
  type QueueJobName,
  type QueueName,
  type WebhookJob,
  type WebhookTestJob,
} from './jobs.js';
export { pingRedis, refuseCluster, tryRedisWrite } from './refuse-cluster.js';
export { createTaskEndPublisher, subscribeToTaskEnds } from './task-ends.js';
