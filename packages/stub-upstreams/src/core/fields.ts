/** Rule for a field of a documented request. */
export interface FieldRule {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly required?: boolean;
  readonly allowed?: readonly (string | number)[];
  readonly min?: number;
  readonly max?: number;
  readonly items?: FieldRule;
  /** The whole object; without it anything may stand in it. */
  readonly fields?: Fields;
}

/** Rules of an object by the names of its fields. */
export type Fields = Readonly<Record<string, FieldRule>>;

/** A fault of a request, where it stands and why. */
export interface Violation {
  readonly path: readonly (string | number)[];
  readonly fault: 'unknown' | 'missing' | 'type' | 'enum' | 'range' | 'length';
  readonly rule: FieldRule | null;
  readonly value: unknown;
}

/** Rule of any text. */
export const text: FieldRule = { type: 'string' };
/** Rule of any whole number. */
export const whole: FieldRule = { type: 'integer' };
/** Rule of any number. */
export const decimal: FieldRule = { type: 'number' };
/** Rule of a switch. */
export const flag: FieldRule = { type: 'boolean' };
/** Rule of an object in which anything may stand. */
export const anything: FieldRule = { type: 'object' };
/** Makes the rule of a whole number, or of another type, between two bounds. */
export const between = (min: number, max: number, type: FieldRule['type'] = 'integer'): FieldRule => ({
  type,
  min,
  max,
});
/** Makes the rule of one text of some, which one string lists with blanks. */
export const one = (allowed: string): FieldRule => ({ type: 'string', allowed: allowed.split(' ') });
/** Makes the rule of a list of `min` to `max` items. */
export const list = (items: FieldRule, min = 0, max = Number.POSITIVE_INFINITY): FieldRule => ({
  ...between(min, max, 'array'),
  items,
});
/** Makes the rule of an object of these fields. */
export const record = (of: Fields): FieldRule => ({ type: 'object', fields: of });
/** Makes a rule that the field must be there. */
export const must = (rule: FieldRule): FieldRule => ({ ...rule, required: true });

/** Makes the rules of an object: each with the names of its fields, which blanks separate. */
export function fields(...rules: readonly (readonly [FieldRule, string])[]): Fields {
  return Object.fromEntries(rules.flatMap(([rule, names]) => names.split(' ').map((name) => [name, rule])));
}

/** Every fault of an object by its documentation; fields that are not documented are faults. */
export function checkFields(value: unknown, rules: Fields, path: Violation['path'] = []): Violation[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ path, fault: 'type', rule: anything, value }];
  }
  const given = new Map(Object.entries(value).filter(([, entry]) => entry !== null));
  const unknown = [...given].filter(([name]) => !Object.hasOwn(rules, name));
  return [
    ...unknown.map(
      ([name, entry]): Violation => ({ path: [...path, name], fault: 'unknown', rule: null, value: entry }),
    ),
    ...Object.entries(rules).flatMap(([name, rule]): Violation[] => {
      const at = [...path, name];
      if (given.has(name)) {
        return checkValue(given.get(name), rule, at);
      }
      return rule.required === true ? [{ path: at, fault: 'missing', rule, value }] : [];
    }),
  ];
}

function checkValue(value: unknown, rule: FieldRule, path: Violation['path']): Violation[] {
  const { type, allowed, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, items } = rule;
  const refuse = (fault: Violation['fault']): Violation[] => [{ path, fault, rule, value }];
  if (!hasType(value, type)) {
    return refuse('type');
  }
  if (allowed !== undefined && !allowed.includes(value as string | number)) {
    return refuse('enum');
  }
  if (typeof value === 'string') {
    return value.length > max ? refuse('length') : [];
  }
  const size = Array.isArray(value) ? value.length : value;
  if (typeof size === 'number' && (size < min || size > max)) {
    return refuse('range');
  }
  if (Array.isArray(value) && items !== undefined) {
    return value.flatMap((item, index) => checkValue(item, items, [...path, index]));
  }
  return type === 'object' && rule.fields !== undefined ? checkFields(value, rule.fields, path) : [];
}

function hasType(value: unknown, type: FieldRule['type']): boolean {
  if (type === 'integer') {
    return Number.isInteger(value);
  }
  if (type === 'array' || type === 'object') {
    return typeof value === 'object' && Array.isArray(value) === (type === 'array');
  }
  return typeof value === type;
}
