import type { WebhookTestView } from '@image-gateway/shared/contract';
import { type FormEvent, useState } from 'react';
import { useSend } from '../../api/use-send.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/card.js';
import { ErrorNotice } from '../../ui/error-notice.js';
import { Notice } from '../../ui/notice.js';
import { TextField } from '../../ui/text-field.js';

/** Sends a signed event about a made-up task and shows how it was taken. */
export function TestWebhook() {
  const [url, setUrl] = useState('');
  const send = useSend('/webhooks/test');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate({ body: { url } });
  };
  return (
    <Card title="Test event" note="Sent once, now, signed like the real ones.">
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
        {send.data && <Outcome outcome={send.data} />}
        <div>
          <Button small type="submit" disabled={send.isPending}>
            {send.isPending ? 'Sending…' : 'Send test event'}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function Outcome({ outcome: { status, error, ms } }: { readonly outcome: WebhookTestView }) {
  if (status === null) return <Notice kind="bad">No answer: {error}.</Notice>;
  const isGood = status >= 200 && status < 300;
  return (
    <Notice kind={isGood ? 'good' : 'bad'}>
      HTTP {status} after {ms} ms.{' '}
      {isGood ? 'A webhook would count as delivered.' : 'A webhook would be tried again.'}
    </Notice>
  );
}
