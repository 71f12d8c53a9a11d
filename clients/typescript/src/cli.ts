#!/usr/bin/env node
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ImageGateway } from './client.js';
import { ImageGatewayError } from './errors.js';
import { findImageType } from './inputs.js';
import type { GenerateRequest, Model, TaskCompleted } from './types.js';

const USAGE = `Usage: image-gateway generate PROMPT [options]

  --out FILE              where to write the image (default: image, with the ending of its format);
                          further ones become FILE-2, FILE-3 …
  --edit FILE             edit this image; can be given several times. Without --aspect-ratio the result gets
                          the shape of the model that is nearest to the first one
  --n N                   how many images
  --model ID              default: the first model on offer
  --aspect-ratio R        such as 16:9
  --resolution R          1k, 2k or 4k
  --quality Q             low, medium, high, xhigh or max, where the model has prices by quality
  --seed N                for models that take one
  --negative-prompt TEXT  what to avoid
  --idempotency-key KEY   a repetition with the same key buys nothing again for 24 hours
  --json                  print the task and the names of its files as JSON
  -h, --help              print this

IMAGE_GATEWAY_URL is the address of the gateway, IMAGE_GATEWAY_KEY an API key.`;

const OPTIONS = {
  out: { type: 'string', default: 'image' },
  edit: { type: 'string', multiple: true },
  n: { type: 'string' },
  model: { type: 'string' },
  'aspect-ratio': { type: 'string' },
  resolution: { type: 'string' },
  quality: { type: 'string' },
  seed: { type: 'string' },
  'negative-prompt': { type: 'string' },
  'idempotency-key': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const parse = (args: string[]) => parseArgs({ args, options: OPTIONS, allowPositionals: true });
type Values = ReturnType<typeof parse>['values'];

/** Bytes that find room in a body as base64. */
const MAX_INLINE_BYTES = 10 * 1024 * 1024;

/** The command was not understood. */
class UsageError extends Error {}

function chooseModel(models: readonly Model[], { model, edit = [] }: Values): Model {
  const type = edit.length > 0 ? 'image_edit' : 'image_generate';
  const found = models.find(({ id, types }) => (model === undefined ? types.includes(type) : id === model));
  if (found === undefined) {
    const names = models.map(({ id }) => id).join(', ');
    throw new UsageError(
      model === undefined ? 'No model on offer can do that.' : `--model is one of ${names}.`,
    );
  }
  return found;
}

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text !== undefined && !/^\d+$/.test(text)) {
    throw new UsageError(`--${name} must be a whole number.`);
  }
  return text === undefined ? undefined : Number(text);
}

/** Format that the name of the output file asks for, where the model can be asked for one. */
function chooseFormat({ accepts }: Model, out: string): GenerateRequest['output_format'] {
  const format = path.extname(out).slice(1).toLowerCase().replace('jpg', 'jpeg');
  return accepts.output_format?.find((one) => one === format);
}

/** Images as data URLs, so that a repetition of the command is the same request; what is too large for that is uploaded. */
async function readInputs(gateway: ImageGateway, files: readonly string[]): Promise<string[]> {
  const images = await Promise.all(files.map((file) => readFile(file)));
  const isSmall = images.reduce((sum, { length }) => sum + length, 0) <= MAX_INLINE_BYTES;
  const address = async (image: Buffer): Promise<string> =>
    isSmall
      ? `data:${findImageType(image)};base64,${image.toString('base64')}`
      : (await gateway.files.upload(image)).url;
  return Promise.all(images.map(address));
}

async function buildRequest(gateway: ImageGateway, prompt: string, values: Values): Promise<GenerateRequest> {
  const model = chooseModel(await gateway.models(), values);
  const urls = await readInputs(gateway, values.edit ?? []);
  const fields = {
    num_outputs: readNumber('n', values.n),
    aspect_ratio: values['aspect-ratio'],
    resolution: values.resolution,
    quality: values.quality,
    seed: readNumber('seed', values.seed),
    negative_prompt: values['negative-prompt'],
    output_format: chooseFormat(model, values.out),
    image_urls: urls.length > 0 ? urls : undefined,
  };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  // The gateway judges the values, and says what is possible.
  return { model: model.id, prompt, ...given };
}

async function writeImages(gateway: ImageGateway, { output }: TaskCompleted, out: string): Promise<string[]> {
  const { dir, name, ext } = path.parse(out);
  const files: string[] = [];
  for (const [index, url] of output.urls.entries()) {
    const came = path.extname(new URL(url).pathname);
    const file = path.join(dir, `${name}${index === 0 ? '' : `-${index + 1}`}${ext || came}`);
    await writeFile(file, await gateway.files.download(url));
    files.push(file);
    if (ext !== '' && came !== ext.toLowerCase().replace('.jpeg', '.jpg')) {
      process.stderr.write(
        `${file} holds ${came.slice(1).toUpperCase()}: the model draws no other format.\n`,
      );
    }
  }
  return files;
}

/** Shows that something happens, where somebody looks. */
function showProgress(): () => void {
  if (!process.stderr.isTTY) {
    return () => undefined;
  }
  const started = Date.now();
  const timer = setInterval(() => {
    process.stderr.write(`\rDrawing… ${Math.round((Date.now() - started) / 1_000)} s `);
  }, 250);
  return () => {
    clearInterval(timer);
    process.stderr.write('\r\x1b[K');
  };
}

/** Throws UsageError for variables without which nothing can be asked. */
function requireVariables(): void {
  for (const name of ['IMAGE_GATEWAY_URL', 'IMAGE_GATEWAY_KEY']) {
    if (!process.env[name]?.trim()) {
      throw new UsageError(
        `Set ${name}: the command reads address and API key from IMAGE_GATEWAY_URL and IMAGE_GATEWAY_KEY.`,
      );
    }
  }
}

async function generate(prompt: string, values: Values): Promise<void> {
  requireVariables();
  const gateway = new ImageGateway();
  const stop = showProgress();
  let task: TaskCompleted;
  try {
    const request = await buildRequest(gateway, prompt, values);
    task = await gateway.subscribe(request, { idempotencyKey: values['idempotency-key'] });
  } finally {
    stop();
  }
  const files = await writeImages(gateway, task, values.out);
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ ...task, files })}\n`
      : `${files.join('\n')}\n${task.id} ${task.cost}\n`,
  );
}

function printError(error: unknown, isJson: boolean): void {
  const { code, idempotencyKey, task }: Partial<ImageGatewayError> =
    error instanceof ImageGatewayError ? error : {};
  const message = error instanceof Error ? error.message : String(error);
  if (isJson) {
    process.stdout.write(
      `${JSON.stringify({ error: { code, message, task, idempotency_key: idempotencyKey } })}\n`,
    );
    return;
  }
  process.stderr.write(`${code === undefined ? '' : `${code}: `}${message}\n`);
  if (idempotencyKey !== undefined && code === undefined) {
    process.stderr.write(`Repeat it with --idempotency-key ${idempotencyKey}: that buys nothing twice.\n`);
  }
}

async function main(args: string[]): Promise<number> {
  let isJson = args.includes('--json');
  try {
    const { values, positionals } = parse(args);
    isJson = values.json;
    const [command, prompt, ...rest] = positionals;
    if (values.help) {
      process.stdout.write(`${USAGE}\n`);
      return 0;
    }
    if (command !== 'generate' || prompt === undefined || rest.length > 0) {
      throw new UsageError(`The command is: image-gateway generate "a red fox in the snow" --out fox.png`);
    }
    await generate(prompt, values);
    return 0;
  } catch (error) {
    printError(error, isJson);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
