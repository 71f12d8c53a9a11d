import type { ModelItem, ModelMargin } from '@image-gateway/shared/catalog/schema';
import { useGet } from '../../../api/use-get.js';
import { cx } from '../../../lib/cx.js';
import { dollars } from '../../../lib/dollars.js';
import { Badge } from '../../../ui/badge.js';
import { Card } from '../../../ui/card.js';
import { ErrorNotice } from '../../../ui/states/error-notice.js';
import { Table } from '../../../ui/table.js';

/** Table of the models: prices beside the cheapest cost, the list margin, and that of the last 30 days. */
export function ModelTable({ models }: { readonly models: readonly ModelItem[] }) {
  const margins = useGet({ path: '/operator/models/margins' }, { everyMs: 60_000 });
  const find = (id: string) => margins.data?.find(({ model }) => model === id);
  return (
    <Card
      title="Models"
      note="Price, cheapest upstream cost and margin per image. Totals cover the last 30 days, and are some seconds behind."
      flush
    >
      {margins.error && <ErrorNotice error={margins.error} onRetry={() => void margins.refetch()} />}
      <Table
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
          { title: 'Price', cell: ({ prices }) => <Prices prices={prices} field="price" /> },
          {
            title: 'Cheapest cost',
            from: 'sm',
            cell: ({ prices }) => <Prices prices={prices} field="cost" />,
          },
          { title: 'Margin', cell: ({ prices }) => <Prices prices={prices} field="margin" /> },
          {
            title: 'Charged, 30 days',
            align: 'right',
            from: 'md',
            cell: ({ id }) => <Total margin={find(id)} field="revenue" />,
          },
          {
            title: 'Upstream cost, 30 days',
            align: 'right',
            from: 'lg',
            cell: ({ id }) => <Total margin={find(id)} field="cost" />,
          },
          {
            title: 'Margin, 30 days',
            align: 'right',
            from: 'md',
            cell: ({ id }) => <Total margin={find(id)} field="margin" />,
          },
        ]}
      />
    </Card>
  );
}

/** Amount of all tasks, with one line for each quality below where there are some. */
function Total({
  margin,
  field,
}: {
  readonly margin: ModelMargin | undefined;
  readonly field: 'revenue' | 'cost' | 'margin';
}) {
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
}

function Prices({
  prices,
  field,
}: {
  readonly prices: ModelItem['prices'];
  readonly field: 'price' | 'cost' | 'margin';
}) {
  return (
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
  );
}

function Money({ amount }: { readonly amount: string | null }) {
  const isLoss = amount !== null && dollars(amount) < 0;
  return <span className={cx('figures', isLoss && 'font-medium text-bad')}>{amount ?? '–'}</span>;
}
