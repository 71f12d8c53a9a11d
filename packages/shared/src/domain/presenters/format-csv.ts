/** Matches a value that a spreadsheet would take for a formula; negative dollars are none. */
const FORMULA = /^(?=[=+\-@\t\r])(?!-\$\d+\.\d+$)/;

/** Writes a line of a CSV file. A value that a spreadsheet would take for a formula begins with an apostrophe. */
export function formatCsv(values: readonly string[]): string {
  const cells = values.map((value) => `"${value.replace(FORMULA, "'").replaceAll('"', '""')}"`);
  return `${cells.join(',')}\r\n`;
}
