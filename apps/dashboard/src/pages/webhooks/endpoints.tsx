import { ACCOUNT_EVENTS, EVENTS, type EventType, OPERATOR_EVENTS } from '@image-gateway/shared/contract';
import type { EndpointItem, EventItem } from '@image-gateway/shared/endpoint/schema';
import { useState } from 'react';
import { useGet, useSend, useSession } from '../../api/use-api.js';
import { formatMoney } from '../../lib/figures.js';
import { Card } from '../../ui/card.js';
import { ActionForm, Confirm } from '../../ui/forms/action-form.js';
import { Button } from '../../ui/forms/button.js';
import { Field, Fields } from '../../ui/forms/fields.js';
import { Secret } from '../../ui/forms/secret.js';
import { Page } from '../../ui/page.js';
import { ErrorNotice, Load } from '../../ui/states.js';
import { Named, Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';
import { SentTable } from './sent-table.js';

/** Endpoints of an account or of operators. */
interface Place {
  readonly title: string;
  readonly note: string;
  readonly types: readonly EventType[];
  /** Types that are chosen at first. */
  readonly chosen: readonly EventType[];
  readonly readers: 'owners' | 'operators';
  readonly paths: {
    readonly list: '/endpoints' | '/operator/endpoints';
    readonly remove: '/endpoints/:id/delete' | '/operator/endpoints/:id/delete';
    readonly test: '/endpoints/:id/test' | '/operator/endpoints/:id/test';
    readonly events: '/endpoints/events' | '/operator/events';
    readonly resend: '/webhooks/:id/resend' | '/operator/events/:id/resend';
  };
}

interface PlaceProps {
  readonly place: Place;
}

const PLACES: Readonly<Record<'owner' | 'operator', Place>> = {
  owner: {
    title: 'Endpoints for events',
    note: 'Addresses that are told about the account itself. Events of tasks go to the webhook_url of their request.',
    types: ACCOUNT_EVENTS,
    chosen: ['key.cap_reached', 'webhook.failing'],
    readers: 'owners',
    paths: {
      list: '/endpoints',
      remove: '/endpoints/:id/delete',
      test: '/endpoints/:id/test',
      events: '/endpoints/events',
      resend: '/webhooks/:id/resend',
    },
  },
  operator: {
    title: 'Endpoints of operators',
    note: 'Addresses that are told what needs an operator, each cause once in its window.',
    types: OPERATOR_EVENTS,
    chosen: ['provider.needs_operator', 'account.moderated', 'ledger.check_failed'],
    readers: 'operators',
    paths: {
      list: '/operator/endpoints',
      remove: '/operator/endpoints/:id/delete',
      test: '/operator/endpoints/:id/test',
      events: '/operator/events',
      resend: '/operator/events/:id/resend',
    },
  },
};

const getFirstWord = (path: string): string => path.split('/')[1] ?? '';

/** Endpoints for events of the account or of operators: a form, a list and the log of what was sent. */
export function Endpoints({ of }: { readonly of: keyof typeof PLACES }) {
  const place = PLACES[of];
  const endpoints = useGet({ path: place.paths.list }, { everyMs: 10_000 });
  const events = useGet({ path: place.paths.events }, { everyMs: 5_000 });
  return (
    <>
      <Card title={place.title} note={place.note}>
        <div className="grid gap-6">
          <Load query={endpoints} rows={2}>
            {(items) =>
              items.length === 0 ? (
                <p className="text-muted text-sm">No endpoint yet.</p>
              ) : (
                <EndpointTable endpoints={items} place={place} />
              )
            }
          </Load>
          <EndpointForm place={place} />
        </div>
      </Card>
      <Load query={events} rows={2}>
        {(items) => (items.length === 0 ? null : <EventTable events={items} place={place} />)}
      </Load>
    </>
  );
}

function EndpointTable({
  endpoints,
  place: { paths },
}: { readonly endpoints: readonly EndpointItem[] } & PlaceProps) {
  const remove = useSend(paths.remove, [getFirstWord(paths.remove)]);
  const test = useSend(paths.test, [getFirstWord(paths.test)]);
  return (
    <Table
      caption="Endpoints"
      rows={endpoints}
      getKey={({ id }) => id}
      columns={[
        {
          title: 'URL',
          cell: ({ id, url, types, threshold }) => (
            <span className="grid gap-0.5">
              <span className="break-all font-medium">{url}</span>
              <span className="text-muted text-xs [overflow-wrap:anywhere]">
                {types.join(', ')}
                {threshold !== null && ` below ${formatMoney(threshold)}`}
              </span>
              <span className="break-all font-mono text-muted text-xs">{id}</span>
            </span>
          ),
        },
        {
          title: 'State',
          cell: ({ disabled_at: disabledAt, failing_since: failingSince }) => {
            if (disabledAt !== null) {
              return <span className="text-bad">switched off</span>;
            }
            return failingSince === null ? (
              'works'
            ) : (
              <span className="text-bad">
                fails since <Time iso={failingSince} />
              </span>
            );
          },
        },
        {
          title: 'Last delivered',
          from: 'md',
          cell: ({ last_delivered_at: at }) => (at === null ? 'never' : <Time iso={at} />),
        },
        { title: 'Waiting', from: 'sm', figure: ({ waiting }) => waiting },
        { title: 'Dropped', from: 'lg', figure: ({ dropped }) => dropped },
        {
          title: 'Actions',
          silent: true,
          align: 'right',
          cell: ({ id, url, disabled_at: disabledAt }) => (
            <span className="flex flex-wrap justify-end gap-2">
              {disabledAt === null && (
                <Button small onClick={() => test.mutate({ params: { id } })}>
                  Send a test
                </Button>
              )}
              <Confirm
                trigger="Delete"
                title="Delete this endpoint?"
                note={`Nothing more is sent to ${url}; what waits for it and its log are deleted too.`}
                verb="Delete endpoint"
                action={() => remove.mutateAsync({ params: { id } })}
              />
            </span>
          ),
        },
      ]}
    />
  );
}

function EndpointForm({ place: { types: offered, chosen, readers, paths } }: PlaceProps) {
  const [types, setTypes] = useState(chosen);
  const [threshold, setThreshold] = useState('5.00');
  const send = useSend(paths.list, [getFirstWord(paths.list)]);
  const mail = useSend(paths.list, [getFirstWord(paths.list)]);
  const { user, sends_mail: sendsMail } = useSession().data ?? {};
  const hasThreshold = types.includes('account.balance_low');
  const to = (address: string) => ({
    body: { url: address, types, threshold: hasThreshold ? threshold : null },
  });
  return (
    <>
      <ActionForm
        fields={[
          {
            name: 'url',
            label: 'URL of a new endpoint',
            type: 'url',
            required: true,
            placeholder: 'https://example.com/events',
          },
        ]}
        onEdit={(data) => setTypes(data.getAll('types') as EventType[])}
        action={({ url }) => send.mutateAsync(to(url))}
        small
        isReady={types.length > 0 && !mail.isPending}
        verb="Register endpoint"
        buttons={
          sendsMail &&
          user && (
            <Button
              small
              disabled={mail.isPending || types.length === 0}
              onClick={() => mail.mutate(to(`mailto:${user.email}`))}
            >
              Mail me instead
            </Button>
          )
        }
      >
        <Fields
          fields={[
            {
              name: 'types',
              label: 'Tell when',
              choices: offered.map((type) => [type, EVENTS[type][readers]] as const),
              chosen,
            },
          ]}
        />
        {hasThreshold && (
          <Field
            label="Threshold of the balance, in $"
            inputMode="decimal"
            required
            maxLength={20}
            value={threshold}
            onChange={setThreshold}
          />
        )}
        {mail.error && <ErrorNotice error={mail.error} />}
      </ActionForm>
      <Secret
        text={send.data?.secret ?? mail.data?.secret ?? null}
        onClose={() => {
          send.reset();
          mail.reset();
        }}
        title="The endpoint is registered"
        note="Its signing secret is shown once. Your receiver checks signatures with it."
        copyLabel="Copy secret"
      />
    </>
  );
}

function EventTable({ events, place: { paths } }: { readonly events: readonly EventItem[] } & PlaceProps) {
  return (
    <Card title="Events" flush>
      <SentTable
        caption="Events"
        title="Event"
        rows={events}
        resend={paths.resend}
        renews={[getFirstWord(paths.events)]}
        columns={[{ title: 'Event', cell: ({ type, url }) => <Named name={type} note={url} /> }]}
      />
    </Card>
  );
}

/** Endpoints of operators, and what was sent to them. */
export function Events() {
  return (
    <Page
      title="Events"
      lead="The gateway can tell your own systems, or mail you, what needs an operator. Requests are signed as webhooks are."
    >
      <Endpoints of="operator" />
    </Page>
  );
}
