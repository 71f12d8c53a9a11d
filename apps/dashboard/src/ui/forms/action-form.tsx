import { Form } from '@base-ui/react/form';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { cx } from '../../lib/cx.js';
import { ErrorNotice, Notice } from '../states.js';
import { Button, type ButtonKind } from './button.js';
import { Dialog } from './dialog.js';
import { type FieldSpec, Fields } from './fields.js';

interface Question {
  readonly title: string;
  readonly note: string;
  readonly verb: string;
}

/** A form: a table of fields and an action on their values. */
export interface ActionFormProps<N extends string, R> {
  /** Fields in their order; those of a list stand beside each other. */
  readonly fields?: readonly (FieldSpec<N> | readonly FieldSpec<N>[])[] | undefined;
  /** Further parts between the fields and the button. */
  readonly children?: ReactNode;
  /** Texts by the names of their fields, and all data of the form. A rejection is shown in the form. */
  readonly action: (values: Readonly<Record<N, string>>, data: FormData) => Promise<R>;
  /** Returns the question that comes before the action; null where there is none. */
  readonly ask?: (values: Readonly<Record<N, string>>) => Question | null;
  /** Called after the action, when the texts of the form are as at first. */
  readonly onDone?: (result: R) => void;
  /** Called with each edit. */
  readonly onEdit?: (data: FormData) => void;
  /** Words of the button. */
  readonly verb: string;
  readonly busyVerb?: string;
  /** Words that tell of the end of the action. */
  readonly done?: ReactNode | ((result: R) => ReactNode);
  readonly kind?: ButtonKind;
  readonly small?: boolean;
  /** True for a button over the whole width. */
  readonly wide?: boolean;
  /** False while the button must wait for something beside the fields. */
  readonly isReady?: boolean;
  /** Makes it the form of a dialog. */
  readonly onCancel?: () => void;
  /** True where texts keep what they hold after the action. */
  readonly keeps?: boolean;
  /** Further buttons. */
  readonly buttons?: ReactNode;
}

/** Shows a form, runs its action once the fields are valid, and shows what came of it. */
export function ActionForm<N extends string, R>(props: ActionFormProps<N, R>) {
  const { fields = [], children, verb, busyVerb = verb, done, kind, small = false, isReady = true } = props;
  const [asked, setAsked] = useState<(Question & { readonly form: HTMLFormElement }) | null>(null);
  const read = (data: FormData) => Object.fromEntries(data) as Readonly<Record<N, string>>;
  const send = useMutation({
    mutationFn: (form: HTMLFormElement) => {
      setAsked(null);
      const data = new FormData(form);
      return props.action(read(data), data);
    },
    onSuccess: (result, form) => {
      if (!props.keeps) {
        emptyTexts(form);
      }
      props.onDone?.(result);
    },
  });
  return (
    <Form
      className="grid gap-4"
      onFormSubmit={(_, { event }) => {
        const form = event.target as HTMLFormElement;
        const question = props.ask?.(read(new FormData(form)));
        if (question) {
          setAsked({ ...question, form });
        } else {
          send.mutate(form);
        }
      }}
      onChange={({ currentTarget }) => props.onEdit?.(new FormData(currentTarget))}
    >
      {fields.map((field) =>
        'name' in field ? (
          <Fields key={field.name} fields={[field]} />
        ) : (
          <div key={field[0]?.name} className="grid gap-4 sm:grid-cols-2">
            <Fields fields={field} />
          </div>
        ),
      )}
      {children}
      {send.error && <ErrorNotice error={send.error} />}
      {send.isSuccess && done !== undefined && (
        <Notice kind="good">{typeof done === 'function' ? done(send.data) : done}</Notice>
      )}
      <div className={cx(props.wide ? 'grid' : 'flex flex-wrap gap-2', props.onCancel && 'justify-end')}>
        {props.onCancel && <Button onClick={props.onCancel}>Cancel</Button>}
        <Button type="submit" kind={kind} small={small} disabled={send.isPending || !isReady}>
          {send.isPending ? busyVerb : verb}
        </Button>
        {props.buttons}
      </div>
      {props.ask && (
        <Dialog
          open={asked !== null}
          onClose={() => setAsked(null)}
          title={asked?.title ?? ''}
          note={asked?.note}
        >
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => setAsked(null)}>Cancel</Button>
            <Button kind="primary" onClick={() => asked && send.mutate(asked.form)}>
              {asked?.verb}
            </Button>
          </div>
        </Dialog>
      )}
    </Form>
  );
}

/** Texts of a form become those that it began with; what was chosen stays. */
function emptyTexts(form: HTMLFormElement): void {
  for (const input of form.querySelectorAll<HTMLInputElement>('input:not([type=checkbox])')) {
    input.value = input.defaultValue;
  }
}

/** Words of a button and of the dialog that it opens. */
interface ConfirmProps<N extends string, R>
  extends Pick<ActionFormProps<N, R>, 'fields' | 'children' | 'action' | 'verb'> {
  readonly trigger: string;
  readonly icon?: ReactNode;
  readonly title: string;
  readonly note: ReactNode;
  readonly kind?: 'danger' | 'plain' | 'primary';
  readonly small?: boolean;
}

/** Button that asks before it acts, with the fields of what it must know. */
export function Confirm<N extends string, R>(props: ConfirmProps<N, R>) {
  const { trigger, icon, title, note, kind = 'danger', small = true, ...form } = props;
  const [open, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button small={small} kind={kind} onClick={() => setOpen(true)}>
        {icon}
        {trigger}
      </Button>
      <Dialog open={open} onClose={close} title={title} note={note}>
        <ActionForm
          {...form}
          kind={kind === 'danger' ? 'danger' : 'primary'}
          onCancel={close}
          onDone={close}
        />
      </Dialog>
    </>
  );
}
