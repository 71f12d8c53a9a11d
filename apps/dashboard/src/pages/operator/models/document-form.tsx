import type { CheckedDocumentView, ModelsView } from '@image-gateway/shared/catalog/schema';
import { useState } from 'react';
import { useSend } from '../../../api/use-api.js';
import { Card } from '../../../ui/card.js';
import { Button } from '../../../ui/forms/button.js';
import { Field } from '../../../ui/forms/fields.js';
import { ErrorNotice, Notice } from '../../../ui/states.js';
import { ImpactDialog } from './impact-dialog.js';
import { CheckedDocument } from './note-list.js';

/** Form for the whole document: it is checked first, and applied after a look at the difference. */
export function DocumentForm({ view }: { readonly view: ModelsView }) {
  const [opened, setOpened] = useState({ from: view.version, source: view.source });
  const [source, setSource] = useState(opened.source);
  const [note, setNote] = useState('');
  const [asks, setAsks] = useState(false);
  const [checked, setChecked] = useState<{ source: string; result: CheckedDocumentView } | null>(null);
  const check = useSend('/operator/models/check');
  const apply = useSend('/operator/models/apply', ['operator']);
  const result = checked?.source === source ? checked.result : null;
  // The version of its own change comes before the end of the request.
  const isBehind = view.version > opened.from && !apply.isPending;
  // A newer version replaces the text only where nobody has edited it.
  if (isBehind && source === opened.source) {
    setOpened({ from: view.version, source: view.source });
    setSource(view.source);
  }
  const accept = (): void => {
    check.reset();
    apply.reset();
    setChecked(null);
    setOpened({ from: view.version, source: view.source });
  };
  const look = (): void =>
    check.mutate({ body: { source } }, { onSuccess: (found) => setChecked({ source, result: found }) });
  const save = async (retyped: readonly string[]): Promise<void> => {
    const { version } = await apply.mutateAsync({ body: { from: opened.from, source, note, retyped } });
    setOpened({ from: version, source });
    setChecked(null);
    setNote('');
  };
  const isReady = !isBehind && result !== null && result.faults.length === 0 && result.changes.length > 0;
  return (
    <Card
      title="Document"
      note={`Version ${opened.from}, in YAML or JSON. It is merged over the built-in document.`}
    >
      <div className="grid gap-4">
        <Field
          label="Models"
          hint="Providers are not shown here and stay as they are."
          rows={14}
          spellCheck={false}
          className="font-mono text-[0.8125rem]"
          placeholder={'models:\n  nanobanana:\n    price: { 1k: "0.0500", 2k: "0.0700", 4k: "0.1500" }'}
          value={source}
          onChange={setSource}
        />
        {result !== null && <CheckedDocument result={result} />}
        {isBehind && (
          <Notice kind="bad" action={<Button onClick={accept}>Continue with version {view.version}</Button>}>
            Version {view.version} has been applied since you opened this text. Your text is kept; continue
            and check it again to see how it differs from that version.
          </Notice>
        )}
        {check.error && <ErrorNotice error={check.error} />}
        {isReady && <Field label="Note for the history" maxLength={400} value={note} onChange={setNote} />}
        <div className="flex flex-wrap gap-2">
          <Button disabled={check.isPending} onClick={look}>
            Check
          </Button>
          {isReady && (
            <Button kind="primary" onClick={() => setAsks(true)}>
              Apply {result.changes.length === 1 ? '1 change' : `${result.changes.length} changes`}
            </Button>
          )}
        </div>
      </div>
      <ImpactDialog
        checked={asks && isReady ? result : null}
        title="Apply the document?"
        verb="Apply"
        onClose={() => setAsks(false)}
        action={save}
      />
    </Card>
  );
}
