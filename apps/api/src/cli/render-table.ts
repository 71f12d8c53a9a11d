/** A value of a table; absent ones are shown as a dash. */
export type Cell = string | number | bigint | boolean | Date | null | undefined;

/** Renders rows as a table with aligned columns, headed by the names of the first row's fields; numbers stand to the right. */
export function renderTable(rows: readonly Readonly<Record<string, Cell>>[], none = 'none'): string {
  const [first] = rows;
  if (!first) return none;
  const names = Object.keys(first);
  const cells = rows.map((row) => names.map((name) => cellText(row[name])));
  const toTheRight = names.map(
    (_, i) =>
      cells.every((row) => /^(-?\$?[\d.]+|-)$/.test(row[i] ?? '')) && cells.some((row) => row[i] !== '-'),
  );
  const head = names.map((name) => name.replaceAll('_', ' ').toUpperCase());
  const widths = names.map((_, i) => Math.max(...[head, ...cells].map((row) => (row[i] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (toTheRight[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return [head, ...cells].map(line).join('\n');
}

/** Writes a value the way people see it: times as ISO 8601, nothing as a dash, and no control character that could move a terminal's cursor. */
export function cellText(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-';
  if (cell instanceof Date) return cell.toISOString();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these very characters are taken out.
  return String(cell).replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}
