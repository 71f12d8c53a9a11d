import Joi from 'joi';

/** A JSON Schema (2020-12, the dialect of OpenAPI 3.1). */
export type JsonSchema = { readonly [keyword: string]: unknown };

declare const types: unique symbol;

/** Presence of a field: sent always, sent or not, or absent in a request and filled in by the check. */
type Presence = 'required' | 'optional' | 'default';

/**
 * Schema with its types: `Out` is a value after its check, `In` one as it is sent. From it follow the check (`joi`), the OpenAPI
 * document (`json`) and the types of pages.
 */
export interface Shape<out Out, out In = Out, out P extends Presence = Presence> {
  readonly joi: Joi.Schema;
  readonly json: JsonSchema;
  readonly presence: P;
  readonly [types]?: { readonly out: Out; readonly in: In };
}

type Any = Shape<unknown, unknown>;
type Required<Out, In = Out> = Shape<Out, In, 'required'>;
type Fields = Readonly<Record<string, Any>>;

/** Type of a value after its check. */
export type Infer<S extends Any> = S extends Shape<infer Out, infer _In> ? Out : never;
/** Type of a value as it is sent. */
export type InferInput<S extends Any> = S extends Shape<infer _Out, infer In> ? In : never;

type Flat<T> = { [K in keyof T]: T[K] } & {};
type Named<F extends Fields, P extends Presence> = {
  [K in keyof F]: F[K]['presence'] extends P ? K : never;
}[keyof F];
type ObjectOut<F extends Fields> = Flat<
  { readonly [K in Exclude<keyof F, Named<F, 'optional'>>]: Infer<F[K]> } & {
    readonly [K in Named<F, 'optional'>]?: Infer<F[K]>;
  }
>;
type ObjectIn<F extends Fields> = Flat<
  { readonly [K in Named<F, 'required'>]: InferInput<F[K]> } & {
    readonly [K in Named<F, 'optional' | 'default'>]?: InferInput<F[K]> | undefined;
  }
>;

/** Schema of an object, with those of its fields. */
export interface ObjectShape<F extends Fields> extends Shape<ObjectOut<F>, ObjectIn<F>, 'required'> {
  readonly fields: F;
}

/** Makes a shape of a Joi schema whose types are `Out` and `In`; `json` is what the document says of it. */
export function shape<Out, In = Out>(joi: Joi.Schema, json: JsonSchema = {}): Required<Out, In> {
  return { joi: joi.required(), json, presence: 'required' };
}

/** Makes a shape of a Joi schema that describes itself. */
export function fromJoi<Out, In = Out>(joi: Joi.Schema): Required<Out, In> {
  const { description, ...json } = joi['~standard'].jsonSchema.input({
    target: 'draft-2020-12',
  }) as JsonSchema;
  return shape(joi, { ...json, ...(description !== undefined && { description }) });
}

/** Narrows a Joi schema; it changes neither the type nor the presence. */
type Narrow<S extends Joi.Schema> = (schema: S) => Joi.Schema;

/** Keywords of JSON Schema for texts, of which the check knows `pattern`, `minLength` and `maxLength`. */
export interface TextKeywords {
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly description?: string;
}

/** A text; an empty one is allowed unless `minLength` says otherwise. */
export function text(
  keywords: TextKeywords = {},
  narrow: Narrow<Joi.StringSchema> = (s) => s,
): Required<string> {
  const { pattern, minLength = 0, maxLength } = keywords;
  let joi = Joi.string();
  joi = minLength === 0 ? joi.allow('') : joi.min(minLength);
  joi = maxLength === undefined ? joi : joi.max(maxLength);
  joi = pattern === undefined ? joi : joi.pattern(new RegExp(pattern, 'u'));
  return shape(narrow(joi), { type: 'string', ...keywords });
}

