import { gzipSync } from 'node:zlib';
import { type Attacker, openAttacker } from './open-attacker.js';

/** Client that an attack is made with. */
export interface AttackPlan {
  readonly kind: AttackKind;
  /** Address of the API. */
  readonly url: string;
  /** Key of the attacker's account, which has money. */
  readonly apiKey: string;
  /** Key that may spend nothing. */
  readonly poorKey: string;
  /** Cookies of a session of an operator. */
  readonly operator: string;
}

type Attack = (attacker: Attacker, plan: AttackPlan) => Promise<unknown>;

const MIB = 1024 * 1024;
const DEPTH = 131_000;
const WAVE_MS = 1_000;
const STALLED = 3_000;
/** An address of a client has a small share of the connections that a process takes. */
const ADDRESSES = 60;
const SIGN_IN = '/dashboard/api/sign-in';
const JSON_TYPE = { 'content-type': 'application/json' };
const GZIP = { ...JSON_TYPE, 'content-encoding': 'gzip' };

/** Requests that one connection sends at once. */
const PIPELINED = 1_000;
/** Chunks of one body. */
const CHUNKS = 200_000;

const pipeline = (path: string) => ({
  text: `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(PIPELINED),
  end: 'starve' as const,
});
const brackets = gzipSync('['.repeat(DEPTH) + ']'.repeat(DEPTH));
const unknownKeys = JSON.stringify(
  Object.fromEntries(Array.from({ length: 22_000 }, (_, i) => [`k${i}`, 1])),
);
const manyUrls = gzipSync(
  JSON.stringify({
    model: 'nanobanana',
    prompt: 'x',
    image_urls: Array<string>(12_000).fill('http://a.co/1'),
  }),
);
const buildEdit = (images: string): Buffer =>
  Buffer.from(`{"model":"nanobanana","prompt":"sandbox:fixed","n":0,"images":[${images}]}`);
const jsonEdits = (): Buffer[] => [
  buildEdit(Array<string>(1_040_000).fill('"http://a.co/1"').join()),
  buildEdit(`"data:image/png;base64,${'A'.repeat(15 * MIB)}"`),
  buildEdit(
    Array<string>(9)
      .fill(`"data:image/png;base64,${'A'.repeat(1.7 * MIB)}"`)
      .join(),
  ),
];

/** Attacks by strangers and by holders of one key that try to end or stall a process, by name. */
const attacks = {
  /** Bodies of strangers that are small on the wire, and large and deep once they are parsed. */
  'nested-sign-ins': (attacker, { url }) =>
    attacker.inWaves(150, WAVE_MS, () => attacker.post(SIGN_IN, { ...GZIP, origin: url }, brackets)),
  'key-rich-sign-ins': (attacker, { url }) =>
    attacker.inWaves(100, WAVE_MS, () => attacker.post(SIGN_IN, { ...JSON_TYPE, origin: url }, unknownKeys)),
  /** Connections of strangers that send most of a body and stop. */
  'stalled-sign-ins': (attacker, { url }) =>
    attacker.stall(STALLED, ADDRESSES, (n) => ({
      path: SIGN_IN,
      headers: { ...JSON_TYPE, origin: url },
      // Some announce no more than a log-in may have.
      bytes: n % 2 === 0 ? 251_000 : 4_000,
    })),
  /** Connections of one key that do the same. */
  'stalled-submits': (attacker, { apiKey }) =>
    attacker.stall(STALLED, 1, () => ({
      path: '/v1/generate',
      headers: { ...JSON_TYPE, authorization: `Bearer ${apiKey}` },
      bytes: 251_000,
    })),
  /** Bodies of one key that cost much to parse or to check. */
  'nested-submits': (attacker, { apiKey }) => {
    const headers = { ...GZIP, authorization: `Bearer ${apiKey}` };
    const paths = ['/v1/generate', '/v1/quote', '/openai/v1/images/generations'];
    return attacker.inWaves(100, WAVE_MS, (n) =>
      attacker.post(paths[n % paths.length] ?? '', headers, n % 2 === 0 ? brackets : manyUrls),
    );
  },
  /** Edits of one key, 16 MiB of JSON each. */
  'large-edits': (attacker, { apiKey }) => {
    const bodies = jsonEdits();
    const headers = { ...JSON_TYPE, authorization: `Bearer ${apiKey}` };
    return attacker.inWaves(bodies.length, WAVE_MS, (n) =>
      attacker.post('/openai/v1/images/edits', headers, bodies[n % bodies.length] ?? ''),
    );
  },
  /** Forms full of images by a key that may spend nothing. */
  'refused-forms': (attacker, { poorKey }) => {
    const { type, body } = buildForm(9, 4 * MIB);
    const headers = { 'content-type': type, authorization: `Bearer ${poorKey}` };
    return attacker.inWaves(3, WAVE_MS, () => attacker.post('/openai/v1/images/edits', headers, body));
  },
  /** Connections of strangers that send hundreds of requests at once, and read no response. */
  'pipelined-pages': (attacker) => attacker.keepRaw(40, 4, () => pipeline('/docs/swagger-ui-bundle.js')),
  'pipelined-probes': (attacker) => attacker.keepRaw(150, 10, () => pipeline('/healthz')),
  /** Bodies in chunks of one byte, of strangers, to no path, and of one key. */
  'tiny-chunks': (attacker, { url, apiKey }) =>
    attacker.keepRaw(60, 3, (n) => {
      const [path, more] = (
        [
          [SIGN_IN, `Origin: ${url}`],
          ['/x', 'x: y'],
          ['/v1/quote', `Authorization: Bearer ${apiKey}`],
        ] as const
      )[n % 3] ?? ['/x', 'x: y'];
      const head = `POST ${path} HTTP/1.1\r\nContent-Type: application/json\r\n${more}\r\n`;
      return {
        text: `${head}Transfer-Encoding: chunked\r\n\r\n${'1\r\nA\r\n'.repeat(CHUNKS)}`,
        end: 'read',
      };
    }),
  /** Connections that leave the server and are reset. */
  'reset-tunnels': (attacker) =>
    attacker.keepRaw(20, 1, () => ({ text: 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', end: 'reset' })),
  /** Headers that never end. */
  'endless-headers': (attacker) =>
    attacker.keepRaw(3_000, ADDRESSES, () => ({
      text: `GET /healthz HTTP/1.1\r\nx: ${'a'.repeat(15_000)}`,
      end: 'read',
    })),
  /** Documents of an operator that are too deep, and that take the parser minutes. */
  documents: (attacker, { url, operator }) => {
    const headers = { ...JSON_TYPE, origin: url, cookie: operator };
    const sources = [
      `x: ${'['.repeat(20_000)}`,
      `x: {${Array.from({ length: 55_000 }, (_, i) => i.toString(36)).join()}}`,
    ];
    return attacker.inWaves(sources.length, WAVE_MS, (n) =>
      attacker.post(
        '/dashboard/api/operator/models/check',
        headers,
        JSON.stringify({ source: sources[n % sources.length] }),
      ),
    );
  },
} satisfies Readonly<Record<string, Attack>>;

/** Name of an attack. */
export type AttackKind = keyof typeof attacks;

/** All attacks. */
export const ATTACK_KINDS = Object.keys(attacks) as readonly AttackKind[];

/** Makes an attack until the signal; returns how often each status or error came. */
export async function runAttack(
  plan: AttackPlan,
  signal: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  const attacker = openAttacker(plan.url, signal);
  const attack: Attack = attacks[plan.kind];
  await attack(attacker, plan);
  return attacker.answers();
}

function buildForm(files: number, bytes: number): { readonly type: string; readonly body: Buffer } {
  const boundary = 'image-gateway-attack';
  const field = (name: string, value: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="image[]"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`;
  const parts = [Buffer.from(field('model', 'nanobanana') + field('prompt', 'sandbox:fixed'))];
  for (let n = 0; n < files; n++) {
    parts.push(Buffer.from(file), Buffer.alloc(bytes, 'x'), Buffer.from('\r\n'));
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return { type: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(parts) };
}
