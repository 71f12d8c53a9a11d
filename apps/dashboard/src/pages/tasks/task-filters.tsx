import { Images } from 'lucide-react';
import { useGet } from '../../api/use-api.js';
import { ButtonLink } from '../../ui/forms/button.js';
import { Fields, type Option } from '../../ui/forms/fields.js';
import { Empty } from '../../ui/states.js';

const TYPES = [
  ['', 'All'],
  ['image_generate', 'Generation'],
  ['image_edit', 'Edit'],
] as const;

/** Returns the models to filter by, as options: also those that the account used and that are not on offer any more. */
export function useModelOptions(): readonly Option[] {
  const models = useGet({ path: '/used-models' }).data ?? [];
  return [
    ['', 'All'],
    ...models.map(({ id, family, is_offered }): Option => {
      const note = is_offered ? family : 'not on offer';
      return [id, note === null ? id : `${id} (${note})`];
    }),
  ];
}

/** Returns the fields for the type and the model of tasks. */
export function useTaskFields() {
  const options = useModelOptions();
  return {
    type: { name: 'type', label: 'Type', options: TYPES },
    model: {
      name: 'model',
      label: 'Model',
      options,
    },
  } as const;
}

/** Filters of a list of tasks or images, which are part of its address. */
export function TaskFilters(props: Parameters<typeof Fields<string>>[0]) {
  return (
    <div className="grid grid-cols-2 gap-4 sm:max-w-3xl sm:grid-cols-4">
      <Fields {...props} />
    </div>
  );
}

/** Says that a list has no task or image, or none that fits. */
export function NoTasks({ of, isFiltered }: Readonly<{ of: 'image' | 'task'; isFiltered: boolean }>) {
  return (
    <Empty
      icon={Images}
      title={isFiltered ? `No ${of} fits` : `No ${of}s yet`}
      action={<ButtonLink to="/playground">Try a prompt</ButtonLink>}
    >
      {isFiltered ? 'Choose something else above.' : 'The playground makes the first one in a few seconds.'}
    </Empty>
  );
}
