import type { ModelItem, ModelRoute } from '@image-gateway/shared/catalog/schema';
import type { DollarsByQuality } from '@image-gateway/shared/contract';
import { Badge } from '../../../ui/badge.js';
import { Card } from '../../../ui/card.js';
import { Table } from '../../../ui/table.js';

/** Table of the routes of all models, and how the generation workers see each. */
export function RouteTable({ models }: { readonly models: readonly ModelItem[] }) {
  const rows = models.flatMap((model) =>
    model.routes.map((route, index) => ({ ...route, of: model.id, key: `${model.id} ${index}` })),
  );
  return (
    <Card
      title="Routes"
      note="In order of preference, with their health as the generation workers report it."
      flush
    >
      <Table
        caption="Routes and their health"
        rows={rows}
        getKey={({ key }) => key}
        columns={[
          {
            title: 'Model',
            from: 'sm',
            cell: ({ of }) => (
              <span className="block min-w-20 font-medium [overflow-wrap:anywhere] lg:min-w-32">{of}</span>
            ),
          },
          {
            title: 'Route',
            cell: ({ of, provider, model }) => (
              <>
                <span className="block break-words font-medium sm:hidden">{of}</span>
                {provider}
                <span className="block text-muted text-xs [overflow-wrap:anywhere] sm:min-w-36">{model}</span>
              </>
            ),
          },
          {
            title: 'Cost',
            from: 'md',
            cell: ({ cost }) => (
              <span className="figures">{Object.entries(cost).map(describeCost).join(', ')}</span>
            ),
          },
          {
            title: 'Calls now',
            align: 'right',
            from: 'lg',
            cell: ({ running }) => <span className="figures">{running}</span>,
          },
          { title: 'Health', align: 'right', cell: (route) => <Health route={route} /> },
        ]}
      />
    </Card>
  );
}

function describeCost([resolution, cost]: readonly [string, DollarsByQuality]): string {
  return typeof cost === 'string'
    ? `${resolution} ${cost}`
    : Object.entries(cost)
        .map(([quality, amount]) => `${resolution} ${quality} ${amount}`)
        .join(', ');
}

function Health({ route }: { readonly route: ModelRoute }) {
  if (!route.in_use) {
    return <Badge tone="none">not in use</Badge>;
  }
  if (route.circuit === null) {
    return <Badge tone="none">not called yet</Badge>;
  }
  if (route.circuit !== 'closed') {
    return <Badge tone="bad">circuit {route.circuit}</Badge>;
  }
  if (route.set_aside) {
    return <Badge tone="bad">set aside</Badge>;
  }
  if (route.accounts_paused > 0) {
    return <Badge tone="wait">accounts paused: {route.accounts_paused}</Badge>;
  }
  return route.paused_seconds > 0 ? (
    <Badge tone="wait">pauses {route.paused_seconds} s</Badge>
  ) : (
    <Badge tone="good">healthy</Badge>
  );
}
