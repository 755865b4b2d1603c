/** Sends requests that could shift answers by one, and checks every answer against its caller: a mismatch is a desync. */
import { connect } from 'node:net';
import { type Attack, INNER, NEXT, OUTER, plainRequest } from './smuggling.ts';

/** A connection without further bytes is dropped after this time, unless an answer is still owed on it. */
const LOOK_EVERY_MS = 1500;
const OWED_LIMIT_MS = 30_000;
const AT_ONCE = 32;
const ANSWER_TO = /echo ([\w-]+ \w+)/g;

/** All bytes received on one connection until it is closed, or no answer is owed on it. */
function exchange(
  url: string,
  bytes: string,
  owesNothing: (answers: string) => boolean,
  owedLimitMs: number,
): Promise<string> {
  const { hostname, port } = new URL(url);
  const started = performance.now();
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const answers = (): string => Buffer.concat(pieces).toString('latin1');
    const socket = connect(Number(port), hostname, () => socket.write(Buffer.from(bytes, 'latin1')));
    const looking = setInterval(() => {
      if (owesNothing(answers()) || performance.now() - started > owedLimitMs) socket.destroy();
    }, LOOK_EVERY_MS);
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.on('end', () => socket.end());
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(looking);
      resolve(answers());
    });
  });
}

const askersOf = (answers: string): string[] => [...answers.matchAll(ANSWER_TO)].map(([, words = '']) => words);

export type DesyncFindings = {
  readonly attacks: number;
  readonly victims: number;
  readonly desyncs: readonly string[];
};

/** `timesSeen` returns how often the upstream received the words. */
export async function findDesyncs(
  url: string,
  attacks: readonly Attack[],
  timesSeen: (words: string) => number,
  name: string,
  owedLimitMs = OWED_LIMIT_MS,
): Promise<DesyncFindings> {
  const desyncs: string[] = [];
  let victims = 0;
  const attack = async ({ name: what, bytes }: Attack, index: number): Promise<void> => {
    const id = `${name}-${index}`;
    const own = [OUTER, INNER, NEXT].map((part) => `${id} ${part}`);
    const owesNothing = (soFar: string): boolean =>
      own.every((words) => timesSeen(words) === 0 || soFar.includes(`echo ${words}`));
    const sent = bytes(id) + plainRequest(`${id} ${NEXT}`, 'Connection: close');
    const answers = await exchange(url, sent, owesNothing, owedLimitMs);
    const askers = askersOf(answers);
    const foreign = askers.filter((words) => !own.includes(words));
    if (foreign.length > 0) desyncs.push(`${what}: got the answer to ${foreign.join()}`);
    const positions = askers.map((words) => own.indexOf(words));
    if (positions.some((position, at) => at > 0 && position <= positions[at - 1]!))
      desyncs.push(`${what}: answers out of order: ${askers.join()}`);
    // A request that reached the upstream was a request to the proxy as well, and so was answered on this connection.
    for (const words of own) {
      const times = timesSeen(words);
      if (times > 1) desyncs.push(`${what}: ${words} was sent ${times} times`);
      if (times > 0 && !askers.includes(words)) desyncs.push(`${what}: ${words} was sent, and not answered`);
    }
  };
  const victim = async (index: number): Promise<void> => {
    victims++;
    const words = `${name}-${index} victim`;
    const answers = await exchange(
      url,
      plainRequest(words, 'Connection: close'),
      (soFar) => soFar.includes('echo '),
      owedLimitMs,
    );
    if (askersOf(answers).join() !== words || !answers.startsWith('HTTP/1.1 200'))
      desyncs.push(`${words} got ${JSON.stringify(answers.slice(0, 200))}`);
  };
  for (let first = 0; first < attacks.length; first += AT_ONCE) {
    const some = attacks.slice(first, first + AT_ONCE);
    await Promise.all(some.map((each, at) => attack(each, first + at)));
    // Over connections that the attacks may have left with unread bytes.
    await Promise.all(some.map((_, at) => victim(first + at)));
  }
  return { attacks: attacks.length, victims, desyncs };
}
