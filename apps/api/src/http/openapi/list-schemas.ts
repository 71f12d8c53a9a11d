import { ownAccount, refusalDetails, statement, statementItem } from '@image-gateway/shared/account/schema';
import { publicModel } from '@image-gateway/shared/catalog/schema';
import { HTTP_STATUS_BY_CODE, TASK_STATUSES, type TaskStatus } from '@image-gateway/shared/contract';
import { fileList, publicFile } from '@image-gateway/shared/file/schema';
import { capView } from '@image-gateway/shared/key/schema';
import {
  ALWAYS_NULL,
  choice,
  describe,
  type JsonSchema,
  type NamedShape,
  object,
  optional,
  pagination,
  text,
  time,
} from '@image-gateway/shared/schema';
import {
  fullTaskFields,
  publicTask,
  quoteView,
  task,
  taskImage,
  taskOutput,
} from '@image-gateway/shared/task/schema';
import { usageRecord, usageSummaryEntry } from '@image-gateway/shared/usage/schema';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Fields that a task has only in some states; those that it must have, and those that it has not. */
const STATES = {
  pending: { needs: [], lacks: ['output', 'error', 'completed_at'] },
  completed: { needs: ['output', 'started_at', 'completed_at'], lacks: ['error'] },
  failed: { needs: ['error', 'started_at', 'completed_at'], lacks: ['output'] },
} as const satisfies Readonly<
  Record<TaskStatus, { readonly needs: readonly string[]; readonly lacks: readonly string[] }>
>;

/** Name of the schema of a task in a status, such as `TaskPending`. */
const getTaskName = (prefix: string, status: TaskStatus): string =>
  `${prefix}${status[0]?.toUpperCase()}${status.slice(1)}`;

/** One schema for each status, and their union, which `status` tells apart. */
function listTaskSchemas(
  prefix: 'Task' | 'FullTask',
  more: Readonly<Record<string, { readonly json: JsonSchema; readonly presence: string }>>,
  description: string,
): Readonly<Record<string, JsonSchema>> {
  const fields = { ...publicTask.fields, ...more };
  const schemas = TASK_STATUSES.map((status): readonly [string, JsonSchema] => {
    const { needs, lacks }: { needs: readonly string[]; lacks: readonly string[] } = STATES[status];
    const has = Object.entries(fields).filter(([name]) => !lacks.includes(name));
    const required = has.filter(([name, { presence }]) => presence === 'required' || needs.includes(name));
    const properties = has.map(([name, { json }]) => [
      name,
      name === 'status' ? { type: 'string', const: status } : json,
    ]);
    return [
      getTaskName(prefix, status),
      {
        type: 'object',
        required: required.map(([name]) => name),
        properties: Object.fromEntries(properties) as unknown,
        not: { anyOf: lacks.map((name) => ({ required: [name] })) },
      },
    ];
  });
  const union = {
    oneOf: schemas.map(([name]) => ref(name)),
    discriminator: {
      propertyName: 'status',
      mapping: Object.fromEntries(
        TASK_STATUSES.map((status) => [status, ref(getTaskName(prefix, status)).$ref]),
      ) as unknown,
    },
    description,
  };
  return { [prefix]: union, ...Object.fromEntries(schemas) };
}

const error = object({
  code: choice(Object.keys(HTTP_STATUS_BY_CODE)),
  message: text({ maxLength: 400, description: 'What went wrong and what to do, in plain words.' }),
  details: optional(describe(refusalDetails, 'Only with `INSUFFICIENT_BALANCE`.')),
});

const webhookEvent = object({
  type: choice(['task.completed', 'task.failed']),
  timestamp: describe(time, 'When the task ended.'),
  data: task,
});

/** Returns the schemas of responses and webhooks by their names. */
export function listSchemas(): Readonly<Record<string, JsonSchema>> {
  const define = (...shapes: readonly NamedShape<unknown>[]) =>
    Object.fromEntries(shapes.map(({ name, definition }) => [name, definition]));
  return {
    Error: error.json,
    ErrorResponse: {
      type: 'object',
      required: ['data', 'error'],
      properties: { data: ALWAYS_NULL, error: ref('Error') },
      description: 'Body of every response that is no success.',
    },
    ...define(taskOutput, taskImage),
    ...listTaskSchemas('Task', {}, 'Ignore fields that you do not know: later versions may add some.'),
    ...listTaskSchemas('FullTask', fullTaskFields, 'A task with `view=full`.'),
    ...define(
      pagination,
      publicModel,
      publicFile,
      fileList,
      quoteView,
      capView,
      ownAccount,
      statementItem,
      statement,
      refusalDetails,
    ),
    ...define(usageRecord, usageSummaryEntry),
    WebhookEvent: webhookEvent.json,
  };
}
