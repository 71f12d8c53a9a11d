import type { ManagedProvider } from '@image-gateway/shared/provider/schema';
import { Code } from '../../../ui/code.js';
import { CopyButton } from '../../../ui/forms/copy-button.js';

/** Lines of an instance for the document, the environment and the command line, which change it; the page changes no address. */
export function InstanceLines({ provider }: { readonly provider: ManagedProvider }) {
  const { name, protocol, address, key_variable: variable } = provider;
  const entry = [
    `protocol: ${protocol}`,
    ...(address === null ? [] : [`base_url: "https://${address}/v1"`]),
    ...(variable === null ? [] : [`key_env: ${variable}`]),
  ].map((line) => `    ${line}`);
  const environment = [
    'services:',
    '  generation-worker:',
    '    environment:',
    `      ${variable}: \${${variable}:-}`,
  ];
  const parts = [
    ['In the catalog document', ['providers:', `  ${name}:`, ...entry]],
    ...(variable === null
      ? []
      : ([
          ['In .env, or in the environment of the generation workers', [`${variable}=`]],
          ['In docker/compose.override.yaml', environment],
        ] as const)),
    [
      'Commands',
      [
        'npm run --silent gateway -- catalog show',
        'npm run --silent gateway -- catalog check catalog.yaml',
        'npm run --silent gateway -- catalog apply catalog.yaml --base VERSION',
      ],
    ],
  ] as const;
  return (
    <section className="grid gap-4" aria-label="Lines to copy">
      <h3 className="font-semibold text-sm">Lines to copy</h3>
      <p className="text-muted text-sm">
        The document changes an instance or adds one. These lines know its protocol, host and port: write the
        scheme, the path and further fields as your document has them. “catalog show” prints it.
      </p>
      {parts.map(([title, lines]) => (
        <div key={title} className="grid gap-1.5">
          <span className="flex items-center justify-between gap-2 text-sm">
            <span>{title}</span>
            <CopyButton text={`${lines.join('\n')}\n`} label={`Copy: ${title}`} isIcon />
          </span>
          <Code block text={lines.join('\n')} />
        </div>
      ))}
    </section>
  );
}
