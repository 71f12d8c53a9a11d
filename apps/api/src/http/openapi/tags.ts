/** A group of operations, with what stands above it in `/docs`. */
interface Tag {
  readonly name: string;
  readonly description: string;
}

/** Tags by the beginning of a path; the first one that fits holds. */
const TAG_BY_PATH: readonly (readonly [prefix: string, tag: string])[] = [
  ['/v1/generate', 'Tasks'],
  ['/v1/tasks', 'Tasks'],
  ['/v1/quote', 'Tasks'],
  ['/v1/files', 'Files'],
  ['/files/', 'Files'],
  ['/v1/models', 'Models'],
  ['/v1/account', 'Account'],
  ['/v1/usage', 'Account'],
  ['/openai/', 'Facade'],
  ['/', 'Service'],
];

const code = (language: string, lines: string): string => `\`\`\`${language}\n${lines.trim()}\n\`\`\``;

/** Describes the API with its first request in three languages. */
export function describeApi(baseUrl: string): string {
  return [
    'Submit a prompt, poll or receive a signed webhook, pay only for delivered images. Every answer is an envelope of `data` ' +
      'and `error`, one of which is null.',
    code(
      'sh',
      `
curl -s ${baseUrl}/v1/generate -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: fox-1" -d '{"model": "nanobanana", "prompt": "a red fox in the snow"}'
curl -s "${baseUrl}/v1/tasks/$ID?wait=30" -H "Authorization: Bearer $KEY"
`,
    ),
    code(
      'typescript',
      `
// npm install @image-gateway/client
const gateway = new ImageGateway({ baseUrl: '${baseUrl}', apiKey: process.env.KEY });
const task = await gateway.subscribe({ model: 'nanobanana', prompt: 'a red fox in the snow' });
console.log(task.output.urls, task.cost);
`,
    ),
    code(
      'python',
      `
# pip install image-gateway-client
gateway = ImageGateway(base_url="${baseUrl}", api_key=os.environ["KEY"])
task = gateway.subscribe(model="nanobanana", prompt="a red fox in the snow")
print(task.output.urls, task.cost)
`,
    ),
  ].join('\n\n');
}

/** Returns the tags in the order of `/docs`. */
export function tags(baseUrl: string): readonly Tag[] {
  return [
    {
      name: 'Tasks',
      description: [
        'Submit, wait, follow, cancel, delete. With an `Idempotency-Key` a repetition never buys twice; the clients send one ' +
          'with every submit.',
        code(
          'typescript',
          `
const { id } = await gateway.submit({ model: 'nanobanana', prompt: 'a fox', num_outputs: 4 });
const task = await gateway.tasks.wait(id);
if (task.status === 'completed') console.log(task.output.urls);
else console.log(task.error);
`,
        ),
        code(
          'python',
          `
accepted = gateway.submit(model="nanobanana", prompt="a fox", num_outputs=4)
task = gateway.tasks.wait(accepted.id)
print(task.output.urls if task.status == "completed" else task.error)
`,
        ),
      ].join('\n\n'),
    },
    {
      name: 'Files',
      description: 'Images of completed tasks, and images to edit.',
    },
    { name: 'Models', description: 'What is on offer, at which price, and which optional fields it takes.' },
    {
      name: 'Account',
      description: 'Balance, statement, limits of the key, and usage, as pages, sums or a file.',
    },
    {
      name: 'Facade',
      description: `The image operations of OpenAI, for clients that speak nothing else: their base URL is \`${baseUrl}/openai/v1\`.`,
    },
    { name: 'Service', description: 'Health and documents. No key is needed.' },
  ];
}

/** Returns the tag of the operations of a path. */
export function getTag(path: string): string {
  return TAG_BY_PATH.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'Service';
}
