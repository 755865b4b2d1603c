/**
 * A host that sends exactly the answer of the test, byte for byte: for answers that no scenario of the simulator
 * gives. It does not validate requests.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openStand, type Stand, type StandOptions } from './stand.ts';

export type CannedUpstream = {
  readonly url: string;
  /** Sets the answer to all further requests. */
  say(answer: Canned): void;
  close(): Promise<void>;
};

export type Canned = {
  readonly status?: number;
  readonly contentType?: string;
  /** Each piece is one write. */
  readonly pieces: readonly string[];
  /** Sends only the first pieces until then. */
  readonly pause?: { readonly after: number; readonly until: Promise<unknown> };
  /** What the host does after the pieces; absent: it ends its answer. */
  readonly then?: AfterAnswer;
};

/** `junk`: frames and lines that belong to no answer, then nothing more. */
export type AfterAnswer = 'keeps it open' | 'resets it' | 'sends junk';

const JUNK = 'data: {"not": json\n\nevent: error\ndata: {"type":"error","error":{"message":"late"}}\n\n<html>\n\n';

export const plainAnswer = (body: object | string): Canned => ({
  contentType: 'application/json',
  pieces: [typeof body === 'string' ? body : JSON.stringify(body)],
});

export const streamedAnswer = (chunks: readonly (object | string)[]): Canned => ({
  contentType: 'text/event-stream',
  pieces: chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`),
});

export async function openCannedUpstream(): Promise<CannedUpstream> {
  let canned: Canned = plainAnswer({});
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => void give(response, canned));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    say: (answer) => {
      canned = answer;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function give(response: ServerResponse, canned: Canned): Promise<void> {
  const { status = 200, contentType = 'text/event-stream', pieces, pause, then } = canned;
  response.writeHead(status, { 'content-type': contentType });
  for (const [index, piece] of pieces.entries()) {
    if (index === pause?.after) await pause.until;
    response.write(piece);
  }
  if (then === undefined) response.end();
  else if (then === 'sends junk') response.write(JUNK);
  else if (then === 'resets it') response.write('', () => response.socket?.resetAndDestroy());
}

export type CannedStand = Stand & Pick<CannedUpstream, 'say'>;

/** A stand with a canned upstream beside the simulator, for hosts at its address. */
export async function openStandBesideCanned(options: (cannedUrl: string) => StandOptions): Promise<CannedStand> {
  const upstream = await openCannedUpstream();
  const stand = await openStand(options(upstream.url));
  return {
    ...stand,
    say: upstream.say,
    close: async () => {
      await stand.close();
      await upstream.close();
    },
  };
}

/** One plain model at each host, by the host's name. */
export const cannedHosts = (
  cannedUrl: string,
  hosts: Readonly<Record<string, { readonly dialect: string; readonly quirks?: object }>>,
): { providers: Record<string, unknown>; models: unknown[] } => ({
  providers: Object.fromEntries(
    Object.entries(hosts).map(([name, host]) => [name, { ...host, baseUrl: cannedUrl, credential: 'sk-canned' }]),
  ),
  models: Object.keys(hosts).map((name) => ({
    id: `${name}/any`,
    contextLength: 128_000,
    maxOutputTokens: 16_384,
    endpoints: [{ provider: name, upstreamModel: 'any' }],
  })),
});
