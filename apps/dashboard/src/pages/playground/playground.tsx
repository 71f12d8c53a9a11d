import { Tabs } from '@base-ui/react/tabs';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useGet } from '../../api/use-get.js';
import { useSend } from '../../api/use-send.js';
import { useSession } from '../../api/use-session.js';
import { dollars } from '../../lib/dollars.js';
import { Card } from '../../ui/card.js';
import { Code } from '../../ui/code.js';
import { CopyButton } from '../../ui/forms/copy-button.js';
import { Page } from '../../ui/page.js';
import { Load } from '../../ui/states/load.js';
import { curlSample, javascriptSample, openaiSample, pythonSample } from './code-samples.js';
import {
  buildRequest,
  type Draft,
  type DraftRequest,
  emptyDraft,
  fitDraft,
  getPrice,
  toDraftImage,
} from './draft.js';
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

/** A request as it was sent, to be sent again. */
interface SentRequest {
  readonly request: DraftRequest;
  readonly mask: string | null;
}

/** Tries prompts: the form, what came of it, and the same request as code. */
export function Playground() {
  const { image } = useSearch({ strict: false }) as { readonly image?: unknown };
  const catalog = useGet({ path: '/playground' });
  const fileUrl = useSession().data?.file_url ?? '';
  const [draft, setDraft] = useState<Draft>(() => ({
    ...emptyDraft,
    images: typeof image === 'string' ? [toDraftImage(image, new URL(image, location.href).origin)] : [],
  }));
  const [taskId, setTaskId] = useState<string | null>(null);
  const [earlier, setEarlier] = useState<readonly string[]>([]);
  const [sent, setSent] = useState<ReadonlyMap<string, SentRequest>>(new Map());
  const send = useSend('/generate', ['tasks', 'overview']);
  const submit = (order: SentRequest): void => {
    const { request, mask } = order;
    send.mutate(
      { body: { ...request, ...(mask !== null && { mask }) } },
      {
        onSuccess: ({ id }) => {
          setTaskId(id);
          setEarlier((now) => [id, ...now]);
          setSent((now) => new Map(now).set(id, order));
        },
      },
    );
  };
  return (
    <Page title="Playground" lead="Try a prompt. It costs what it would through the API.">
      <Load query={catalog} rows={8}>
        {(view) => {
          const chosen = fitDraft(draft, view.models);
          const model = view.models.find(({ id }) => id === chosen.model);
          const inputs = model?.max_inputs ?? 0;
          const last = taskId === null ? undefined : sent.get(taskId);
          const lastModel = view.models.find(({ id }) => id === last?.request.model);
          const most = lastModel?.max_outputs ?? 1;
          const lastPrice = dollars(getPrice(lastModel, last?.request ?? {})) * most;
          return (
            <>
              <div className="grid items-start gap-6 lg:grid-cols-2">
                <Card>
                  <DraftForm
                    catalog={view}
                    draft={chosen}
                    onChange={(change) => setDraft((now) => change(fitDraft(now, view.models)))}
                    onSubmit={() => submit({ request: buildRequest(chosen), mask: chosen.mask })}
                    isSending={send.isPending}
                    error={send.error}
                  />
                </Card>
                <Result
                  taskId={taskId}
                  earlier={earlier}
                  onShow={setTaskId}
                  onAgain={last && !send.isPending ? () => submit(last) : null}
                  onVariations={last && most > 1 && !send.isPending ? () => submit(vary(last, most)) : null}
                  variations={`${most} variations, $${lastPrice.toFixed(4)}`}
                  onEdit={(url) =>
                    setDraft({
                      ...chosen,
                      images: inputs === 0 ? [] : [toDraftImage(url, fileUrl)],
                      mask: null,
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

/** Asks for as many images as the model draws at once, each with a seed of its own. */
function vary({ request, mask }: SentRequest, most: number): SentRequest {
  const { seed: _seed, ...rest } = request;
  return { request: { ...rest, num_outputs: most }, mask };
}
