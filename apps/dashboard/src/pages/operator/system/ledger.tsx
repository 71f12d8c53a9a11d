import { useSend } from '../../../api/use-api.js';
import { Card } from '../../../ui/card.js';
import { Code } from '../../../ui/code.js';
import { Button } from '../../../ui/forms/button.js';
import { Page } from '../../../ui/page.js';
import { ErrorNotice, Notice } from '../../../ui/states.js';

/** Checks that money and states agree with each other. */
export function Ledger() {
  const send = useSend('/operator/ledger/check');
  const report = send.data;
  return (
    <Page
      title="Ledger"
      lead="Compares balances with transfers, holds with open tasks, and charges with images, in one snapshot of the running system."
      actions={
        <Button kind="primary" disabled={send.isPending} onClick={() => send.mutate({})}>
          {send.isPending ? 'Checking…' : 'Check the books'}
        </Button>
      }
    >
      {send.error && <ErrorNotice error={send.error} />}
      {report === undefined && !send.error && (
        <Notice kind="info">
          Nothing has been checked yet. A check reads every row and may take a while on a large system.
        </Notice>
      )}
      {report && report.broken.length === 0 && (
        <Notice kind="good">
          All {report.checked} invariants hold. Checked in {(report.ms / 1000).toFixed(1)} s.
        </Notice>
      )}
      {report && report.broken.length > 0 && (
        <>
          <Notice kind="bad">
            {report.broken.length} of {report.checked} invariants are broken.
          </Notice>
          {report.broken.map(({ name, rows }) => (
            <Card key={name} title={name}>
              <Code block text={rows.map((row) => JSON.stringify(row)).join('\n')} />
            </Card>
          ))}
        </>
      )}
    </Page>
  );
}
