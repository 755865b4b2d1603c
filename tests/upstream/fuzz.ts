/** Broken responses without end: those of the corpus with bytes changed, lines moved and cuts anywhere, by a seed. */
import { seeded } from '../laws/decode-stream.ts';
import { compare, deviation, type Outcome } from './compare-clients.ts';
import { RESPONSES } from './response-corpus.ts';

const INSERTED = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  '0',
  '5',
  'f',
  '-',
  '\x80',
  '0\r\n\r\n',
  'content-length: 5\r\n',
  'content-length: 0\r\n',
  'Transfer-Encoding: chunked\r\n',
  'transfer-encoding: gzip, chunked\r\n',
  'connection: close\r\n',
  'connection: keep-alive\r\n',
  'keep-alive: timeout=1\r\n',
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 103 Early Hints\r\n\r\n',
  'HTTP/1.0 ',
] as const;
const MAX_EDITS = 4;
const MAX_CUTS = 4;
/** Cases that share the turns of the event loop. */
const AT_ONCE = 100;

type FuzzReport = {
  readonly cases: number;
  readonly ended: number;
  readonly failed: number;
  readonly reused: number;
  /** Refused by ours, accepted by undici. */
  readonly stricter: readonly string[];
  readonly deviations: readonly string[];
};

const below = (random: () => number, end: number): number => Math.floor(random() * end);

function mutated(random: () => number): string {
  let text = RESPONSES[below(random, RESPONSES.length)]?.[1] ?? '';
  for (let edits = below(random, MAX_EDITS + 1); edits > 0; edits--) {
    const at = below(random, text.length + 1);
    const length = below(random, 8);
    const [before, cut, after] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
    const inserted = INSERTED[below(random, INSERTED.length)] ?? '';
    const byte = String.fromCharCode(below(random, 256));
    text =
      [
        before + inserted + cut + after,
        before + after,
        before + cut + cut + after,
        before + byte + cut.slice(1) + after,
      ][below(random, 4)] ?? text;
  }
  return text;
}

function pieces(bytes: Buffer, random: () => number): readonly Buffer[] {
  const cuts = Array.from({ length: below(random, MAX_CUTS + 1) }, () => below(random, bytes.length + 1));
  const ends = [...cuts, bytes.length].sort((a, b) => a - b);
  return ends.map((end, number) => bytes.subarray(ends[number - 1] ?? 0, end)).filter(({ length }) => length > 0);
}

/** Where ours accepts what undici does not: an unasked 100 is skipped, and whitespace after a length is no part of it. */
const MORE_THAN_UNDICI = [/HTTP\/1\.[01] 100/, /content-length:[ \t]*\d+[ \t]/i];

async function judge(
  text: string,
  cut: readonly Buffer[],
): Promise<{ ours: Outcome; undici: Outcome; wrong?: string }> {
  const { ours, undici } = await compare(cut);
  const wrong = deviation(ours, undici);
  const isExplained = ours.next === 'right' && ours.result !== 'hung' && undici.result !== 'ended';
  if (wrong === undefined || (isExplained && MORE_THAN_UNDICI.some((known) => known.test(text))))
    return { ours, undici };
  return { ours, undici, wrong };
}

/** Stops soon after the first deviation. */
export async function fuzz(seed: number, count: number, progress?: (done: number) => void): Promise<FuzzReport> {
  const random = seeded(seed);
  const deviations: string[] = [];
  const stricter: string[] = [];
  const counts = { cases: 0, ended: 0, failed: 0, reused: 0 };
  for (let done = 0; done < count; done += AT_ONCE) {
    const cases = Array.from({ length: Math.min(AT_ONCE, count - done) }, () => {
      const text = mutated(random);
      return { text, cut: pieces(Buffer.from(text, 'latin1'), random) };
    });
    const judged = await Promise.all(cases.map(({ text, cut }) => judge(text, cut)));
    for (const [number, { ours, undici, wrong }] of judged.entries()) {
      const { text = '', cut = [] } = cases[number] ?? {};
      counts[ours.result === 'ended' ? 'ended' : 'failed']++;
      if (ours.isReused) counts.reused++;
      if (wrong !== undefined)
        deviations.push(JSON.stringify({ wrong, text, lengths: cut.map(({ length }) => length), ours, undici }));
      else if (ours.result === 'failed' && undici.result === 'ended') stricter.push(text);
    }
    counts.cases += cases.length;
    if (deviations.length > 0) break;
    progress?.(counts.cases);
  }
  return { ...counts, stricter, deviations };
}
