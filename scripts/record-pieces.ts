/**
 * `npm run pieces`: in which pieces do real clients send a request body of 1 MB, and agents a prompt of 100 KB? Each client calls a server that
 * counts what its parser hands over, as the gateway does; the table is that of docs/operate/exposed.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { generateText } from 'ai';
import OpenAI from 'openai';
import { AGENT_NAMES, AGENTS, type AgentName } from './agents/agents.ts';
import { installAgent } from './agents/install.ts';
import { startAgent } from './agents/play.ts';
import { runAs } from './services/unprivileged.ts';

const BODY_BYTES = 1024 * 1024;
const WORDS = 'word '.repeat(BODY_BYTES / 5);
const CHAT = JSON.stringify({ model: 'any', messages: [{ role: 'user', content: WORDS }] });
/** Linux takes no longer argument of a program. */
const PROMPT = 'word '.repeat(20_000);
const PYTHON = fileURLToPath(new URL('../.venv/bin/python', import.meta.url));
/** What programs that write a body themselves hand over at a time. */
const WRITES = [1024, 65_536];

type Recorded = { readonly framing: string; readonly wire: number; readonly sizes: readonly number[] };

/** The largest body of the client that is asked. */
let largest: Recorded | undefined;

/** An answer that every SDK can parse, whichever protocol it speaks. */
const ANSWER = JSON.stringify({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  type: 'message',
  role: 'assistant',
  model: 'any',
  content: [{ type: 'text', text: 'ok' }],
  stop_reason: 'end_turn',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP', index: 0 }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, input_tokens: 1, output_tokens: 1 },
});

function record(incoming: IncomingMessage): Promise<Recorded> {
  const sizes: number[] = [];
  incoming.on('data', (piece: Buffer) => sizes.push(piece.length));
  const framing = incoming.headers['transfer-encoding'] === undefined ? 'content-length' : 'chunked';
  return new Promise((resolve) =>
    incoming.once('end', () => resolve({ framing, wire: incoming.socket.bytesRead, sizes })),
  );
}

const server = createServer(async (incoming, response) => {
  const seen = await record(incoming);
  if (largest === undefined || seen.wire > largest.wire) largest = seen;
  // One request for each connection, so that its bytes are those of the request.
  response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end(ANSWER);
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const folder = mkdtempSync(join(tmpdir(), 'pieces-'));
chmodSync(folder, 0o755);
const file = join(folder, 'body.json');
writeFileSync(file, CHAT);

const user = { role: 'user' as const, content: WORDS };

async function command(program: string, args: readonly string[]): Promise<void> {
  const [code] = await once(spawn(program, args, { stdio: 'ignore' }), 'close');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

const streamed = (bytes: number): Readable =>
  Readable.from(
    Array.from({ length: Math.ceil(CHAT.length / bytes) }, (_, at) => CHAT.slice(at * bytes, (at + 1) * bytes)),
  );

async function throughHttp(bytes: number): Promise<void> {
  const outgoing = request(url, { method: 'POST' });
  streamed(bytes).pipe(outgoing);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
}

async function throughFetch(bytes: number): Promise<void> {
  const body = Readable.toWeb(streamed(bytes).map((piece: string) => Buffer.from(piece)));
  await (await fetch(url, { method: 'POST', body: body as ReadableStream, duplex: 'half' })).text();
}

async function throughAgent(name: AgentName): Promise<void> {
  const home = join(folder, name);
  const model = { model: 'openai/gpt-5.5', readsPictures: true };
  const desk = { gatewayUrl: url, key: 'sk', ...model, home, folder: join(home, 'work') };
  mkdirSync(desk.folder, { recursive: true });
  writeFileSync(join(desk.folder, 'notes.txt'), 'Notes\n');
  const launch = AGENTS[name].launch(desk, PROMPT, { resume: false, compact: false });
  // It may not like the answers: it is stopped as soon as it has sent the prompt.
  const hasAsked = () => largest !== undefined && largest.wire > PROMPT.length;
  const program = { ...installAgent(name, false), as: runAs('nobody') };
  await startAgent(program, desk, launch, hasAsked);
}

const python = (client: string): string => `
import sys
words = 'word ' * (${BODY_BYTES} // 5)
${client}`;

const CLIENTS: Readonly<Record<string, () => Promise<unknown>>> = {
  'openai (JavaScript)': () =>
    new OpenAI({ apiKey: 'sk', baseURL: `${url}/v1` }).chat.completions.create({ model: 'any', messages: [user] }),
  '@anthropic-ai/sdk': () =>
    new Anthropic({ apiKey: 'sk', baseURL: url }).messages.create({ model: 'any', max_tokens: 10, messages: [user] }),
  '@google/genai': () =>
    new GoogleGenAI({ apiKey: 'sk', httpOptions: { baseUrl: url } }).models.generateContent({
      model: 'any',
      contents: WORDS,
    }),
  'ai with @ai-sdk/openai': () =>
    generateText({ model: createOpenAI({ apiKey: 'sk', baseURL: `${url}/v1` }).chat('any'), prompt: WORDS }),
  'fetch, body as a string': async () => (await fetch(url, { method: 'POST', body: CHAT })).text(),
  ...Object.fromEntries(WRITES.map((bytes) => [`fetch, a stream of ${bytes} bytes each`, () => throughFetch(bytes)])),
  ...Object.fromEntries(WRITES.map((bytes) => [`node:http, writes of ${bytes} bytes each`, () => throughHttp(bytes)])),
  'curl --data-binary': () => command('curl', ['-s', '--data-binary', `@${file}`, url]),
  'curl -T, chunked': () => command('curl', ['-s', '-X', 'POST', '-H', 'Transfer-Encoding: chunked', '-T', file, url]),
  ...(existsSync(PYTHON) && {
    'openai (Python)': () =>
      command(PYTHON, [
        '-Bc',
        python(`from openai import OpenAI
OpenAI(api_key='sk', base_url='${url}/v1').chat.completions.create(model='any', messages=[{'role': 'user', 'content': words}])`),
      ]),
    'anthropic (Python)': () =>
      command(PYTHON, [
        '-Bc',
        python(`from anthropic import Anthropic
Anthropic(api_key='sk', base_url='${url}').messages.create(model='any', max_tokens=10, messages=[{'role': 'user', 'content': words}])`),
      ]),
  }),
  ...Object.fromEntries(AGENT_NAMES.map((name) => [name, () => throughAgent(name)])),
};

console.log(
  '| Client | Framing | Pieces | Smallest but the last | Mean, bytes | Bytes on the wire for each of the body |',
);
console.log('|---|---|---|---|---|---|');
for (const [name, send] of Object.entries(CLIENTS)) {
  largest = undefined;
  // Whether a client likes the answer is not asked here.
  await send().catch(() => undefined);
  const seen = largest as Recorded | undefined;
  if (seen === undefined) {
    console.log(`| ${name} | sent nothing | | | | |`);
    continue;
  }
  const { framing, wire, sizes } = seen;
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const smallest = Math.min(...(sizes.length > 1 ? sizes.slice(0, -1) : sizes));
  const mean = Math.round(total / sizes.length);
  console.log(`| ${name} | ${framing} | ${sizes.length} | ${smallest} | ${mean} | ${(wire / total).toFixed(2)} |`);
}
server.close();
server.closeAllConnections();
rmSync(folder, { recursive: true });
