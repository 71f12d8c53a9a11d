import { type Cell, cellText } from './render-table.js';

/** Renders one thing as a list of `name  value` lines with aligned values. */
export function renderFields(fields: Readonly<Record<string, Cell>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.replaceAll('_', ' ').padEnd(width)}  ${cellText(value)}`)
    .join('\n');
}
