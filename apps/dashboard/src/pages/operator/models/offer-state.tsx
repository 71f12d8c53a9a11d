import type { ModelItem } from '@image-gateway/shared/catalog/schema';
import { Badge } from '../../../ui/badge.js';

/** Says whether customers can use a model, and why not. */
export function OfferState({ model }: { readonly model: ModelItem }) {
  const { is_offered, waits_for_key, is_sandbox, routes } = model;
  const why = [...new Set(routes.flatMap(({ blocked_because }) => blocked_because ?? []))];
  const isBlocked =
    is_offered && !is_sandbox && routes.every(({ blocked_because }) => blocked_because !== null);
  return (
    <span className="grid justify-items-start gap-1">
      {waits_for_key ? (
        <Badge tone="wait">waits for a key</Badge>
      ) : (
        <Badge tone={is_offered ? (isBlocked ? 'bad' : 'good') : 'none'}>
          {is_offered ? 'on offer' : 'off'}
        </Badge>
      )}
      {is_sandbox && <Badge tone="wait">sandbox only</Badge>}
      {isBlocked && (
        <span className="text-bad text-xs [overflow-wrap:anywhere]">Its tasks fail: {why.join('; ')}.</span>
      )}
    </span>
  );
}
