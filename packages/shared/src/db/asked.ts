/** Writes the CTE `asked` that unfolds the callers of a ManyStatement into rows; `columns` are names with their types, such as `id text, attempt int`. */
export function askedAs(columns: string): string {
  const names = columns.split(',').map((column) => column.trim().split(' ')[0]);
  return `asked AS (
  SELECT * FROM ROWS FROM (json_to_recordset($1::json) AS (${columns})) WITH ORDINALITY AS r(${names.join(', ')}, place))`;
}
