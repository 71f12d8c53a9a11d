import { Tabs } from '@base-ui/react/tabs';
import { useSession } from '../../api/use-api.js';
import { Card } from '../../ui/card.js';
import { Code } from '../../ui/code.js';
import { ButtonAnchor } from '../../ui/forms/button.js';
import { CopyButton } from '../../ui/forms/copy-button.js';
import { curlSample, javascriptSample, MASK_FILE, openaiSample, pythonSample } from './code-samples.js';
import type { Draft, DraftRequest } from './draft.js';

const TAB =
  'min-h-8 rounded-lg px-3 font-medium text-muted text-sm transition hover:text-ink data-[active]:bg-sunken data-[active]:text-ink';

/** The request of the form as programs would send it, with its files and its mask. */
export function Samples({
  title = 'The same as code',
  request,
  draft: { images, mask },
}: {
  readonly title?: string;
  readonly request: DraftRequest;
  readonly draft: Draft;
}) {
  const baseUrl = useSession().data?.base_url ?? '';
  const samples = [
    ['curl', curlSample],
    ['JavaScript', javascriptSample],
    ['Python', pythonSample],
    ['OpenAI SDK', openaiSample],
  ] as const;
  return (
    <Card title={title} note="Put one of your keys into IMAGE_GATEWAY_KEY.">
      <Tabs.Root defaultValue="curl">
        <Tabs.List className="mb-3 flex flex-wrap gap-1" aria-label="Language">
          {samples.map(([name]) => (
            <Tabs.Tab key={name} value={name} className={TAB}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {samples.map(([name, write]) => {
          const text = write({
            baseUrl,
            request,
            images: images.filter(({ entry }) => entry),
            hasMask: mask !== null,
          });
          return (
            <Tabs.Panel key={name} value={name} className="grid gap-3">
              <Code block text={text} />
              <div className="flex flex-wrap gap-2">
                <CopyButton text={text} label={`Copy ${name}`} />
                {mask !== null && (
                  <ButtonAnchor small href={mask} download={MASK_FILE}>
                    Save {MASK_FILE}
                  </ButtonAnchor>
                )}
              </div>
            </Tabs.Panel>
          );
        })}
      </Tabs.Root>
    </Card>
  );
}
