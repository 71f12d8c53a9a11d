import type { CatalogModel, Requirements } from '../catalog/document/index.js';
import { type CamelCase, TASK_TYPES, type TaskType, toCamelCase } from '../contract/index.js';
import {
  ALL_CAPABILITIES,
  type Capabilities,
  isCapable,
  OPTIONAL_FIELDS,
  type OptionalField,
} from '../upstreams/index.js';
import { REQUIREMENT_NAMES, type RequirementName } from './fields.js';

type Required = Pick<Requirements, CamelCase<RequirementName>>;

/** Names of a request and of the row of a task. Each submit reads them. */
const NAMES = REQUIREMENT_NAMES.map((name) => [name, toCamelCase(name)] as const);

/** Reads what a request, or the row of a task, requires of the route that draws it. */
export function readRequirements(given: object): Required {
  const values = given as Readonly<Record<string, unknown>>;
  const required: Record<string, unknown> = {};
  for (const [name, property] of NAMES) {
    required[property] = values[name] ?? values[property] ?? null;
  }
  return required;
}

/** Kinds of tasks, and values of optional fields, that the generation workers of a build draw. */
export interface Drawing {
  readonly types: readonly string[];
  readonly fields: Partial<Capabilities>;
}

/** Drawing of this build. Its workers report it, so that an API of the next build accepts nothing else beside them. */
export const DRAWING: Drawing = { types: TASK_TYPES, fields: ALL_CAPABILITIES };

/** Returns true where the workers of a build draw all of a request. */
export function isDrawn({ types, fields }: Drawing, type: TaskType, required: Required): boolean {
  return (
    types.includes(type) &&
    REQUIREMENT_NAMES.every((name) => {
      const { usual }: OptionalField = OPTIONAL_FIELDS[name];
      const value = required[toCamelCase(name)] ?? null;
      return value === null || value === usual || isCapable(fields, toCamelCase(name), value);
    })
  );
}

/** Returns a sentence about what no image can be at once; null for a request without such a conflict. */
export function findConflict(given: { background?: unknown; output_format?: unknown }): string | null {
  const isBoth = given.background === 'transparent' && given.output_format === 'jpeg';
  return isBoth ? 'background must not be "transparent" with output_format "jpeg".' : null;
}

/**
 * Finds the required fields that are to blame where no route meets a request; null where these are not. The function `can` judges the
 * request with other requirements.
 */
export function findUnmet(
  { id }: Pick<CatalogModel, 'id'>,
  required: Required,
  can: (other: Requirements) => boolean,
): { readonly field: RequirementName; readonly sentence: string } | null {
  // A quality is bought: another field is blamed first.
  const given = REQUIREMENT_NAMES.filter((name) => required[toCamelCase(name)] != null).sort(
    (a, b) => Number(a === 'quality') - Number(b === 'quality'),
  );
  const without = (names: readonly RequirementName[]): Requirements =>
    Object.fromEntries(names.map((name) => [toCamelCase(name), null]));
  const alone = given.find((name) => can(without([name])));
  const [field] = alone === undefined ? given : [alone];
  if (field === undefined || !can(without(given))) {
    return null;
  }
  const others = alone === undefined ? [] : given.filter((name) => name !== alone);
  const beside = [...others, 'the rest of the request'].join(', ').replace(/, (?=the rest)/, ' and ');
  const [fields, pronoun] =
    alone === undefined && given.length > 1 ? [given.join(', '), 'them'] : [field, 'it'];
  return {
    field,
    sentence: `${fields} must be absent: no single route of ${id} takes ${pronoun} with ${beside}.`,
  };
}
