import Joi from 'joi';
import { LIMITS } from './limits.js';
import { type QueryTypes, queryTypes } from './query-types.js';
import { TASK_STATUSES, TASK_TYPES, type TaskStatus, type TaskType } from './task.js';

/** Which page of a list. */
export interface PageQuery {
  readonly page: number;
  readonly per_page: number;
}

/** The validated query of `GET /v1/tasks`. */
export interface TasksQuery extends PageQuery {
  readonly status?: TaskStatus;
  readonly model?: string;
  readonly type?: TaskType;
  /** Exclusive. */
  readonly created_after?: Date;
  /** Exclusive. */
  readonly created_before?: Date;
}

/** The validated query of `GET /v1/usage/summary`. */
export interface UsageFilter {
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  readonly model?: string;
  readonly api_key_id?: string;
}

/** The validated query of `GET /v1/usage`. */
export interface UsageQuery extends UsageFilter, PageQuery {}

/** The schemas of all queries. */
export interface QuerySchemas {
  readonly tasks: Joi.ObjectSchema<TasksQuery>;
  readonly usage: Joi.ObjectSchema<UsageQuery>;
  readonly usageSummary: Joi.ObjectSchema<UsageFilter>;
}

const says = <S extends Joi.Schema>(schema: S, rule: string): S =>
  schema.messages({ '*': `{{#label}} must be ${rule}.` }) as S;

const ISO = 'an ISO 8601 date or time such as 2026-01-31 or 2026-01-31T12:00:00Z';

/** Makes the schemas of the queries; `models` are all models that a task can ever have had. */
export function querySchemas({ models }: { readonly models: readonly string[] }): QuerySchemas {
  const types = queryTypes();
  const page = pageFields(types);
  const oneOf = (values: readonly string[]) =>
    says(Joi.string().valid(...values), `one of ${values.map((value) => `"${value}"`).join(', ')}`);
  const instant = (description: string) => says(types.instant(), ISO).description(description);
  const usage = {
    from: instant('Only usage recorded at this time or later.'),
    to: instant('Only usage recorded before this time.'),
    model: oneOf(models).description('Only usage of this model.'),
    api_key_id: says(
      Joi.string().pattern(/^key_[0-9A-Za-z]{1,64}$/),
      'the id of an API key (key_…)',
    ).description('Only usage of tasks submitted with this API key.'),
  };
  return {
    tasks: Joi.object({
      ...page,
      status: oneOf(TASK_STATUSES).description('Only tasks in this status.'),
      model: oneOf(models).description('Only tasks of this model.'),
      type: oneOf(TASK_TYPES).description('Only tasks of this type.'),
      created_after: instant('Only tasks created after this time.'),
      created_before: instant('Only tasks created before this time.'),
    }),
    usage: Joi.object({ ...page, ...usage }),
    usageSummary: Joi.object(usage),
  };
}

function pageFields(types: QueryTypes) {
  return {
    page: says(types.digits().integer().min(1), 'an integer of at least 1')
      .default(1)
      .description('Which page, counted from 1.'),
    per_page: says(
      types.digits().integer().min(1).max(LIMITS.perPageMax),
      `an integer from 1 to ${LIMITS.perPageMax}`,
    )
      .default(LIMITS.perPageDefault)
      .description('How many items a page has at most.'),
  };
}
