import type { ComponentProps, ReactNode } from 'react';
import { cx } from '../lib/cx.js';
import { countDecimals, formatMoney } from '../lib/figures.js';
import { Card } from './card.js';
import { Time } from './time.js';

/** A column of a table. */
export interface Column<T> {
  readonly title: string;
  readonly cell?: (row: T) => ReactNode;
  /** Makes it a column of figures, with a dash where there is none. */
  readonly figure?: (row: T) => string | number | null;
  /** Makes it a column of the figures that the table is about. */
  readonly amount?: (row: T) => string;
  /** Makes it a column of times. */
  readonly when?: (row: T) => string;
  readonly align?: 'right';
  /** Only where there is room: from which width on. */
  readonly from?: keyof typeof FROM;
  /** The title is for screen readers only. */
  readonly silent?: boolean;
}

const FROM = {
  sm: 'hidden sm:table-cell',
  md: 'hidden md:table-cell',
  lg: 'hidden lg:table-cell',
  xl: 'hidden xl:table-cell',
} as const;

/** Cell with a name and, below, what is said about it and its id, in small. */
export function Named({ name, note, id }: Readonly<{ name: ReactNode; note?: ReactNode; id?: ReactNode }>) {
  return (
    <>
      <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
      {note !== undefined && <span className="block break-all text-muted text-xs">{note}</span>}
      {id !== undefined && <span className="block break-all font-mono text-muted text-xs">{id}</span>}
    </>
  );
}

interface TableProps<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly getKey: (row: T) => string;
  /** Shown in place of a table without rows. */
  readonly empty?: ReactNode;
}

/** A table that fits a phone: columns that matter less come with the room for them, nothing scrolls sideways. */
export function Table<T>({ caption, columns, rows, getKey, empty }: TableProps<T>) {
  if (rows.length === 0 && empty !== undefined) {
    return empty;
  }
  const decimals = new Map(columns.map((column) => [column, countColumnDecimals(column, rows)]));
  const looks = ({ align, from, figure, amount }: Column<T>): string =>
    cx(
      'px-3 first:pl-5 last:pr-5 sm:first:pl-6 sm:last:pr-6',
      (align ?? figure ?? amount) && 'text-right',
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
                {showCell(column, row, decimals.get(column))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Amounts of money in one column have one number of decimals. */
function countColumnDecimals<T>({ figure, amount }: Column<T>, rows: readonly T[]): number {
  const read = figure ?? amount;
  return read ? Math.max(0, ...rows.map((row) => countDecimals(read(row)))) : 0;
}

function showCell<T>({ cell, figure, amount, when }: Column<T>, row: T, decimals?: number): ReactNode {
  if (when) {
    return <Time iso={when(row)} />;
  }
  if (cell) {
    return cell(row);
  }
  const value = (figure ?? amount)?.(row) ?? '–';
  const text = countDecimals(value) > 0 ? formatMoney(String(value), decimals) : value.toLocaleString('en');
  return <span className={cx('figures', amount && 'font-medium')}>{text}</span>;
}

/** Table on a sheet of its own; its title is the caption too, unless that is given. */
export function TableCard<T>({
  title,
  note,
  action,
  ...table
}: Omit<TableProps<T>, 'caption'> &
  Partial<Pick<TableProps<T>, 'caption'>> & { readonly title: string } & Pick<
    ComponentProps<typeof Card>,
    'note' | 'action'
  >) {
  return (
    <Card title={title} note={note} action={action} flush>
      <Table caption={title} {...table} />
    </Card>
  );
}
