import type { DraftRequest } from './draft.js';

const json = (value: unknown, indent: string): string =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);

/** A line for a shell; single quotes in the body are written as a shell wants them. */
export function curlSample(baseUrl: string, request: DraftRequest): string {
  return [
    `curl -s ${baseUrl}/v1/generate \\`,
    `  -H "Authorization: Bearer $IMAGE_GATEWAY_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(request).replaceAll("'", "'\\''")}'`,
  ].join('\n');
}

/** A module for Node: submits, then polls until the task has ended. */
export function javascriptSample(baseUrl: string, request: DraftRequest): string {
  return `const api = '${baseUrl}/v1';
const headers = {
  Authorization: \`Bearer \${process.env.IMAGE_GATEWAY_KEY}\`,
  'Content-Type': 'application/json',
};
const ask = async (path, init) => {
  const { data, error } = await (await fetch(api + path, { headers, ...init })).json();
  if (error) throw new Error(\`\${error.code}: \${error.message}\`);
  return data;
};

const request = ${json(request, '')};
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
export function pythonSample(baseUrl: string, request: DraftRequest): string {
  return `import json, os, time, urllib.error, urllib.request

API = "${baseUrl}/v1"
HEADERS = {
    "Authorization": f"Bearer {os.environ['IMAGE_GATEWAY_KEY']}",
    "Content-Type": "application/json",
}

def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(API + path, data=data, headers=HEADERS)
    try:
        answer = json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as refusal:
        answer = json.load(refusal)
    if answer["error"]:
        raise RuntimeError(f"{answer['error']['code']}: {answer['error']['message']}")
    return answer["data"]

task = ask("/generate", ${json(request, '')})
while task["status"] == "pending":
    time.sleep(2)
    task = ask(f"/tasks/{task['id']}")
print(task.get("output", {}).get("urls") or task["error"])`;
}

/** A module for Node with the package of OpenAI, which speaks to the facade. */
export function openaiSample(baseUrl: string, request: DraftRequest): string {
  const { model, prompt, negative_prompt: avoid, num_outputs: n, image_urls: images, ...others } = request;
  const fields = {
    model,
    prompt: avoid ? `${prompt}\n\nAvoid: ${avoid}` : prompt,
    n,
    ...others,
    response_format: 'url',
  };
  const files = `const image = await Promise.all(
  ${json(images ?? [], '  ')}.map(async (url) => toFile(await fetch(url))),
);
`;
  return `import OpenAI${images ? ', { toFile }' : ''} from 'openai';

const openai = new OpenAI({ baseURL: '${baseUrl}/openai/v1', apiKey: process.env.IMAGE_GATEWAY_KEY });
${images ? files : ''}const request = ${json(fields, '')};
const { data } = await openai.images.${images ? 'edit({ ...request, image })' : 'generate(request)'};
console.log(data.map(({ url }) => url));`;
}
