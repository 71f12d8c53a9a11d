/** Rule for a field of a documented request. */
export interface FieldRule {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly required?: boolean;
  readonly allowed?: readonly (string | number)[];
  readonly min?: number;
  readonly max?: number;
  readonly maxLength?: number;
  readonly items?: FieldRule;
  /** The whole object; without it anything may stand in it. */
  readonly fields?: Readonly<Record<string, FieldRule>>;
}

/** A fault of a request, where it stands and why. */
export interface Violation {
  readonly path: readonly (string | number)[];
  readonly fault: 'unknown' | 'missing' | 'type' | 'enum' | 'range' | 'length';
  readonly rule: FieldRule | null;
  readonly value: unknown;
}

/** Every fault of an object by its documentation; fields that are not documented are faults. */
export function checkFields(
  value: unknown,
  fields: Readonly<Record<string, FieldRule>>,
  path: readonly (string | number)[] = [],
): Violation[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ path, fault: 'type', rule: { type: 'object' }, value }];
  }
  const given = new Map(Object.entries(value).filter(([, of]) => of !== null));
  const unknown = [...given].filter(([name]) => !Object.hasOwn(fields, name));
  return [
    ...unknown.map(
      ([name, of]): Violation => ({ path: [...path, name], fault: 'unknown', rule: null, value: of }),
    ),
    ...Object.entries(fields).flatMap(([name, rule]): Violation[] => {
      const at = [...path, name];
      if (given.has(name)) {
        return checkValue(given.get(name), rule, at);
      }
      return rule.required === true ? [{ path: at, fault: 'missing', rule, value }] : [];
    }),
  ];
}

function checkValue(value: unknown, rule: FieldRule, path: readonly (string | number)[]): Violation[] {
  const fault = (of: Violation['fault']): Violation[] => [{ path, fault: of, rule, value }];
  if (!hasType(value, rule.type)) {
    return fault('type');
  }
  if (rule.allowed !== undefined && !rule.allowed.includes(value as string | number)) {
    return fault('enum');
  }
  if (typeof value === 'number' && (value < (rule.min ?? value) || value > (rule.max ?? value))) {
    return fault('range');
  }
  if (typeof value === 'string' && value.length > (rule.maxLength ?? value.length)) {
    return fault('length');
  }
  if (Array.isArray(value)) {
    if (value.length < (rule.min ?? 0) || value.length > (rule.max ?? value.length)) {
      return fault('range');
    }
    const { items } = rule;
    return items === undefined
      ? []
      : value.flatMap((item, index) => checkValue(item, items, [...path, index]));
  }
  return rule.type === 'object' && rule.fields !== undefined ? checkFields(value, rule.fields, path) : [];
}

function hasType(value: unknown, type: FieldRule['type']): boolean {
  if (type === 'array') {
    return Array.isArray(value);
  }
  if (type === 'integer') {
    return Number.isInteger(value);
  }
  if (type === 'object') {
    return typeof value === 'object' && !Array.isArray(value);
  }
  return typeof value === type;
}
