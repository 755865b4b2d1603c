// A minimal HTTP client for the simulator's own tests: exposes chunks, failures and stalls.
import { Agent, request } from 'node:http';

export interface Probe {
  status: number | undefined;
  headers: NodeJS.Dict<string | string[]>;
  readonly chunks: Buffer[];
  /** Error code if the answer did not end properly. */
  failure: string | undefined;
  readonly text: () => string;
  readonly json: () => unknown;
  readonly events: () => readonly string[];
  readonly abort: () => void;
  readonly ended: Promise<void>;
}

export interface ProbeOptions {
  readonly vendor?: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const oneShot = new Agent({ keepAlive: false });
const WAIT_LIMIT_MS = 4000;
const WAIT_STEP_MS = 2;

/** `body` is sent unchanged if it is text, else as JSON. */
export function probe(baseUrl: string, body: unknown, options: ProbeOptions = {}): Probe {
  const chunks: Buffer[] = [];
  const text = () => Buffer.concat(chunks).toString('utf8');
  let resolve = () => {};
  const ended = new Promise<void>((settle) => {
    resolve = settle;
  });
  const url = `${baseUrl}/${options.vendor ?? 'openai'}${options.path ?? '/v1/chat/completions'}`;
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json', ...options.headers };
  const outgoing = request(url, { method: options.method ?? 'POST', agent: oneShot, headers });
  const result: Probe = {
    status: undefined,
    headers: {},
    chunks,
    failure: undefined,
    text,
    json: () => JSON.parse(text()),
    events: () => dataOf(text()),
    abort: () => outgoing.destroy(),
    ended,
  };
  const fail = (error: NodeJS.ErrnoException) => {
    result.failure ??= error.code ?? error.message;
    resolve();
  };
  outgoing.on('error', fail);
  outgoing.on('response', (response) => {
    result.status = response.statusCode;
    result.headers = response.headers;
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', resolve);
    response.on('error', fail);
  });
  outgoing.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  return result;
}

/** The data of each event, strictly by the event-stream format; an unfinished event does not count. */
function dataOf(stream: string): readonly string[] {
  return stream
    .replaceAll('\r\n', '\n')
    .split('\n\n')
    .slice(0, -1)
    .map((event) =>
      event
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).replace(/^ /u, ''))
        .join('\n'),
    )
    .filter((data) => data !== '');
}

export async function waitFor(condition: () => boolean, what: string): Promise<void> {
  const limit = performance.now() + WAIT_LIMIT_MS;
  while (!condition()) {
    if (performance.now() > limit) throw new Error(`waited too long for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, WAIT_STEP_MS));
  }
}
