const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Returns a table in Markdown. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  return [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((one) => cell(String(one))).join(' | ')} |`)
    .join('\n');
}
