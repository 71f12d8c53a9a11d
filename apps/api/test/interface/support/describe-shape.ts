/**
 * Returns the shape of a JSON value: names of fields in their order, and types in place of values. A list has the shape of its
 * first element.
 */
export function describeShape(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.slice(0, 1).map(describeShape);
  }
  if (value === null) {
    return 'null';
  }
  if (typeof value !== 'object') {
    return typeof value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, describeShape(field)]));
}
