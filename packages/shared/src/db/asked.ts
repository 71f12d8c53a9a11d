/**
 * Writes the CTE `asked` that unfolds the callers of a ManyStatement into rows; `columns` are names with their types, such as
 * `id text, attempt int`. PostgreSQL takes it for a hundred rows, for which it would read a table of some thousands whole: what is
 * looked up by it must be narrowed by `= ANY (ARRAY(SELECT … FROM asked))`, which it takes for a few.
 */
export function askedAs(columns: string): string {
  const names = columns.split(',').map((column) => column.trim().split(' ')[0]);
  return `asked AS (
  SELECT * FROM ROWS FROM (json_to_recordset($1::json) AS (${columns})) WITH ORDINALITY AS r(${names.join(', ')}, place))`;
}
