import { Tabs } from '@base-ui/react/tabs';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useGet } from '../../api/use-get.js';
import { useSend } from '../../api/use-send.js';
import { useSession } from '../../api/use-session.js';
import { Card } from '../../ui/card.js';
import { Code } from '../../ui/code.js';
import { CopyButton } from '../../ui/forms/copy-button.js';
import { Page } from '../../ui/page.js';
import { Load } from '../../ui/states/load.js';
import { curlSample, javascriptSample, openaiSample, pythonSample } from './code-samples.js';
import { buildRequest, type Draft, type DraftRequest, emptyDraft, fitDraft } from './draft.js';
import { DraftForm } from './draft-form.js';
import { Result } from './result.js';

const TAB =
  'min-h-8 rounded-lg px-3 font-medium text-muted text-sm transition hover:text-ink data-[active]:bg-sunken data-[active]:text-ink';

/** The request of the form as programs would send it. */
function Samples({ request }: { readonly request: DraftRequest }) {
  const baseUrl = useSession().data?.base_url ?? '';
  const samples = [
    { name: 'curl', text: curlSample(baseUrl, request) },
    { name: 'JavaScript', text: javascriptSample(baseUrl, request) },
    { name: 'Python', text: pythonSample(baseUrl, request) },
    { name: 'OpenAI SDK', text: openaiSample(baseUrl, request) },
  ];
  return (
    <Card title="The same as code" note="Put one of your keys into IMAGE_GATEWAY_KEY.">
      <Tabs.Root defaultValue="curl">
        <Tabs.List className="mb-3 flex flex-wrap gap-1" aria-label="Language">
          {samples.map(({ name }) => (
            <Tabs.Tab key={name} value={name} className={TAB}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {samples.map(({ name, text }) => (
          <Tabs.Panel key={name} value={name} className="grid gap-3">
            <Code block text={text} />
            <div>
              <CopyButton text={text} label={`Copy ${name}`} />
            </div>
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </Card>
  );
}

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
  const submit = (chosen: Draft): void => {
    send.mutate({ body: buildRequest(chosen) }, { onSuccess: ({ id }) => setTaskId(id) });
  };
  return (
    <Page title="Playground" lead="Try a prompt. It costs what it would through the API.">
      <Load query={catalog} rows={8}>
        {(view) => {
          const chosen = fitDraft(draft, view.models);
          const inputs = view.models.find(({ id }) => id === chosen.model)?.max_inputs ?? 0;
          return (
            <>
              <div className="grid items-start gap-6 lg:grid-cols-2">
                <Card>
                  <DraftForm
                    catalog={view}
                    draft={chosen}
                    onChange={setDraft}
                    onSubmit={() => submit(chosen)}
                    isSending={send.isPending}
                    error={send.error}
                  />
                </Card>
                <Result
                  taskId={taskId}
                  onEdit={(url) =>
                    setDraft({
                      ...chosen,
                      images: inputs === 0 ? [] : [...chosen.images, url].slice(-inputs),
                    })
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
