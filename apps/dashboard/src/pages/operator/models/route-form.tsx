import type {
  CheckedDocumentView,
  DocumentNote,
  EditedRoutesView,
  ModelItem,
  ModelsView,
} from '@image-gateway/shared/catalog/schema';
import { ArrowDown, ArrowUp, Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useGet, useSend } from '../../../api/use-api.js';
import { Badge } from '../../../ui/badge.js';
import { Card } from '../../../ui/card.js';
import { Button } from '../../../ui/forms/button.js';
import { Load, Notice } from '../../../ui/states.js';
import { Named } from '../../../ui/table.js';
import { ChangeOutcome, ImpactDialog } from './impact-dialog.js';
import { NoteList } from './note-list.js';
import { RouteDialog } from './route-dialog.js';
import { type DraftRoute, move, nameEdit, toDrafts, toRoutes } from './route-edits.js';
import { describeCost } from './route-table.js';

interface FormProps {
  readonly view: ModelsView;
  readonly model: ModelItem;
}

/** Form for the routes of a model and their order. */
export function RouteForm(props: FormProps) {
  const query = useGet(
    { path: '/operator/models/routes/:id', params: { id: props.model.id } },
    { everyMs: 10_000 },
  );
  return (
    <Card
      title="Change the routes"
      note="The first route that can be called draws a task; the next ones step in. The list is saved as a whole."
    >
      <Load query={query} rows={4}>
        {(newest) => <RouteList {...props} newest={newest} />}
      </Load>
    </Card>
  );
}

const open = (view: EditedRoutesView) => ({ from: view.version, routes: toDrafts(view) });

/** List of the routes, which are moved, edited, added and removed in it before it is saved. */
function RouteList({ view, model, newest }: FormProps & { readonly newest: EditedRoutesView }) {
  // The version that the list was made from: a change in between is refused.
  const [opened, setOpened] = useState(() => open(newest));
  const [drafts, setDrafts] = useState(opened.routes);
  const [edited, setEdited] = useState<DraftRoute | null>(null);
  const [asked, setAsked] = useState<CheckedDocumentView | null>(null);
  const [said, setSaid] = useState('');
  const look = useSend('/operator/models/routes/:id/check');
  const check = useSend('/operator/models/routes/:id/check');
  const send = useSend('/operator/models/routes/:id', ['operator']);
  const params = { id: model.id };
  const isChanged = JSON.stringify(drafts) !== JSON.stringify(opened.routes);
  const isNewer = Math.max(newest.version, view.version) > opened.from && !send.isPending;
  const start = (): void => {
    look.reset();
    send.reset();
    setOpened(open(newest));
    setDrafts(toDrafts(newest));
  };
  if (newest.version > opened.from && !isChanged) {
    setOpened(open(newest));
    setDrafts(toDrafts(newest));
  }
  const change = (routes: readonly DraftRoute[], words: string): void => {
    look.reset();
    send.reset();
    setDrafts(routes);
    setSaid(words);
  };
  const take = async (route: DraftRoute): Promise<readonly DocumentNote[]> => {
    const place = drafts.findIndex(({ key }) => key === route.key);
    const index = place === -1 ? drafts.length : place;
    const routes = drafts.toSpliced(index, 1, route);
    const { faults } = await check.mutateAsync({
      params,
      body: { from: opened.from, routes: toRoutes(routes) },
    });
    const own = `models.${model.id}.routes.${index}.`;
    const found = faults.filter(({ path }) => path.startsWith(own));
    if (found.length === 0) {
      change(routes, `${route.provider} ${route.model} stands at place ${index + 1} of ${routes.length}.`);
      setEdited(null);
    }
    return found.map(({ path, message }) => ({ path: path.slice(own.length), message }));
  };
  const ask = (): void =>
    look.mutate(
      { params, body: { from: opened.from, routes: toRoutes(drafts) } },
      { onSuccess: (checked) => setAsked(checked.faults.length === 0 ? checked : null) },
    );
  const save = async (): Promise<void> => {
    const body = { from: opened.from, routes: toRoutes(drafts) };
    const { version } = await send.mutateAsync({ params, body });
    const routes = drafts.map((route, place) => ({ ...route, place }));
    setOpened({ from: version, routes });
    setDrafts(routes);
    setSaid('');
  };
  return (
    <div className="grid gap-5">
      {newest.is_built_in && (
        <Notice kind="info">
          These are the built-in routes: they are called in the order of PROVIDERS, and a release may change
          them. Once you save a change, they stand in your document, and their order there counts.
        </Notice>
      )}
      {isNewer && isChanged && (
        <Notice
          kind="bad"
          action={<Button onClick={start}>Start again with version {newest.version}</Button>}
        >
          Version {Math.max(newest.version, view.version)} has been applied since you opened this list, so it
          can’t be saved. Your list is kept until you start again.
        </Notice>
      )}
      <ol className="grid gap-2">
        {drafts.map((route, index) => (
          <Row
            key={route.key}
            route={route}
            index={index}
            count={drafts.length}
            edit={nameEdit(route, opened.routes)}
            onMove={(by) =>
              change(
                move(drafts, index, by),
                `${route.provider} ${route.model} stands at place ${index + by + 1} of ${drafts.length}.`,
              )
            }
            onEdit={() => setEdited(route)}
            onRemove={() =>
              change(drafts.toSpliced(index, 1), `${route.provider} ${route.model} is taken out of the list.`)
            }
          />
        ))}
      </ol>
      <p role="status" className="sr-only">
        {said}
      </p>
      <ChangeOutcome error={look.error} faults={look.data?.faults ?? []} version={send.data?.version} />
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setEdited(newRoute(drafts))}>
          <Plus aria-hidden />
          Add a route
        </Button>
        <Button kind="primary" disabled={look.isPending || !isChanged || isNewer} onClick={ask}>
          Save routes
        </Button>
        {isChanged && !isNewer && <Button onClick={start}>Discard changes</Button>}
      </div>
      {edited && (
        <RouteDialog
          key={edited.key}
          draft={edited}
          sold={model.prices}
          onClose={() => setEdited(null)}
          onTake={take}
        />
      )}
      <ImpactDialog
        checked={asked}
        title={`Change the routes of ${model.id}?`}
        verb="Save"
        onClose={() => setAsked(null)}
        action={save}
      >
        {asked && (
          <>
            <NoteList notes={asked.changes} />
            <Warnings
              notes={asked.warnings.filter(({ path }) => path.startsWith(`models.${model.id}.routes.`))}
            />
          </>
        )}
      </ImpactDialog>
    </div>
  );
}