/** Keywords of JSON Schema for numbers. */
export interface NumberKeywords {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

/** A whole number. */
export function integer(keywords: NumberKeywords = {}): Required<number> {
  const { minimum, maximum } = keywords;
  let joi = Joi.number().integer();
  joi = minimum === undefined ? joi : joi.min(minimum);
  joi = maximum === undefined ? joi : joi.max(maximum);
  return shape(joi, { type: 'integer', ...keywords });
}

/** True or false. */
export function boolean(keywords: { readonly description?: string } = {}): Required<boolean> {
  return shape(Joi.boolean(), { type: 'boolean', ...keywords });
}

/** One of these texts or numbers. */
export function choice<const V extends string | number>(values: readonly V[]): Required<V> {
  const type = typeof values[0] === 'number' ? 'integer' : 'string';
  const joi = type === 'integer' ? Joi.number() : Joi.string();
  return shape(joi.valid(...values), { type, enum: values });
}

/** This value, and no other. */
export function literal<const V extends string | number | boolean>(value: V): Required<V> {
  return shape(Joi.valid(value), { type: typeof value, const: value });
}

/** Keywords of JSON Schema for lists. */
export interface ListKeywords {
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A list. */
export function list<S extends Any>(
  item: S,
  keywords: ListKeywords = {},
): Required<readonly Infer<S>[], readonly InferInput<S>[]> {
  const { minItems, maxItems } = keywords;
  let joi = Joi.array().items(item.joi.optional());
  joi = minItems === undefined ? joi : joi.min(minItems);
  joi = maxItems === undefined ? joi : joi.max(maxItems);
  return shape(joi, { type: 'array', ...keywords, items: item.json });
}

/** An object of these fields, and of no others. */
export function object<const F extends Fields>(
  fields: F,
  narrow: Narrow<Joi.ObjectSchema> = (s) => s,
): ObjectShape<F> {
  const entries = Object.entries(fields);
  return {
    ...shape<ObjectOut<F>, ObjectIn<F>>(
      narrow(Joi.object(Object.fromEntries(entries.map(([name, { joi }]) => [name, joi])))),
      {
        type: 'object',
        required: entries.filter(([, { presence }]) => presence === 'required').map(([name]) => name),
        properties: Object.fromEntries(entries.map(([name, { json }]) => [name, json])) as JsonSchema,
      },
    ),
    fields,
  };
}

/** An object whose keys are any texts. */
export function record<S extends Any>(
  value: S,
): Required<Readonly<Record<string, Infer<S>>>, Readonly<Record<string, InferInput<S>>>> {
  return shape(Joi.object().pattern(/^/, value.joi.optional()), {
    type: 'object',
    additionalProperties: value.json,
  });
}

/** An object that has some of these keys. */
export function partial<const K extends string, S extends Any>(
  keys: readonly K[],
  value: S,
  narrow: Narrow<Joi.ObjectSchema> = (s) => s,
): Required<Readonly<Partial<Record<K, Infer<S>>>>, Readonly<Partial<Record<K, InferInput<S>>>>> {
  const fields = Object.fromEntries(keys.map((key) => [key, optional(value)]));
  const { joi, json } = object(fields, narrow);
  return shape(joi, json);
}

/** One of several shapes. */
export function union<const S extends readonly Any[]>(
  ...shapes: S
): Required<Infer<S[number]>, InferInput<S[number]>> {
  return shape(Joi.alternatives(...shapes.map(({ joi }) => joi.optional())), {
    anyOf: shapes.map(({ json }) => json),
  });
}

/** Any JSON. */
export const anything: Required<unknown> = shape(Joi.any());

/** A field that may be absent. */
export function optional<S extends Any>({ joi, json }: S): Shape<Infer<S>, InferInput<S>, 'optional'> {
  return { joi: joi.optional(), json, presence: 'optional' };
}

/** A value, or null. */
export function nullable<S extends Any>({
  joi,
  json,
  presence,
}: S): Shape<Infer<S> | null, InferInput<S> | null, S['presence']> {
  return { joi: joi.allow(null), json: allowNull(json), presence };
}

/** A text that may be empty. */
export function orEmpty<S extends Shape<string, string, Presence>>(given: S): S {
  return { ...given, joi: given.joi.allow('') };
}

/** A field that a request may leave out; then it has this value. */
export function withDefault<S extends Any>(
  { joi, json }: S,
  value: Infer<S>,
): Shape<Infer<S>, InferInput<S>, 'default'> {
  return { joi: joi.optional().default(value as Joi.Reference), json, presence: 'default' };
}

/** Converts a value after its check; a value for which `convert` returns undefined is refused as `any.invalid`. */
export function convert<S extends Any, T>(
  { joi, json, presence }: S,
  convert: (value: Infer<S>) => T | undefined,
): Shape<T, InferInput<S>, S['presence']> {
  return {
    joi: joi.custom((value: Infer<S>, helpers) => convert(value) ?? helpers.error('any.invalid')),
    json,
    presence,
  };
}

/** Says what a field is, for the document and for readers of the code. */
export function describe<S extends Any>(shape: S, description: string): S {
  return { ...shape, json: { ...shape.json, description } };
}

/** Names the one message of every refusal of a field. */
export function withMessage<S extends Any>(shape: S, message: string): S {
  return { ...shape, joi: shape.joi.messages({ '*': message }) };
}

/** Schema that the document names; everywhere else it stands by its name. */
export interface NamedShape<Out, In = Out> extends Required<Out, In> {
  readonly name: string;
  /** Schema that stands under its name. */
  readonly definition: JsonSchema;
}

/** Gives a shape a name in the document. */
export function named<S extends Any>(
  name: string,
  { joi, json: definition }: S,
): NamedShape<Infer<S>, InferInput<S>> {
  return {
    ...shape<Infer<S>, InferInput<S>>(joi, { $ref: `#/components/schemas/${name}` }),
    name,
    definition,
  };
}

/** Returns a schema that also allows null. */
export function allowNull(schema: JsonSchema): JsonSchema {
  if (schema.type === undefined) {
    return { anyOf: [schema, { type: 'null' }] };
  }
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(schema.enum) && { enum: [...(schema.enum as unknown[]), null] }),
  };
}

/** Returns fields without some of them. */
export function omit<F extends Fields, const N extends keyof F>(
  fields: F,
  ...names: readonly N[]
): Omit<F, N> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !names.includes(name as N)),
  ) as unknown as Omit<F, N>;
}
