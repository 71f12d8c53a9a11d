import type { WebhookTestView } from '@image-gateway/shared/webhook/schema';
import { type FormEvent, useState } from 'react';
import { useGet } from '../../api/use-get.js';
import { useSend } from '../../api/use-send.js';
import { Card } from '../../ui/card.js';
import { Button } from '../../ui/forms/button.js';
import { TextField } from '../../ui/forms/text-field.js';
import { ErrorNotice } from '../../ui/states/error-notice.js';
import { Notice } from '../../ui/states/notice.js';

/** Form that sends a signed event about a made-up task and shows its outcome. */
export function TestWebhook() {
  const [url, setUrl] = useState('');
  const send = useSend('/webhooks/test', ['webhooks']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate({ body: { url } });
  };
  return (
    <Card title="Test event" note="Sent once, now, and signed like a real event.">
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label="URL of your receiver"
          type="url"
          required
          placeholder="https://example.com/hooks"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        {send.error && <ErrorNotice error={send.error} />}
        {send.data && <Outcome key={send.data.id} id={send.data.id} />}
        <div>
          <Button small type="submit" disabled={send.isPending}>
            {send.isPending ? 'Sending…' : 'Send test event'}
          </Button>
        </div>
      </form>
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
