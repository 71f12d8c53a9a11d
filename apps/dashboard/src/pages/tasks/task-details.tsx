import { type FormFieldName, type GivenRequest, PLAYGROUND_KEY_ID } from '@image-gateway/shared/contract';
import type { TaskDetail } from '@image-gateway/shared/task/schema';
import { useSession } from '../../api/use-api.js';
import { formatMoney } from '../../lib/figures.js';
import { Card } from '../../ui/card.js';
import { Detail } from '../../ui/detail.js';
import { ResultImage } from '../../ui/result-image.js';
import { Time } from '../../ui/time.js';
import { toDraftImage } from '../playground/draft.js';
import { nameField } from '../playground/field-words.js';

/** Fields that the card shows in a place of their own, or not at all. */
const OTHERS: readonly (keyof GivenRequest)[] = [
  'model',
  'prompt',
  'aspect_ratio',
  'num_outputs',
  'resolution',
  'image_urls',
  'metadata',
  'webhook_url',
  'duration',
];

/** Request and cost of a task. */
export function TaskDetails({ task }: { readonly task: TaskDetail }) {
  const fileUrl = useSession().data?.file_url ?? '';
  const { request } = task;
  const inputs = request.image_urls ?? [];
  return (
    <Card title="Request">
      <p className="whitespace-pre-wrap break-words text-pretty text-base [overflow-wrap:anywhere]">
        {task.prompt}
      </p>
      {inputs.length > 0 && (
        <ul className="mt-4 grid gap-2" aria-label="Input images">
          {inputs.map((url, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same URL may occur twice, and the order never changes
            <li key={index} className="flex items-center gap-3 text-sm">
              {/* Only images of this gateway are shown: a page loads nothing from other hosts. */}
              <InputImage preview={toDraftImage(url, fileUrl).preview} />
              <span className="min-w-0 break-all text-muted">{url}</span>
            </li>
          ))}
        </ul>
      )}
      {task.lost_inputs > 0 && (
        <p className="mt-4 text-muted text-sm">
          {task.lost_inputs} uploaded {task.lost_inputs === 1 ? 'image is' : 'images are'} no longer kept.
        </p>
      )}
      <dl className="mt-4 border-line border-t">
        <Detail name="Cost">
          <span className="figures font-medium">{formatMoney(task.cost)}</span>
          <span className="text-muted">
            {' '}
            · {formatMoney(task.unit_price)} an image
            {task.status === 'pending' && `, ${formatMoney(task.held)} held`}
            {task.refunded !== null && `, ${formatMoney(task.refunded)} given back`}
          </span>
        </Detail>
        <Detail name="Images">
          {task.status === 'completed'
            ? `${task.outputs.length} of ${task.num_outputs}`
            : `${task.num_outputs} requested`}
        </Detail>
        <Detail name="Model">{task.model}</Detail>
        <Detail name="Type">{task.type === 'image_edit' ? 'Edit' : 'Generation'}</Detail>
        <Detail name="Shape">
          {request.aspect_ratio}, {request.resolution}
        </Detail>
        {listOptional(request).map(([name, value]) => (
          <Detail key={name} name={nameField(name)}>
            {value}
          </Detail>
        ))}
        {task.has_mask && <Detail name="Mask">painted</Detail>}
        {task.metadata && (
          <Detail name="Metadata">
            {Object.entries(task.metadata).map(([key, value]) => (
              <span key={key} className="block break-all">
                {key}: {value}
              </span>
            ))}
          </Detail>
        )}
        <Detail name="Submitted by">
          {task.api_key.id === PLAYGROUND_KEY_ID ? 'Playground' : task.api_key.name || task.api_key.id}
        </Detail>
        {task.expires_at !== null && !task.is_erased && (
          <Detail name="Prompt and images kept until">
            <Time iso={task.expires_at} full />
          </Detail>
        )}
        <Detail name="Request id">
          <span className="font-mono text-[0.8125rem]">{task.request_id}</span>
        </Detail>
      </dl>
    </Card>
  );
}

function InputImage({ preview }: { readonly preview: string | null }) {
  return preview !== null && <ResultImage url={preview} alt="" className="h-10 w-14 shrink-0 rounded-md" />;
}

/** Lists the fields of a request that it could have done without. */
function listOptional(request: GivenRequest): readonly (readonly [FormFieldName, string | number])[] {
  return Object.entries(request).flatMap(([name, value]) =>
    OTHERS.some((one) => one === name) ? [] : [[name as FormFieldName, value as string | number] as const],
  );
}
