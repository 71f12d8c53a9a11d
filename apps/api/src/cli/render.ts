/** Value of a table; an absent one is shown as a dash. */
export type Cell = string | number | bigint | boolean | Date | null | undefined;

/** Renders rows as a table with aligned columns under the field names of the first row; numbers are right-aligned. */
export function renderTable(rows: readonly Readonly<Record<string, Cell>>[], none = 'none'): string {
  const [first] = rows;
  if (!first) {
    return none;
  }
  const names = Object.keys(first);
  const cells = rows.map((row) => names.map((name) => cellText(row[name])));
  const isNumeric = names.map(
    (_, i) =>
      cells.every((row) => /^(-?\$?[\d.]+|-)$/.test(row[i] ?? '')) && cells.some((row) => row[i] !== '-'),
  );
  const head = names.map((name) => name.replaceAll('_', ' ').toUpperCase());
  const widths = names.map((_, i) => Math.max(...[head, ...cells].map((row) => (row[i] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (isNumeric[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return [head, ...cells].map(line).join('\n');
}

/** Renders one thing as a list of `name  value` lines with aligned values. */
export function renderFields(fields: Readonly<Record<string, Cell>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.replaceAll('_', ' ').padEnd(width)}  ${cellText(value)}`)
    .join('\n');
}

/** Formats a value for a terminal: times as ISO 8601, an absent value as a dash, control characters as a space. */
export function cellText(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') {
    return '-';
  }
  if (cell instanceof Date) {
    return cell.toISOString();
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed.
  return String(cell).replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}
