import type { DraftImage, DraftRequest } from './draft.js';

/** Request of the form, and its files. */
export interface Sample {
  readonly baseUrl: string;
  readonly request: DraftRequest;
  /** Input images, in the order of the request. */
  readonly images: readonly Pick<DraftImage, 'entry' | 'name'>[];
  /** True if the form has a mask, which the code reads from `mask.png`. */
  readonly hasMask: boolean;
}

/** Name of the file that a mask is saved as. */
export const MASK_FILE = 'mask.png';

const json = (value: unknown, indent = ''): string =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A line for a shell; single quotes in the body are written as a shell wants them. */
export function curlSample(sample: Sample): string {
  const { baseUrl, request, hasMask } = sample;
  const body = quote(JSON.stringify(hasMask ? { ...toEdit(request), mask: '@' } : request));
  const mask = `"data:image/png;base64,'"$(base64 < ${MASK_FILE} | tr -d '\\n')"'"`;
  return [
    ...explain(sample, '#'),
    `curl -s ${baseUrl}${hasMask ? EDITS : '/v1/generate'} \\`,
    `  -H "Authorization: Bearer $IMAGE_GATEWAY_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${hasMask ? body.replace(/"@"(?=}'$)/, () => mask) : body}`,
  ].join('\n');
}

/** A module for Node: submits, then polls until the task has ended. */
export function javascriptSample(sample: Sample): string {
  const { baseUrl, request, hasMask } = sample;
  const notes = explain(sample, '//').map((line) => `${line}\n`);
  const headers = `const headers = {
  Authorization: \`Bearer \${process.env.IMAGE_GATEWAY_KEY}\`,
  'Content-Type': 'application/json',
};`;
  if (hasMask) {
    return `import { readFile } from 'node:fs/promises';

${notes.join('')}${headers}
const request = ${json(toEdit(request))};
request.mask = \`data:image/png;base64,\${await readFile('${MASK_FILE}', 'base64')}\`;
const init = { method: 'POST', headers, body: JSON.stringify(request) };
const { data, error } = await (await fetch('${baseUrl}${EDITS}', init)).json();
if (error) throw new Error(\`\${error.code}: \${error.message}\`);
console.log(data.map(({ url }) => url));`;
  }
  return `${notes.join('')}const api = '${baseUrl}/v1';
${headers}
const ask = async (path, init) => {
  const { data, error } = await (await fetch(api + path, { headers, ...init })).json();
  if (error) throw new Error(\`\${error.code}: \${error.message}\`);
  return data;
};

const request = ${json(request)};
let task = await ask('/generate', { method: 'POST', body: JSON.stringify(request) });
while (task.status === 'pending') {
  await new Promise((resolve) => setTimeout(resolve, 2000));
  task = await ask(\`/tasks/\${task.id}\`);
}
console.log(task.output?.urls ?? task.error);`;
}

/**
 * A script for Python without further packages: submits, then polls until the task has ended. JSON without booleans and nulls
 * is Python too.
 */
export function pythonSample(sample: Sample): string {
  const { baseUrl, request, hasMask } = sample;
  const notes = explain(sample, '#').map((line) => `${line}\n`);
  const modules = `import ${hasMask ? 'base64, ' : ''}json, os, ${hasMask ? '' : 'time, '}urllib.error, urllib.request`;
  const headers = `HEADERS = {
    "Authorization": f"Bearer {os.environ['IMAGE_GATEWAY_KEY']}",
    "Content-Type": "application/json",
}`;
  const refusal = `raise RuntimeError(f"{answer['error']['code']}: {answer['error']['message']}")`;
  if (hasMask) {
    return `${modules}

${notes.join('')}${headers}
request = ${json(toEdit(request))}
with open("${MASK_FILE}", "rb") as mask:
    request["mask"] = "data:image/png;base64," + base64.b64encode(mask.read()).decode()
call = urllib.request.Request("${baseUrl}${EDITS}", json.dumps(request).encode(), HEADERS)
try:
    answer = json.load(urllib.request.urlopen(call))
except urllib.error.HTTPError as refused:
    answer = json.load(refused)
    ${refusal}
print([image["url"] for image in answer["data"]])`;
  }
  return `${modules}

${notes.join('')}API = "${baseUrl}/v1"
${headers}

def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(API + path, data=data, headers=HEADERS)
    try:
        answer = json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as refusal:
        answer = json.load(refusal)
    if answer["error"]:
        ${refusal}
    return answer["data"]

task = ask("/generate", ${json(request)})
while task["status"] == "pending":
    time.sleep(2)
    task = ask(f"/tasks/{task['id']}")
print(task.get("output", {}).get("urls") or task["error"])`;
}