let made = 0;

/** Returns an empty route for the end of the list. */
function newRoute(drafts: readonly DraftRoute[]): DraftRoute {
  made += 1;
  return {
    key: `new ${made}`,
    place: null,
    provider: drafts[0]?.provider ?? '',
    model: '',
    cost: {},
    weight: null,
    types: drafts[0]?.types ?? ['image_generate'],
    max_inputs: null,
    image_field: null,
    is_fixed: false,
    other: [],
  };
}

/** Route of the list with what can be done to it. The button that moved it keeps the focus. */
function Row({
  route,
  index,
  count,
  edit,
  onMove,
  onEdit,
  onRemove,
}: {
  readonly route: DraftRoute;
  readonly index: number;
  readonly count: number;
  readonly edit: string | null;
  readonly onMove: (by: 1 | -1) => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}) {
  const pressed = useRef<HTMLButtonElement | null>(null);
  // Browsers take the focus from an element that moves in its list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the move is what the effect follows
  useEffect(() => {
    pressed.current?.focus();
    pressed.current = null;
  }, [index]);
  const name = <span className="sr-only"> {`${route.provider} ${route.model}`}</span>;
  const costs = Object.entries(route.cost).map(describeCost).join(', ');
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-xl border border-line px-4 py-3 text-sm">
      <div className="grid min-w-0 flex-1 basis-56 gap-1">
        <span>
          <Named name={`${index + 1}. ${route.provider}`} note={route.model} />
        </span>
        <span className="figures text-muted text-xs [overflow-wrap:anywhere]">
          {costs === '' ? 'no cost' : costs}
          {route.weight !== null && `, weight ${route.weight}`}
        </span>
      </div>
      {edit !== null && <Badge tone="wait">{edit}</Badge>}
      <div className="flex flex-wrap gap-1.5">
        {([-1, 1] as const).map((by) => (
          <Button
            key={by}
            small
            disabled={index + by < 0 || index + by >= count}
            onClick={({ currentTarget }) => {
              pressed.current = currentTarget;
              onMove(by);
            }}
          >
            {by === -1 ? <ArrowUp aria-hidden /> : <ArrowDown aria-hidden />}
            <span className="sr-only">Move {by === -1 ? 'up' : 'down'}</span>
            {name}
          </Button>
        ))}
        <Button small onClick={onEdit}>
          Edit{name}
        </Button>
        <Button small kind="danger" disabled={count === 1} onClick={onRemove}>
          Remove{name}
        </Button>
      </div>
    </li>
  );
}

function Warnings({ notes }: { readonly notes: readonly DocumentNote[] }) {
  return (
    notes.length > 0 && (
      <Notice kind="bad">
        <NoteList notes={notes} />
      </Notice>
    )
  );
}
