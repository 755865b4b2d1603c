/**
 * One response, in given pieces, to both clients: what each made of it, and what the next request on the same pool got.
 * Both read with the same parser; what is compared is everything around it.
 */
import type { Heard } from '../../packages/gateway/src/upstream/call.fixture.ts';
import { call } from '../../packages/gateway/src/upstream/call.fixture.ts';
import { reply } from '../../packages/gateway/src/upstream/raw-server.fixture.ts';
import { SocketUpstream } from '../../packages/gateway/src/upstream/socket-upstream.ts';
import { UndiciUpstream } from '../../packages/gateway/src/upstream/undici-upstream.ts';
import { FakeNetwork } from './fake-network.ts';

export type Outcome = {
  /** `hung` where neither an end nor a failure was reported, although the upstream had closed. */
  readonly result: 'ended' | 'failed' | 'hung';
  readonly status: number;
  readonly text: string;
  /** The answer was complete before the upstream closed. */
  readonly before: boolean;
  /** Of a request made afterwards. */
  readonly next: string;
  readonly isReused: boolean;
};

const OPTIONS = { connectionsPerOrigin: 1, connectMs: 1000, keepAliveMs: 60_000, ca: [] };
const NEXT = 'the next answer';
/** More turns than either client needs to report anything. */
const MAX_TURNS = 20;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function until(isSo: () => boolean): Promise<boolean> {
  for (let turns = 0; turns < MAX_TURNS; turns++) {
    if (isSo()) return true;
    await turn();
  }
  return isSo();
}

export async function outcomeOf(
  Client: typeof SocketUpstream | typeof UndiciUpstream,
  pieces: readonly Buffer[],
): Promise<Outcome> {
  const network = new FakeNetwork();
  const upstream = new Client(OPTIONS, network.dial);
  const ask = (): Heard => call(upstream, { origin: 'http://upstream.test' }).heard;
  const isOver = ({ ended, fault }: Heard): boolean => ended || fault !== undefined;
  try {
    const heard = ask();
    await until(() => network.sockets.length > 0 && network.last.sent !== '');
    const socket = network.last;
    for (const piece of pieces) {
      socket.feed(piece);
      await turn();
    }
    const before = isOver(heard);
    const isKept = before && !socket.destroyed;
    if (!before) socket.close();
    const reported = await until(() => isOver(heard));
    const next = ask();
    const sent = socket.sent.length;
    await until(() => network.last.sent !== '' && (network.last !== socket || socket.sent.length > sent));
    const isReused = isKept && network.last === socket;
    network.last.feed(Buffer.from(reply(NEXT)));
    await until(() => isOver(next));
    return {
      result: !reported ? 'hung' : heard.ended ? 'ended' : 'failed',
      status: heard.status,
      text: heard.text,
      before,
      next: next.text === NEXT && next.ended ? 'right' : `wrong: ${JSON.stringify(next)}`,
      isReused,
    };
  } finally {
    await upstream.close();
  }
}

/** What is wrong with our client, by the measure of undici; undefined where nothing is. */
export function deviation(ours: Outcome, undici: Outcome): string | undefined {
  if (ours.result === 'hung') return 'hung';
  if (ours.next !== 'right') return `the next request got something else: ${ours.next}`;
  if (ours.isReused && !undici.isReused) return 'used a connection again that undici did not';
  if (ours.result === 'failed') return undefined;
  if (undici.result !== 'ended') return 'accepted what undici did not';
  if (ours.status !== undici.status || ours.text !== undici.text) return 'read something else';
  return undefined;
}

export async function compare(pieces: readonly Buffer[]): Promise<{ ours: Outcome; undici: Outcome }> {
  const [ours, undici] = await Promise.all([outcomeOf(SocketUpstream, pieces), outcomeOf(UndiciUpstream, pieces)]);
  return { ours, undici };
}
