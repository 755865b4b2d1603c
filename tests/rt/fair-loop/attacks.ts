/** The attacks of the full form. Names are what `TRIVIUM_RT_ONLY` selects by their beginning. */
import { OPERATOR_SECRET } from '../parts/gateway-process.ts';
import { type Attack, isEnded, isRefused } from './attack.ts';
import { LATER_ATTACKS } from './attacks-later.ts';
import {
  type Chunks,
  call,
  inChunks,
  KEYS,
  type Model,
  type Protocol,
  pipelined,
  text,
  toolCalls,
  whole,
} from './wire.ts';

const { attacker } = KEYS;
const OK: Model = 'c/ok';
const PROBES_MANY = 60_000;
const LISTS_MANY = 50_000;
const STREAMS_END_MS = 10_000;

const body = (mb: number, protocol: Protocol = 'chat'): ReturnType<typeof call> =>
  call({ protocol, model: OK, content: text(mb) });

const chunked =
  (mb: number, chunks: Chunks, key?: string, protocol: Protocol = 'chat') =>
  (): Buffer[] => {
    const { path, body: bytes } = body(mb, protocol);
    return [inChunks(path, bytes, chunks, key === undefined ? {} : { key })];
  };

/** Callers of a host that answers as the model says. */
const upstream =
  (
    model: Model,
    { protocol = 'chat', stream = true }: { readonly protocol?: Protocol; readonly stream?: boolean } = {},
  ) =>
  (): Buffer[] => {
    const { path, body: bytes } = call({ protocol, model, stream });
    return [whole(path, bytes, { key: attacker })];
  };

const plain = { stream: false };

const FORM_BOUNDARY = 'boundary-of-rt';
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

