import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { Card } from '../../ui/card.js';

/** First steps of a new owner. */
export function FirstSteps({ hasKey }: { readonly hasKey: boolean }) {
  const steps = [
    {
      to: '/keys',
      name: 'Create an API key',
      note: 'Your programs need one. It is shown once.',
      done: hasKey,
    },
    {
      to: '/playground',
      name: 'Try a prompt',
      note: 'See an image, and the same request as code.',
      done: false,
    },
    {
      to: '/webhooks',
      name: 'Set up webhooks',
      note: 'Receive a signed event when a task ends.',
      done: false,
    },
  ];
  return (
    <Card title="First steps">
      <ol className="grid gap-3 sm:grid-cols-3">
        {steps.map(({ to, name, note, done }, index) => (
          <li key={to}>
            <Link
              to={to}
              className="group grid h-full content-start gap-1 rounded-xl border border-line p-4 transition hover:border-line-strong"
            >
              <span className="mb-2 grid size-7 place-items-center rounded-full bg-accent-soft font-semibold text-accent text-sm">
                {done ? <Check className="size-4" aria-label="Done" /> : index + 1}
              </span>
              <span className="font-medium underline-offset-4 group-hover:underline">{name}</span>
              <span className="text-pretty text-muted text-sm">{note}</span>
            </Link>
          </li>
        ))}
      </ol>
    </Card>
  );
}
