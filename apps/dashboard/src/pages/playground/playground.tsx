import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useGet } from '../../api/use-get.js';
import { useSend } from '../../api/use-send.js';
import { Card } from '../../ui/card.js';
import { Page } from '../../ui/page.js';
import { Load } from '../../ui/states/load.js';
import { buildRequest, type Draft, emptyDraft } from './draft.js';
import { DraftForm } from './draft-form.js';
import { Result } from './result.js';
import { Samples } from './samples.js';

/** Tries prompts: the form, what came of it, and the same request as code. */
export function Playground() {
  const { image } = useSearch({ strict: false }) as { readonly image?: unknown };
  const catalog = useGet({ path: '/playground' });
  const [draft, setDraft] = useState<Draft>(() => ({
    ...emptyDraft,
    images: typeof image === 'string' ? [image] : [],
  }));
  const [taskId, setTaskId] = useState<string | null>(null);
  const send = useSend('/generate', ['tasks', 'overview']);
  const submit = (model: string): void => {
    send.mutate({ body: buildRequest({ ...draft, model }) }, { onSuccess: ({ id }) => setTaskId(id) });
  };
  return (
    <Page title="Playground" lead="Try a prompt. It costs what it would through the API.">
      <Load query={catalog} rows={8}>
        {(view) => {
          const chosen: Draft = { ...draft, model: draft.model || (view.models[0]?.id ?? '') };
          return (
            <>
              <div className="grid items-start gap-6 lg:grid-cols-2">
                <Card>
                  <DraftForm
                    catalog={view}
                    draft={chosen}
                    onChange={setDraft}
                    onSubmit={() => submit(chosen.model)}
                    isSending={send.isPending}
                    error={send.error}
                  />
                </Card>
                <Result
                  taskId={taskId}
                  onEdit={(url) =>
                    setDraft({ ...draft, images: [...draft.images, url].slice(-view.limits.input_images) })
                  }
                />
              </div>
              <Samples request={buildRequest(chosen)} />
            </>
          );
        }}
      </Load>
    </Page>
  );
}