/** A module for Node with the package of OpenAI, which speaks to the facade; files are read from this folder. */
export function openaiSample({ baseUrl, request, images, hasMask }: Sample): string {
  const isEdit = images.length > 0;
  const { images: _images, ...fields } = toEdit(request);
  const sources = images.map(({ entry, name }, index) =>
    isFile(entry)
      ? `  createReadStream(${JSON.stringify(nameFile(name, index))}),`
      : `  await toFile(await fetch(${JSON.stringify(entry)})),`,
  );
  const reads = hasMask || images.some(({ entry }) => isFile(entry));
  const fetches = images.some(({ entry }) => !isFile(entry));
  const mask = hasMask ? `, mask: createReadStream('${MASK_FILE}')` : '';
  return [
    ...(reads ? ["import { createReadStream } from 'node:fs';"] : []),
    `import OpenAI${fetches ? ', { toFile }' : ''} from 'openai';`,
    '',
    `const openai = new OpenAI({ baseURL: '${baseUrl}/openai/v1', apiKey: process.env.IMAGE_GATEWAY_KEY });`,
    ...(isEdit ? [`const image = [\n${sources.join('\n')}\n];`] : []),
    `const request = ${json(fields)};`,
    `const { data } = await openai.images.${isEdit ? `edit({ ...request, image${mask} })` : 'generate(request)'};`,
    'console.log(data.map(({ url }) => url));',
  ].join('\n');
}

/** Path of edits in the protocol of OpenAI, which takes masks. */
const EDITS = '/openai/v1/images/edits';

/** Writes a request as the facade takes it. */
function toEdit(request: DraftRequest) {
  const { model, prompt, negative_prompt: avoid, num_outputs: n, image_urls: images, ...others } = request;
  return {
    model,
    prompt: avoid ? `${prompt}\n\nAvoid: ${avoid}` : prompt,
    n,
    ...others,
    response_format: 'url',
    ...(images && { images }),
  };
}

const isFile = (entry: string | null): boolean => entry?.startsWith('file_') ?? false;

/** Name of an uploaded file: its own, in plain characters, or one by its place where that is not known any more. */
const nameFile = (name: string, index: number): string =>
  isFile(name) ? `image-${index + 1}.png` : name.replace(/[^\w.-]/g, '_');

/** Says in comments how files came to the gateway, and where a mask is read from. */
function explain({ baseUrl, images, hasMask }: Sample, mark: '#' | '//'): readonly string[] {
  const lines = images.flatMap(({ entry, name }, index) => {
    const file = nameFile(name, index);
    return isFile(entry)
      ? [
          `${entry} is ${file}, uploaded with POST /v1/files. It is deleted 24 hours after its last use; then:`,
          `curl -s ${baseUrl}/v1/files -H "Authorization: Bearer $IMAGE_GATEWAY_KEY" -F file=@${file}`,
        ]
      : [];
  });
  const mask = hasMask
    ? [`The mask is read from ${MASK_FILE}. Masks go to the OpenAI-compatible API: /v1/generate takes none.`]
    : [];
  return [...lines, ...mask].map((line) => `${mark} ${line}`);
}
