import Joi from 'joi';
import {
  LIMITS,
  METADATA_KEY,
  MOVEMENT_KINDS,
  type PageQuery,
  type StatementQuery,
  TASK_STATUSES,
  TASK_TYPES,
  TASK_VIEWS,
  type TaskQuery,
  type TasksQuery,
  USAGE_FORMATS,
  USAGE_GROUPS,
  type UsageQuery,
  type UsageSummaryQuery,
} from '../contract/index.js';
import { METADATA_RULE, metadataSchema } from './metadata-schema.js';
import { type QueryTypes, queryTypes } from './query-types.js';

/** Schemas of the queries of a task and of the lists. */
export interface QuerySchemas {
  readonly task: Joi.ObjectSchema<TaskQuery>;
  readonly files: Joi.ObjectSchema<PageQuery>;
  readonly statement: Joi.ObjectSchema<StatementQuery>;
  readonly tasks: Joi.ObjectSchema<TasksQuery>;
  readonly usage: Joi.ObjectSchema<UsageQuery>;
  readonly usageSummary: Joi.ObjectSchema<UsageSummaryQuery>;
}

const says = <S extends Joi.Schema>(schema: S, rule: string): S =>
  schema.messages({ '*': `{{#label}} must be ${rule}.` }) as S;

const ISO = 'an ISO 8601 date or time such as 2026-01-31 or 2026-01-31T12:00:00Z';

/** Models that a query may name: a list, or a check that follows the catalog. */
export type QueryModels =
  | { readonly models: readonly string[] }
  | { readonly isModel: (id: string) => boolean };

/** Builds the schemas of the queries. */
export function querySchemas(options: QueryModels): QuerySchemas {
  const types = queryTypes();
  const page = pageFields(types);
  const choice = (values: readonly string[]) =>
    says(Joi.string().valid(...values), `one of ${values.map((value) => `"${value}"`).join(', ')}`);
  const modelSchema = (): Joi.StringSchema =>
    'models' in options
      ? choice(options.models)
      : says(
          Joi.string().custom((id: string, helpers) =>
            options.isModel(id) ? id : helpers.error('any.only'),
          ),
          'the id of a model of the catalog',
        );
  const instant = (description: string) => says(types.instant(), ISO).description(description);
  const usage = {
    from: instant('Only usage recorded at this time or later.'),
    to: instant('Only usage recorded before this time.'),
    model: modelSchema().description('Only usage of this model.'),
    api_key_id: says(
      Joi.string().pattern(/^key_[0-9A-Za-z]{1,64}$/),
      'the id of an API key (key_…)',
    ).description('Only usage of tasks submitted with this API key.'),
    metadata: metadataFilter('Only usage of tasks with these entries, such as `metadata[user]=42`.'),
    include: choice(['refunds']).description('Adds refunds, each at its own time. Sums are then net.'),
  };
  return {
    task: Joi.object({
      view: choice(TASK_VIEWS).description('`full` adds the request and what is known of each image.'),
      wait: says(
        types.digits().integer().min(1).max(LIMITS.waitSeconds),
        `an integer from 1 to ${LIMITS.waitSeconds}`,
      ).description('Seconds to wait for the end of the task; the answer is the task as it then is.'),
    }),
    files: Joi.object(page),
    statement: Joi.object({
      ...page,
      from: instant(
        'Only lines at this time or later. The line of a day of captures stands at its last millisecond.',
      ),
      to: instant('Only lines before this time.'),
      kind: choice(MOVEMENT_KINDS).description('Only lines of this kind.'),
      format: choice(['csv']).description('All lines as a file instead of a page.'),
    }),
    tasks: Joi.object({
      ...page,
      status: choice(TASK_STATUSES).description('Only tasks in this status.'),
      model: modelSchema().description('Only tasks of this model.'),
      type: choice(TASK_TYPES).description('Only tasks of this type.'),
      created_after: instant('Only tasks created after this time.'),
      created_before: instant('Only tasks created before this time.'),
      metadata: metadataFilter('Only tasks with these entries, such as `metadata[user]=42`.'),
    }),
    usage: Joi.object({
      ...page,
      ...usage,
      format: choice(USAGE_FORMATS).description(
        'All records and refunds as a file instead of a page. Refunds are always included.',
      ),
    }),
    usageSummary: Joi.object({
      ...usage,
      group_by: usageGroupSchema().default('model').description(GROUP_BY),
    }),
  };
}

/** Schema with its preferences, which each validation would otherwise merge again, and the result for no parameters. */
interface PreparedSchema {
  readonly schema: Joi.Schema;
  readonly empty: Joi.ValidationResult;
}

const prepared = new WeakMap<Joi.Schema, PreparedSchema>();

/** Validates the parameters of a query; unknown ones are ignored. `fault` is a sentence for the caller. */
export function parseQuery<T>(
  schema: Joi.Schema<T>,
  query: Readonly<Record<string, unknown>>,
): { readonly query: T } | { readonly fault: string } {
  const known = prepared.get(schema) ?? prepare(schema);
  const isEmpty = Object.keys(query).length === 0;
  const { error, value } = isEmpty ? known.empty : known.schema.validate(foldMetadata(query));
  return error ? { fault: error.message } : { query: { ...(value as T) } };
}

function prepare(given: Joi.Schema): PreparedSchema {
  const schema = given.prefs({ stripUnknown: true, errors: { wrap: { label: false } } });
  const made = { schema, empty: schema.validate({}) };
  prepared.set(given, made);
  return made;
}

const ENTRY = /^metadata\[(.*)\]$/s;

/** Makes one object of the parameters `metadata[key]`. */
function foldMetadata(query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(query).flatMap(([name, value]): [string, unknown][] => {
    const key = ENTRY.exec(name)?.[1];
    return key === undefined ? [] : [[key, value]];
  });
  return entries.length === 0 ? query : { ...query, metadata: Object.fromEntries(entries) };
}

function metadataFilter(description: string): Joi.AnySchema {
  return says(metadataSchema(), METADATA_RULE).description(description);
}

const GROUP_BY =
  'Fields of an entry, comma-separated: hour, day, key, model, quality, and one `metadata:KEY`. Hours and days are UTC. The ' +
  'entry of usage at plain prices has no `quality`, that of usage without the key no `metadata`. Values beyond the 1,000 ' +
  'dearest are one entry with the value `…`.';

/** Schema of the fields by which usage is grouped. */
export function usageGroupSchema(): Joi.StringSchema {
  const one = `(${USAGE_GROUPS.join('|')}|metadata:${METADATA_KEY})`;
  return says(
    Joi.string().pattern(
      new RegExp(`^(?!.*metadata:.*,metadata:)${one}(,${one}){0,${USAGE_GROUPS.length}}$`),
    ),
    `some of ${USAGE_GROUPS.join(', ')} and one metadata:KEY, comma-separated`,
  );
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
