import type { PlaygroundModel, TaskDetail } from '@image-gateway/shared/task/schema';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/request.js';
import { useGet, useSend, useSession } from '../../api/use-api.js';
import { writeDollars } from '../../lib/figures.js';
import { SubmitError } from '../../ui/ask-credit.js';
import { Card } from '../../ui/card.js';
import { Page } from '../../ui/page.js';
import { Load, Notice } from '../../ui/states.js';
import { buildRequest, type Draft, emptyDraft, fitDraft, getPrice, toDraft, toDraftImage } from './draft.js';
import { DraftForm } from './draft-form.js';
import { readMask } from './image-files.js';
import { Result } from './result.js';
import { Samples } from './samples.js';

/** Tries prompts: the form, what came of it, earlier runs, and the same request as code. */
export function Playground() {
  const { run } = useSearch({ from: '/playground' });
  const [opened] = useState(run);
  const catalog = useGet({ path: '/playground' });
  return (
    <Page title="Playground" lead="Try a prompt. It costs what it would through the API.">
      <Load query={catalog} rows={8}>
        {({ models }) =>
          opened === undefined ? <Bench models={models} /> : <Reopened id={opened} models={models} />
        }
      </Load>
    </Page>
  );
}

/** The playground with the run of the address, whose request fills the form. */
function Reopened({ id, models }: { readonly id: string; readonly models: readonly PlaygroundModel[] }) {
  const query = useGet({ path: '/tasks/:id', params: { id } });
  if (query.error instanceof ApiError && query.error.status === 404) {
    return (
      <>
        <Notice kind="info">
          This account has no such run. It may belong to another one, or was deleted.
        </Notice>
        <Bench models={models} />
      </>
    );
  }
  return (
    <Load query={query} rows={8}>
      {(task) => <Bench models={models} opened={task} />}
    </Load>
  );
}

function Bench({ models, opened }: Readonly<{ models: readonly PlaygroundModel[]; opened?: TaskDetail }>) {
  const { run = null, image, model: wished = '' } = useSearch({ from: '/playground' });
  const fileUrl = useSession().data?.file_url ?? '';
  const navigate = useNavigate();
  const form = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useState<Draft>(() => {
    const images = image === undefined ? [] : [toDraftImage(image, new URL(image, location.href).origin)];
    return opened ? toDraft(opened.request, fileUrl, models) : { ...emptyDraft, model: wished, images };
  });
  const [loss, setLoss] = useState<string | null>(null);
  // Refusals are shown where the submit was made.
  const [isFromRun, setFromRun] = useState(false);
  const send = useSend('/generate', ['tasks', 'overview', 'runs']);
  const chosen = fitDraft(draft, models);
  const model = models.find(({ id }) => id === chosen.model);

  /** Puts the request of a run into the form, with its mask as soon as that is read. */
  const fill = async (task: TaskDetail): Promise<void> => {
    const filled = toDraft(task.request, fileUrl, models);
    setDraft(filled);
    setFromRun(false);
    setLoss(describeLoss(task, null));
    if (task.has_mask && task.lost_inputs === 0) {
      const mask = await readMask(task.id);
      setDraft((now) => (now.images[0]?.key === filled.images[0]?.key ? { ...now, mask } : now));
      setLoss(describeLoss(task, mask));
    }
  };
  const first = useRef(opened);
  const latest = useRef(fill);
  latest.current = fill;
  useEffect(() => {
    if (first.current) {
      void latest.current(first.current);
      first.current = undefined;
    }
  }, []);

  useEffect(() => {
    // The prompt, which everybody comes for, is the first stop; a phone would open its keyboard.
    const isFree = [document.body, document.querySelector('main')].includes(
      document.activeElement as HTMLElement,
    );
    if (run === null && isFree && matchMedia('(pointer: fine)').matches) {
      form.current?.querySelector('textarea')?.focus({ preventScroll: true });
    }
  }, [run]);
  const focusPrompt = (): void => form.current?.querySelector('textarea')?.focus();
  const show = (id: string): Promise<void> =>
    navigate({ to: '/playground', search: { run: id }, resetScroll: false });
  const submit = (on: PlaygroundModel, { mask, ...rest }: Draft): void => {
    const body = { ...buildRequest(on, { ...rest, mask }), ...(mask !== null && { mask }) };
    send.mutate({ body }, { onSuccess: ({ id }) => void show(id) });
  };
  const repeat = async (task: TaskDetail, change: Draft['fields']): Promise<void> => {
    const on = models.find(({ id }) => id === task.model);
    const mask = task.has_mask ? await readMask(task.id) : null;
    setFromRun(true);
    if (!on || describeLoss(task, mask) !== null) {
      send.reset();
      setLoss(describeLoss(task, mask));
      return;
    }
    const same = fitDraft(toDraft(task.request, fileUrl, models, mask), [on]);
    submit(on, { ...same, fields: { ...same.fields, ...change } });
  };
  if (!model) {
    return <Notice kind="info">No model is on offer at present.</Notice>;
  }
  return (
    <>
      {loss !== null && !isFromRun && <Notice kind="info">{loss}</Notice>}
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Card>
          <div ref={form}>
            <DraftForm
              models={models}
              model={model}
              draft={chosen}
              onChange={(change) => setDraft((now) => change(fitDraft(now, models)))}
              onSubmit={() => {
                setFromRun(false);
                submit(model, chosen);
              }}
              isSending={send.isPending}
              error={isFromRun ? null : send.error}
            />
          </div>
        </Card>
        <Result
          taskId={run}
          onShow={(id) => void show(id)}
          notice={
            isFromRun && (
              <>
                {loss !== null && <Notice kind="info">{loss}</Notice>}
                {send.error && <SubmitError error={send.error} />}
              </>
            )
          }
          actions={(task) => {
            const on = models.find(({ id }) => id === task.model);
            const most = String(on?.fields.num_outputs?.maximum ?? 1);
            const varied = { num_outputs: most, seed: '' };
            const { fields } = toDraft(task.request, fileUrl, models);
            return {
              onAgain: on ? () => void repeat(task, {}) : null,
              onVariations: on && most !== '1' ? () => void repeat(task, varied) : null,
              isSending: send.isPending,
              variations: on
                ? `${most} variations, ${writeDollars(getPrice(on, { ...emptyDraft, fields: { ...fields, ...varied } }))}`
                : '',
              onFill: () => {
                void fill(task);
                focusPrompt();
              },
              onEdit: (url) => {
                setDraft({
                  ...chosen,
                  images: model.max_inputs === 0 ? [] : [toDraftImage(url, fileUrl)],
                  mask: null,
                });
                focusPrompt();
              },
            };
          }}
        />
      </div>
      <Samples request={buildRequest(model, chosen)} draft={chosen} />
    </>
  );
}

/** Says what of a run can no longer be had; null while all of it is there. */
function describeLoss(task: TaskDetail, mask: string | null): string | null {
  if (task.is_erased) {
    return 'The request of this run is erased: the time for which this account keeps it is over.';
  }
  if (task.lost_inputs > 0) {
    return 'Images that were uploaded are deleted 24 hours after their last use. Add those of this run again.';
  }
  return task.has_mask && mask === null
    ? 'A mask is deleted 24 hours after its run. Paint that of this run again.'
    : null;
}
