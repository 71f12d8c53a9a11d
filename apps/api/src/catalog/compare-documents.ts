import type { DocumentNote } from '@image-gateway/shared/catalog/schema';
import { formatDollars, parseDollars } from '@image-gateway/shared/money';

/** Difference between two merged documents: a value that is new, gone or another. */
export interface DocumentChange {
  readonly path: string;
  /** Absent for what is new. */
  readonly from?: unknown;
  /** Absent for what is gone. */
  readonly to?: unknown;
}

type Tree = Readonly<Record<string, unknown>>;
type Path = readonly string[];

const NO_CONTENT = ['$schema', 'built_in_routes'];
const MAX_SHOWN = 200;

/** Lists what differs between two merged documents. A model, a route or an instance that is new or gone is one change. */
export function compareDocuments(before: unknown, after: unknown): DocumentChange[] {
  return compare(toTree(before, []), toTree(after, []), []);
}

/** Returns every single value of a merged document by its path. */
export function listValues(document: unknown): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const walk = (value: unknown, path: Path): void => {
    if (!isTree(value)) {
      values.set(path.join('.'), value);
      return;
    }
    for (const [name, child] of Object.entries(value)) {
      walk(child, [...path, name]);
    }
  };
  walk(toTree(document, []), []);
  return values;
}

/** Describes what differs between two merged documents but for providers, whose addresses only the command line shows. */
export function noteChanges(before: unknown, after: unknown): DocumentNote[] {
  return compareDocuments(before, after)
    .filter((change) => !isOfProviders(change))
    .map((change) => ({ path: change.path, message: describeChange(change) }));
}

/** Returns true for equal values; a list is one value. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Returns true for a change of the providers. */
export function isOfProviders({ path }: Pick<DocumentChange, 'path'>): boolean {
  return path === 'providers' || path.startsWith('providers.');
}

/** Describes what a change does, such as `$0.0500 → $0.0700`. */
export function describeChange({ from, to }: DocumentChange): string {
  if (from === undefined) {
    return `new: ${show(to)}`;
  }
  return to === undefined ? `gone: ${show(from)}` : `${show(from)} → ${show(to)}`;
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function compare(before: unknown, after: unknown, path: Path): DocumentChange[] {
  if (isTree(before) && isTree(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => compare(before[name], after[name], [...path, name]));
  }
  if (isSame(before, after)) {
    return [];
  }
  return [
    {
      path: path.join('.'),
      ...(before !== undefined && { from: before }),
      ...(after !== undefined && { to: after }),
    },
  ];
}

/** Returns a value in the form that is compared: routes by their names, money as dollars, and the switch of a model written out. */
function toTree(value: unknown, path: Path): unknown {
  if (Array.isArray(value)) {
    return path.at(-1) === 'routes' && path.length === 3 ? routesToTree(value, path) : value;
  }
  if (!isTree(value)) {
    return isAmount(path) ? toDollars(value) : value;
  }
  const isModel = path[0] === 'models' && path.length === 2;
  return Object.fromEntries(
    Object.entries(isModel ? { enabled: true, ...value } : value)
      .filter(([name, child]) => child !== undefined && (path.length > 0 || !NO_CONTENT.includes(name)))
      .map(([name, child]) => [name, toTree(child, [...path, name])]),
  );
}

/** A route has no name of its own: its provider and model are one, with a number where they occur twice. */
function routesToTree(routes: readonly unknown[], path: Path): Tree {
  const named = new Map<string, unknown>();
  for (const route of routes) {
    const { provider = '', model = '' } = (route ?? {}) as { provider?: unknown; model?: unknown };
    const name = `${provider} ${model}`;
    const copies = [...named.keys()].filter((one) => one === name || one.startsWith(`${name} #`)).length;
    const own = copies === 0 ? name : `${name} #${copies + 1}`;
    named.set(own, toTree(route, [...path, own]));
  }
  return { ...Object.fromEntries(named), order: [...named.keys()] };
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isAmount(path: Path): boolean {
  return (
    path[0] === 'models' && path.some((name, index) => index > 1 && (name === 'price' || name === 'cost'))
  );
}

function toDollars(value: unknown): unknown {
  if (typeof value !== 'string') {
    return value;
  }
  try {
    return Number(value) === 0 ? formatDollars(0n) : formatDollars(parseDollars(value));
  } catch {
    // Content of another release; it is compared as it stands.
    return value;
  }
}