function form(mb: number): Buffer {
  const field = (name: string, value: string): string =>
    `--${FORM_BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const file = `--${FORM_BOUNDARY}\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n`;
  const filler = Buffer.alloc(mb * 1024 * 1024, 'A');
  const opening = field('model', 'i/image') + field('prompt', 'hello') + file;
  return Buffer.concat([Buffer.from(opening), PNG, filler, Buffer.from(`\r\n--${FORM_BOUNDARY}--\r\n`)]);
}

const formInBytes = (): Buffer[] => [
  inChunks(
    '/api/v1/images/edits',
    form(2),
    { bytes: 1 },
    {
      key: attacker,
      type: `multipart/form-data; boundary=${FORM_BOUNDARY}`,
    },
  ),
];

const accountInBytes = (): Buffer[] => [
  inChunks(
    '/admin/v1/accounts',
    Buffer.from(JSON.stringify({ id: 'x', name: 'x'.repeat(1_000_000) })),
    { bytes: 1 },
    {
      key: OPERATOR_SECRET,
    },
  ),
];

const unknownMembers =
  (model: Model, protocol: Protocol, count: number, member: (at: number) => string) => (): Buffer[] => {
    const more = `,${Array.from({ length: count }, (_, at) => member(at)).join()}`;
    const { path, body: bytes } = call({ protocol, model, more });
    return [whole(path, bytes, { key: attacker })];
  };

const surrogates = (): Buffer[] => {
  const { path, body: bytes } = call({ model: OK, content: text(3, '\\ud83d\\ude00') });
  return [whole(path, bytes, { key: attacker })];
};

const history = (model: Model, count: number) => (): Buffer[] => {
  const { path, body: bytes } = toolCalls(model, count);
  return [whole(path, bytes, { key: attacker })];
};

const large = (model: Model, mb: number) => (): Buffer[] => {
  const { path, body: bytes } = call({ model, content: text(mb, 'a ') });
  return [whole(path, bytes, { key: attacker })];
};

const idempotent = (count: number) => (): Buffer[] => {
  const { path, body: bytes } = call({ model: 'c/json.7000000', content: text(28, 'a ') });
  return Array.from({ length: count }, (_, at) =>
    whole(path, bytes, { key: attacker, lines: `idempotency-key: fair-loop-${at}\r\n` }),
  );
};

const escapedMember = (at: number): string => `"\\u0067eneration${at}":{"candidateCount":1}`;
const smallMember = (at: number): string => `"unknown${at}":{"a":[1,2,3]}`;
const ONE_BYTE: Chunks = { bytes: 1 };

const Q1: readonly Attack[] = [
  {
    name: 'Q1 16 × 0.35 MB in 1-byte chunks, no key',
    connections: 16,
    wires: chunked(0.35, ONE_BYTE),
    floor: '401' as const,
  },
  {
    name: 'Q1 256 × 0.35 MB in 1-byte chunks, no key',
    connections: 256,
    wires: chunked(0.35, ONE_BYTE),
    floor: '401' as const,
  },
].map((each) => ({ ...each, group: 'Q1' }));

const probes = (): Buffer[] => [pipelined('/livez', PROBES_MANY)];

const Q2: readonly Attack[] = [
  ...[4, 16, 32, 256].map((connections) => ({
    name: `Q2 ${connections} × ${PROBES_MANY} pipelined probes`,
    connections,
    wires: probes,
    floor: 'first' as const,
    cutMs: 20_000,
  })),
  {
    name: 'Q2 8 × pipelined lists of models, no key',
    connections: 8,
    wires: () => [pipelined('/api/v1/models', LISTS_MANY)],
    cutMs: 10_000,
  },
  {
    name: 'Q2 8 × pipelined probes, admin listener',
    connections: 8,
    listener: 'admin' as const,
    wires: probes,
    cutMs: 15_000,
  },
  { name: 'Q2 1 × 1,000 pipelined chats', connections: 1, wires: () => pipelinedChats(1000), cutMs: 8000 },
].map((each) => ({ ...each, group: 'Q2' }));

function pipelinedChats(times: number): Buffer[] {
  const { path, body: bytes } = call({ model: OK });
  return [Buffer.from(whole(path, bytes, { key: attacker, last: false }).toString().repeat(times))];
}

const Q3: readonly Attack[] = [
  { name: 'Q3 1 × 2 MB in 1-byte chunks', connections: 1, wires: chunked(2, ONE_BYTE, attacker), memory: true },
  { name: 'Q3 4 × 0.5 MB in 1-byte chunks', connections: 4, wires: chunked(0.5, ONE_BYTE, attacker), memory: true },
  { name: 'Q3 32 × 0.25 MB in 1-byte chunks', connections: 32, wires: chunked(0.25, ONE_BYTE, attacker), memory: true },
  {
    name: 'Q3 4 × 8 MB in 16-byte chunks with 200 bytes of extensions',
    connections: 4,
    wires: chunked(8, { bytes: 16, extension: 200 }, attacker),
    memory: true,
  },
  { name: 'Q3 4 × form of 2 MB in 1-byte chunks', connections: 4, wires: formInBytes, memory: true },
  ...(['responses', 'messages', 'generate'] as const).map((protocol) => ({
    name: `Q3 4 × 0.5 MB in 1-byte chunks, ${protocol}`,
    connections: 4,
    wires: chunked(0.5, ONE_BYTE, attacker, protocol),
    memory: true,
  })),
  {
    name: 'Q3 16 × 1 MB in 1-byte chunks, admin listener',
    connections: 16,
    listener: 'admin' as const,
    wires: accountInBytes,
    cutMs: 15_000,
  },
].map((each) => ({ ...each, group: 'Q3', expects: isRefused }));

const Q4: readonly Attack[] = [
  ...[1, 4, 32].flatMap((connections) => [
    {
      name: `Q4 ${connections} × 60 MB answers of text`,
      connections,
      wires: upstream('c/json.60000000', plain),
      memory: true,
    },
    {
      name: `Q4 ${connections} × 54 MB answers of small objects`,
      connections,
      wires: upstream('c/objects.6000000', plain),
      memory: true,
    },
  ]),
  {
    name: 'Q4 32 × 60 MB answers, translated',
    connections: 32,
    wires: upstream('c/json.60000000', { protocol: 'messages', stream: false }),
    memory: true,
  },
  {
    name: 'Q4 1 slow reader of 60 MB',
    connections: 1,
    wires: upstream('c/json.60000000', plain),
    reads: 'slowly' as const,
    cutMs: 10_000,
    memory: true,
  },
].map((each) => ({ ...each, group: 'Q4' }));

const floods = ['empty', 'comments', 'blank', 'interim', 'extensions'] as const;

const Q5: readonly Attack[] = [
  { name: 'Q5 1 × 300,000 events of one letter', connections: 1, wires: upstream('c/tiny.300000.1') },
  { name: 'Q5 32 × 30,000 events of one letter', connections: 32, wires: upstream('c/tiny.30000.1') },
  {
    name: 'Q5 32 × 30,000 events of one letter, translated',
    connections: 32,
    wires: upstream('c/tiny.30000.1', { protocol: 'messages' }),
  },
  ...floods.map((kind) => ({
    name: `Q5 32 × endless ${kind}`,
    connections: 32,
    wires: upstream(`c/${kind}.0.200`),
    cutMs: STREAMS_END_MS,
    expects: isEnded(),
  })),
  ...(['chat', 'messages'] as const).map((protocol) => ({
    name: `Q5 200 slow readers, ${protocol === 'chat' ? 'verbatim' : 'translated'}`,
    connections: 200,
    wires: upstream('c/tiny.3000000.20', { protocol }),
    reads: 'slowly' as const,
    cutMs: STREAMS_END_MS,
  })),
].map((each) => ({ ...each, group: 'Q5' }));

const Q6: readonly Attack[] = [
  {
    name: 'Q6 40 × 60,000 tool calls beside another account',
    group: 'Q6',
    connections: 40,
    wires: history('a/ok', 60_000),
    besides: 'large chats',
  },
];

const Q7: readonly Attack[] = [
  ...[32, 128].map((connections) => ({
    name: `Q7 ${connections} × 9,000 unknown escaped members, generate`,
    connections,
    wires: unknownMembers(OK, 'generate', 9000, escapedMember),
  })),
  {
    name: 'Q7 32 × 9,900 unknown members, chat',
    connections: 32,
    wires: unknownMembers(OK, 'chat', 9900, smallMember),
  },
  { name: 'Q7 32 × 3 MB of escaped surrogates', connections: 32, wires: surrogates },
  { name: 'Q7 32 × 1,800 tool calls', connections: 32, wires: history('a/ok', 1800) },
].map((each) => ({ ...each, group: 'Q7' }));

const Q8: readonly Attack[] = [
  ...[1, 32].flatMap((connections) => [
    { name: `Q8 ${connections} × 31 MB`, connections, wires: large('c/ok', 31), memory: true },
    { name: `Q8 ${connections} × 31 MB, translated`, connections, wires: large('a/ok', 31), memory: true },
  ]),
  {
    name: 'Q8 50 idempotency keys × 28 MB and 7 MB',
    connections: 50,
    wires: idempotent(50),
    inTurn: true,
    memory: true,
  },
].map((each) => ({ ...each, group: 'Q8' }));

export const ATTACKS: readonly Attack[] = [...Q1, ...Q2, ...Q3, ...Q4, ...Q5, ...Q6, ...Q7, ...Q8, ...LATER_ATTACKS];
