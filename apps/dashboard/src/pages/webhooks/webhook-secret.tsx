import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { useGet, useSend } from '../../api/use-api.js';
import { Card } from '../../ui/card.js';
import { Code } from '../../ui/code.js';
import { Confirm } from '../../ui/forms/action-form.js';
import { Button } from '../../ui/forms/button.js';
import { CopyButton } from '../../ui/forms/copy-button.js';
import { Load } from '../../ui/states.js';
import { Time } from '../../ui/time.js';

/** Signing secret of the account: hidden at first, replaced on demand. */
export function WebhookSecret() {
  const query = useGet({ path: '/webhooks/secret' });
  const [isShown, setShown] = useState(false);
  const send = useSend('/webhooks/secret/rotate', ['webhooks']);
  return (
    <Card title="Signing secret" note="Your receiver checks signatures with it.">
      <Load query={query} rows={2}>
        {({ secret, previous_until }) => (
          <div className="grid gap-4">
            <Code block text={isShown ? secret : `${secret.slice(0, 6)}${'•'.repeat(24)}`} />
            {previous_until !== null && (
              <p className="text-muted text-sm">
                The previous secret also signs; it expires <Time iso={previous_until} />.
              </p>
            )}
            <div className="flex flex-wrap gap-2">
              <Button small onClick={() => setShown(!isShown)}>
                {isShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
                {isShown ? 'Hide' : 'Show'}
              </Button>
              <CopyButton text={secret} label="Copy secret" />
              <Confirm
                trigger="Rotate"
                title="Rotate the signing secret?"
                note={
                  <>
                    Webhooks are signed with the new secret at once, and also with the current one for 24
                    hours. A secret that was replaced earlier expires now.
                  </>
                }
                verb="Rotate secret"
                action={() => send.mutateAsync({})}
              />
            </div>
          </div>
        )}
      </Load>
    </Card>
  );
}
