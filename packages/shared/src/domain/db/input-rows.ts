/**
 * Writes the CTE `input` that unfolds the value of a shared statement into rows. The `columns` are the fields of an
 * input row with their types, such as `id text, attempt int`. A field that is absent is NULL.
 */
export function inputRows(columns: string): string {
  const names = columns.split(',').map((column) => column.trim().split(' ')[0]);
  return `input AS (
  SELECT * FROM ROWS FROM (json_to_recordset($1::json) AS (${columns})) WITH ORDINALITY AS r(${names.join(', ')}, place))`;
}

/**
 * Writes the condition that a column has the value of a field of the input row `i`. PostgreSQL estimates a JSON list at
 * a hundred rows, for which it would scan a table of some thousands. It estimates the array at a few rows and uses the
 * index.
 */
export function isInput(column: string, field: string): string {
  return `${column} = i.${field} AND ${column} = ANY (ARRAY(SELECT ${field} FROM input))`;
}
