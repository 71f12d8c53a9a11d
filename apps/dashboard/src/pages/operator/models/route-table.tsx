import type { ModelItem, ModelRoute } from '@image-gateway/shared/catalog/schema';
import type { DollarsByQuality } from '@image-gateway/shared/contract';
import { Badge, type Tone } from '../../../ui/badge.js';
import { TableCard } from '../../../ui/table.js';

/** Table of the routes of all models, and how the generation workers see each. */
export function RouteTable({ models }: { readonly models: readonly ModelItem[] }) {
  const rows = models.flatMap((model) =>
    model.routes.map((route, index) => ({ ...route, of: model.id, key: `${model.id} ${index}` })),
  );
  return (
    <TableCard
      title="Routes"
      note="In order of preference, with their health as the generation workers report it."
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
        { title: 'Calls now', from: 'lg', figure: ({ running }) => running },
        {
          title: 'Health',
          align: 'right',
          cell: (route) => {
            const [tone, words] = judge(route);
            return <Badge tone={tone}>{words}</Badge>;
          },
        },
      ]}
    />
  );
}

function describeCost([resolution, cost]: readonly [string, DollarsByQuality]): string {
  return typeof cost === 'string'
    ? `${resolution} ${cost}`
    : Object.entries(cost)
        .map(([quality, amount]) => `${resolution} ${quality} ${amount}`)
        .join(', ');
}

/** Says how the generation workers see a route. */
function judge(route: ModelRoute): readonly [tone: Tone, words: string] {
  if (!route.in_use) {
    return ['none', 'not in use'];
  }
  if (route.circuit === null) {
    return ['none', 'not called yet'];
  }
  if (route.circuit !== 'closed') {
    return ['bad', `circuit ${route.circuit}`];
  }
  if (route.set_aside) {
    return ['bad', 'set aside'];
  }
  if (route.accounts_paused > 0) {
    return ['wait', `accounts paused: ${route.accounts_paused}`];
  }
  return route.paused_seconds > 0 ? ['wait', `pauses ${route.paused_seconds} s`] : ['good', 'healthy'];
}
