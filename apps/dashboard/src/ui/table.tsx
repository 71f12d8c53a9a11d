import type { ReactNode } from 'react';
import { cx } from '../lib/cx.js';

/** A column of a table. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  readonly align?: 'right';
  /** Only where there is room: from which width on. */
  readonly from?: 'sm' | 'md' | 'lg' | 'xl';
  /** The title is for screen readers only. */
  readonly silent?: boolean;
}

const FROM = {
  sm: 'hidden sm:table-cell',
  md: 'hidden md:table-cell',
  lg: 'hidden lg:table-cell',
  xl: 'hidden xl:table-cell',
} as const;

/** A table that fits a phone: columns that matter less come with the room for them, nothing scrolls sideways. */
export function Table<T>({
  caption,
  columns,
  rows,
  getKey,
}: {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly getKey: (row: T) => string;
}) {
  const looks = ({ align, from }: Column<T>): string =>
    cx(
      'px-3 first:pl-5 last:pr-5 sm:first:pl-6 sm:last:pr-6',
      align === 'right' && 'text-right',
      from && FROM[from],
    );
  return (
    <table className="w-full border-collapse text-sm">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr className="border-line border-b text-left text-muted text-xs">
          {columns.map((column) => (
            <th key={column.title} scope="col" className={cx(looks(column), 'pt-1 pb-2.5 font-medium')}>
              <span className={column.silent ? 'sr-only' : ''}>{column.title}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={getKey(row)} className="border-line border-b last:border-0">
            {columns.map((column) => (
              <td key={column.title} className={cx(looks(column), 'py-3 align-middle')}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
