import type { WebhookTestView } from '@image-gateway/shared/webhook/schema';
import { useState } from 'react';
import { useGet, useSend } from '../../api/use-api.js';
import { Card } from '../../ui/card.js';
import { ActionForm } from '../../ui/forms/action-form.js';
import { ErrorNotice, Notice } from '../../ui/states.js';

/** Form that sends a signed event about a made-up task and shows its outcome. */
export function TestWebhook() {
  const [sentId, setSentId] = useState<string | null>(null);
  const send = useSend('/webhooks/test', ['webhooks']);
  return (
    <Card title="Test event" note="Sent once, now, and signed like a real event.">
      <ActionForm
        fields={[
          {
            name: 'url',
            label: 'URL of your receiver',
            type: 'url',
            required: true,
            placeholder: 'https://example.com/hooks',
          },
        ]}
        action={async (body) => {
          setSentId(null);
          setSentId((await send.mutateAsync({ body })).id);
        }}
        keeps
        small
        verb="Send test event"
        busyVerb="Sending…"
      >
        {sentId !== null && <Outcome key={sentId} id={sentId} />}
      </ActionForm>
    </Card>
  );
}

const POLL_MS = 500;

const hasEnded = (test: WebhookTestView | undefined): boolean =>
  test?.state === 'delivered' || test?.state === 'failed';

/** Polls a test event until it has ended. */
function Outcome({ id }: { readonly id: string }) {
  const { data, error } = useGet(
    { path: '/webhooks/tests/:id', params: { id } },
    { everyMs: (test) => (hasEnded(test) ? false : POLL_MS) },
  );
  if (error && !hasEnded(data)) {
    return <ErrorNotice error={error} />;
  }
  if (!data || !hasEnded(data)) {
    return <Notice kind="info">The test event is being sent.</Notice>;
  }
  if (data.status === null) {
    return (
      <Notice kind="bad">
        No response: {data.error}.{' '}
        {isLocal(data.url) &&
          'This address is one of the gateway’s own network: localhost is its machine, not yours.'}
      </Notice>
    );
  }
  const isGood = data.state === 'delivered';
  return (
    <Notice kind={isGood ? 'good' : 'bad'}>
      HTTP {data.status} after {data.ms} ms.{' '}
      {isGood ? 'A webhook would count as delivered.' : 'A webhook would not count as delivered.'}
    </Notice>
  );
}

/** Tells if a host is the gateway's own machine or network, by its name. */
function isLocal(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return /^(127\.|10\.|192\.168\.|\[::1\]$)|(^|\.)localhost$|^host\.docker\.internal$/.test(host);
}
