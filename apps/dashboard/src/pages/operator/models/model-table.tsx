import type { ModelItem } from '@image-gateway/shared/catalog/schema';
import { useGet } from '../../../api/use-api.js';
import { cx } from '../../../lib/cx.js';
import { dollars } from '../../../lib/figures.js';
import { Badge } from '../../../ui/badge.js';
import { ErrorNotice } from '../../../ui/states.js';
import { type Column, TableCard } from '../../../ui/table.js';

/** Column of the amounts of an image at each resolution and quality. */
const list = (title: string, field: 'price' | 'cost' | 'margin', from?: 'sm'): Column<ModelItem> => ({
  title,
  ...(from && { from }),
  cell: ({ prices }) => (
    <span className="grid gap-0.5">
      {prices.map((price) => (
        <span key={`${price.resolution} ${price.quality}`} className="whitespace-nowrap">
          <span className="text-muted text-xs">
            {price.resolution} {price.quality}{' '}
          </span>
          <Money amount={price[field]} />
        </span>
      ))}
    </span>
  ),
});

/** Table of the models: prices beside the cheapest cost, the list margin, and that of the last 30 days. */
export function ModelTable({ models }: { readonly models: readonly ModelItem[] }) {
  const margins = useGet({ path: '/operator/models/margins' }, { everyMs: 60_000 });
  /** Column of the amounts of all tasks, with one line for each quality below where there are some. */
  const total = (
    title: string,
    field: 'revenue' | 'cost' | 'margin',
    from: 'md' | 'lg',
  ): Column<ModelItem> => ({
    title,
    align: 'right',
    from,
    cell: ({ id }) => {
      const margin = margins.data?.find(({ model }) => model === id);
      return (
        <span className="grid gap-0.5">
          <Money amount={margin?.[field] ?? '$0.00'} />
          {margin?.qualities?.map((one) => (
            <span key={one.quality} className="whitespace-nowrap text-xs">
              <span className="text-muted">{one.quality} </span>
              <Money amount={one[field]} />
            </span>
          ))}
        </span>
      );
    },
  });
  return (
    <>
      {margins.error && <ErrorNotice error={margins.error} onRetry={() => void margins.refetch()} />}
      <TableCard
        title="Models"
        note="Price, cheapest upstream cost and margin per image. Totals cover the last 30 days, and are some seconds behind."
        caption="Models with prices and margins"
        rows={models}
        getKey={({ id }) => id}
        columns={[
          {
            title: 'Model',
            cell: ({ id, family, is_offered, waits_for_key, is_sandbox }) => (
              <span className="grid justify-items-start gap-1">
                <span className="break-all font-medium">{id}</span>
                {family !== null && <span className="text-muted text-xs">{family}</span>}
                {waits_for_key ? (
                  <Badge tone="wait">waits for a key</Badge>
                ) : (
                  <Badge tone={is_offered ? 'good' : 'none'}>{is_offered ? 'on offer' : 'off'}</Badge>
                )}
                {is_sandbox && <Badge tone="wait">sandbox only</Badge>}
              </span>
            ),
          },
          list('Price', 'price'),
          list('Cheapest cost', 'cost', 'sm'),
          list('Margin', 'margin'),
          total('Charged, 30 days', 'revenue', 'md'),
          total('Upstream cost, 30 days', 'cost', 'lg'),
          total('Margin, 30 days', 'margin', 'md'),
        ]}
      />
    </>
  );
}

function Money({ amount }: { readonly amount: string | null }) {
  const isLoss = amount !== null && dollars(amount) < 0;
  return <span className={cx('figures', isLoss && 'font-medium text-bad')}>{amount ?? '–'}</span>;
}
