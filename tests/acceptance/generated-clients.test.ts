import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSharedScene, type Scene } from './support/scene.js';

/** Folder with openapi-generator of PyPI, which `.ci/generated-clients` makes. */
const generator = process.env.CLIENT_GENERATOR ?? '';
const check = generator === '' ? test.skip : test;
const root = path.resolve(import.meta.dirname, '../..');
const execute = promisify(execFile);
const python = (name: string): string => path.join(generator, 'python/bin', name);
const PRINTED = /^completed http\S+\/images\/gen_\w+\/0[.](?:png|jpg|webp)$/m;

let scene: Scene;
let folder: string;
beforeAll(async () => {
  if (generator !== '') {
    scene = await openSharedScene();
    folder = await mkdtemp(path.join(tmpdir(), 'image-gateway-generated-'));
    const document = await fetch(`${scene.product.url}/v1/openapi.json`);
    await writeFile(path.join(folder, 'openapi.json'), await document.text());
  }
}, 700_000);
afterAll(async () => {
  if (generator !== '') {
    await rm(folder, { recursive: true, force: true });
    await scene.audit();
  }
});

/** Runs a program with the address and the key of a new customer; rejects with what it printed where it fails. */
async function run(program: string, ...args: string[]): Promise<string> {
  const { key } = await scene.customer();
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    IMAGE_GATEWAY_URL: scene.product.url,
    IMAGE_GATEWAY_KEY: key,
  };
  try {
    return (await execute(program, args, { cwd: folder, env, timeout: 280_000, maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error });
  }
}

const generate = (language: string, ...more: string[]) =>
  run(
    python('openapi-generator-cli'),
    'generate',
    '-i',
    'openapi.json',
    '-g',
    language,
    '-o',
    language,
    ...more,
  );
const write = (file: string, text: string) => writeFile(path.join(folder, file), text);

check(
  'a client that openapi-generator makes in Python draws an image',
  async () => {
    await generate('python');
    await run(python('pip'), 'install', '--quiet', './python');
    await write(
      'first.py',
      `import os
import openapi_client
from openapi_client.models.generate_request import GenerateRequest

configuration = openapi_client.Configuration(
    host=os.environ["IMAGE_GATEWAY_URL"], access_token=os.environ["IMAGE_GATEWAY_KEY"]
)
with openapi_client.ApiClient(configuration) as client:
    tasks = openapi_client.TasksApi(client)
    accepted = tasks.generate(GenerateRequest(model="nanobanana", prompt="a red fox in the snow"))
    task = tasks.get_task(accepted.data.actual_instance.id, wait=30).data.actual_instance
    print(task.status, task.output.urls[0])
`,
    );
    expect(await run(python('python'), 'first.py')).toMatch(PRINTED);
  },
  300_000,
);

check(
  'a client that openapi-generator makes in Go compiles and draws an image',
  async () => {
    await generate('go', '--git-user-id=example', '--git-repo-id=gateway');
    await write(
      'go.mod',
      `module first

go 1.23

require github.com/example/gateway v0.0.0

replace github.com/example/gateway => ./go
`,
    );
    await write(
      'main.go',
      `package main

import (
	"context"
	"fmt"
	"os"

	gateway "github.com/example/gateway"
)

func must[T any](value T, _ any, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	configuration := gateway.NewConfiguration()
	configuration.Servers = gateway.ServerConfigurations{{URL: os.Getenv("IMAGE_GATEWAY_URL")}}
	ctx := context.WithValue(context.Background(), gateway.ContextAccessToken, os.Getenv("IMAGE_GATEWAY_KEY"))
	tasks := gateway.NewAPIClient(configuration).TasksAPI
	request := *gateway.NewGenerateRequest("nanobanana", "a red fox in the snow")
	accepted := must(tasks.Generate(ctx).GenerateRequest(request).Execute())
	task := must(tasks.GetTask(ctx, accepted.Data.TaskPending.Id).Wait(30).Execute()).Data.TaskCompleted
	fmt.Println(task.Status, task.Output.Urls[0])
}
`,
    );
    await run('go', 'mod', 'tidy');
    expect(await run('go', 'run', '.')).toMatch(PRINTED);
  },
  300_000,
);

check(
  'a client that openapi-generator makes in TypeScript (fetch) compiles and draws an image',
  async () => {
    await generate('typescript-fetch', '--additional-properties=importFileExtension=.js');
    await write('package.json', '{ "type": "module" }');
    await write(
      'first.ts',
      `import { Configuration, TasksApi } from './typescript-fetch/index.js';

const { IMAGE_GATEWAY_URL: basePath = '', IMAGE_GATEWAY_KEY: accessToken = '' } = process.env;
const tasks = new TasksApi(new Configuration({ basePath, accessToken }));
const accepted = await tasks.generate({ generateRequest: { model: 'nanobanana', prompt: 'a red fox in the snow' } });
const { data } = await tasks.getTask({ id: accepted.data.id, wait: 30 });
console.log(data.status, 'output' in data ? data.output.urls[0] : '');
`,
    );
    const types = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')];
    const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext'];
    const tsc = path.join(root, 'node_modules/.bin/tsc');
    await run(tsc, '--strict', '--target', 'es2022', '--lib', 'es2022,dom', ...modules, ...types, 'first.ts');
    expect(await run(process.execPath, 'first.js')).toMatch(PRINTED);
  },
  300_000,
);
