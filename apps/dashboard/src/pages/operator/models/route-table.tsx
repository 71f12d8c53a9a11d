import type { ModelRoute } from '@image-gateway/shared/catalog/schema';
import { type DollarsByQuality, QUALITIES } from '@image-gateway/shared/contract';
import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../../ui/badge.js';
import { Named, TableCard } from '../../../ui/table.js';

/** Table of the routes of a model in their order, and how the generation workers see each. */
export function RouteTable({
  routes,
  action,
}: Readonly<{ routes: readonly ModelRoute[]; action: ReactNode }>) {
  const rows = routes.map((route, index) => ({ ...route, place: index + 1 }));
  return (
    <TableCard
      title="Routes"
      note="In order of preference, with their health as the generation workers report it."
      action={action}
      caption="Routes and their health"
      rows={rows}
      getKey={({ place }) => String(place)}
      columns={[
        {
          title: 'Route',
          cell: ({ place, provider, model }) => <Named name={`${place}. ${provider}`} note={model} />,
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
            return (
              <>
                <Badge tone={tone}>{words}</Badge>
                {route.blocked_because !== null && (
                  <span className="block text-muted text-xs [overflow-wrap:anywhere]">
                    {route.blocked_because}
                  </span>
                )}
              </>
            );
          },
        },
      ]}
    />
  );
}

/** Describes the cost of an image at a resolution, by quality where it differs. */
export function describeCost([resolution, cost]: readonly [string, DollarsByQuality]): string {
  return typeof cost === 'string'
    ? `${resolution} ${cost}`
    : QUALITIES.filter((quality) => cost[quality] !== undefined)
        .map((quality) => `${resolution} ${quality} ${cost[quality]}`)
        .join(', ');
}

/** Says how the generation workers see a route. */
function judge(route: ModelRoute): readonly [tone: Tone, words: string] {
  if (!route.in_use) {
    return ['none', 'not called'];
  }
  if (route.blocked_because !== null) {
    return ['bad', 'refused'];
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
