/** What large and unfinished transfers cost the gateway, which runs as a process of its own and is read from outside. */
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type GatewayProcess, KEY, startGatewayProcess } from '../../tests/rt/parts/gateway-process.ts';
import { peakBytes } from '../../tests/rt/parts/process-facts.ts';
import { within } from '../../tests/rt/parts/wait.ts';
import { silence } from '../../tests/support/sound-probe.ts';
import { HALTING, type Host } from './host.ts';
import { hostsOf, LISTENER, TALKER } from './models.ts';

const MIB = 1024 * 1024;
const LARGE_MIB = 24;
const TOO_LARGE_MIB = 26;
/** A second of `silence`. */
const BYTES_PER_SECOND = 16_000;
/** What a recording of 24 MB may add to the gateway, at its peak. */
const MOST_GROWN_MIB = 160;
const WAIT_MS = 30_000;
const PIECE_BYTES = 65_536;
const BOUNDARY = 'roads';

type Check = (isRight: boolean, what: string) => void;

/** The file first and the model last, in chunks, without a length. */
async function upload(url: string, sound: Buffer): Promise<number> {
  const outgoing = request(`${url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  });
  const status = new Promise<number>((resolve, reject) => {
    outgoing.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    outgoing.on('error', reject);
  });
  function* body(): Generator<Buffer> {
    const name = 'Content-Disposition: form-data; name=';
    yield Buffer.from(`--${BOUNDARY}\r\n${name}"file"; filename="talk.wav"\r\nContent-Type: audio/wav\r\n\r\n`);
    for (let at = 0; at < sound.length; at += PIECE_BYTES) yield sound.subarray(at, at + PIECE_BYTES);
    yield Buffer.from(`\r\n--${BOUNDARY}\r\n${name}"model"\r\n\r\n${LISTENER}\r\n--${BOUNDARY}--\r\n`);
  }
  // A refusal may come before all is sent, and ends the connection.
  pipeline(Readable.from(body()), outgoing).catch(() => {});
  return within('an upload is answered', status, WAIT_MS);
}

const speak = (url: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: TALKER, input: 'Two roads.', voice: HALTING, response_format: 'wav' }),
    ...(signal !== undefined && { signal }),
  });

async function checkSizes({ url, child }: GatewayProcess, host: Host, check: Check): Promise<number> {
  // Whatever is loaded on first use is no part of what a large one costs.
  await upload(url, silence(1));
  const before = peakBytes(child.pid);
  const status = await upload(url, silence((LARGE_MIB * MIB) / BYTES_PER_SECOND));
  const grown = Math.round((peakBytes(child.pid) - before) / MIB);
  const figures = `${grown} MiB more than ${Math.round(before / MIB)} at the peak`;
  check(status === 200 && grown <= MOST_GROWN_MIB, `${LARGE_MIB} MiB in chunks: status ${status}, ${figures}`);
  const requests = host.requests();
  const refused = await upload(url, silence((TOO_LARGE_MIB * MIB) / BYTES_PER_SECOND));
  const asked = host.requests() - requests;
  check(
    refused === 413 && asked === 0,
    `${TOO_LARGE_MIB} MiB in chunks: status ${refused}, ${asked} calls of the host`,
  );
  return grown;
}

async function checkFlow({ url }: GatewayProcess, host: Host, check: Check): Promise<void> {
  const leaving = new AbortController();
  const cut = await speak(url, leaving.signal);
  await cut.body?.getReader().read();
  leaving.abort();
  await within('the host is left', host.left, WAIT_MS);
  check(true, 'a caller who leaves ends the work of the host');
  const reader = (await speak(url)).body?.getReader();
  const first = await within('the first bytes', Promise.resolve(reader?.read()), WAIT_MS);
  check((first?.value?.length ?? 0) > 0, `${first?.value?.length} bytes arrive before the host has made the last`);
  host.goOn();
  let bytes = first?.value?.length ?? 0;
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) bytes += next.value.length;
  check(bytes > (first?.value?.length ?? 0), `${bytes} bytes in all`);
}

/** In MiB, what 24 MiB add at the peak. */
export async function checkLimits(host: Host, check: Check): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'sound-'));
  const gateway = await startGatewayProcess(folder, hostsOf(host.url));
  try {
    const grown = await checkSizes(gateway, host, check);
    await checkFlow(gateway, host, check);
    return grown;
  } finally {
    await gateway.child.kill();
    rmSync(folder, { recursive: true });
  }
}
