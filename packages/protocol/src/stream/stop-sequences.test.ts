import { describe, expect, test } from 'vitest';
import type { TextAnswer } from '../canonical/answer.ts';
import type { Citation, TokenLogprob } from '../canonical/content.ts';
import type { Event } from '../canonical/events.ts';
import { fold, grammarProblem, StopWatch, stoppedAnswer } from './index.ts';

const ESTIMATE = { prompt: 7, completion: 1 };
const START: Event = { type: 'answer-start', id: 'a', model: 'm' };
const END: Event = { type: 'answer-end', candidate: 0, finish: { reason: 'stop' } };
const textOf = (pieces: readonly string[], index = 0): Event[] => [
  { type: 'block-start', index, candidate: 0, block: { kind: 'text' } },
  ...pieces.map((text): Event => ({ type: 'block-delta', index, text })),
  { type: 'block-end', index },
];
const streamOf = (pieces: readonly string[]): Event[] => [START, ...textOf(pieces), END];

function watched(events: readonly Event[], ...sequences: string[]): Event[] {
  const watch = new StopWatch(sequences, () => ESTIMATE);
  return events.flatMap((event) => watch.push(event));
}
function shown(events: readonly Event[], ...sequences: string[]) {
  const out = watched(events, ...sequences);
  expect(grammarProblem(out)).toBeUndefined();
  const [candidate] = fold(out).candidates;
  const text = candidate?.blocks.map((block) => (block.kind === 'text' ? block.text : `<${block.kind}>`)).join('|');
  return { text, finish: candidate?.finish };
}
const MATCHED = (stopMatched: string) => ({ reason: 'stop-sequence', stopMatched });

describe('where text is cut', () => {
  const cases: readonly [string, string, readonly string[], string, string | undefined][] = [
    ['in the middle', 'one END two', ['END'], 'one ', 'END'],
    ['at the very start', 'END', ['END'], '', 'END'],
    ['nowhere', 'one EN two', ['END'], 'one EN two', undefined],
    ['not in another case', 'one end two', ['END'], 'one end two', undefined],
    ['at the first of several', 'a b c', ['c', 'b'], 'a ', 'b'],
    ['at what is complete first, not at what begins first', 'abcd', ['abcd', 'bc'], 'a', 'bc'],
    ['at the longer of two that end together', 'x--END', ['END', '--END'], 'x', '--END'],
    ['after a false start that overlaps', 'aaab', ['aab'], 'a', 'aab'],
    ['after a false start of its own beginning', 'ababac', ['abac'], 'ab', 'abac'],
    ['at a line end', 'one\n\ntwo', ['\n\n'], 'one', '\n\n'],
    ['at a sign of two units', 'ok 🛑 no', ['🛑'], 'ok ', '🛑'],
    ['never at an empty sequence', 'text', [''], 'text', undefined],
  ];
  test.each(cases)('%s', (_, text, sequences, before, matched) => {
    const finish = matched === undefined ? { reason: 'stop' } : MATCHED(matched);
    // The result is the same for every division into pieces.
    for (const pieces of [[text], [...Array(text.length).keys()].map((at) => text[at] ?? '')])
      expect(shown(streamOf(pieces), ...sequences)).toEqual({ text: before, finish });
    for (let cut = 1; cut < text.length; cut++)
      expect(shown(streamOf([text.slice(0, cut), text.slice(cut)]), ...sequences)).toEqual({ text: before, finish });
    const whole = stoppedAnswer(fold(streamOf([text])), sequences);
    expect(whole.candidates[0]?.finish).toEqual(finish);
    expect(whole.candidates[0]?.blocks ?? []).toEqual(before === '' ? [] : [{ kind: 'text', text: before }]);
  });

  test('a long text is cut like a naive search would, for any pieces', () => {
    let seed = 1;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const word = (length: number): string => Array.from({ length }, () => 'ab'[random(2)]).join('');
    for (let run = 0; run < 2000; run++) {
      const text = word(random(40));
      const sequences = Array.from({ length: 1 + random(3) }, () => word(1 + random(5)));
      const ends = sequences.flatMap((each) => (text.includes(each) ? [text.indexOf(each) + each.length] : []));
      const first = Math.min(...ends);
      const matched = sequences
        .filter((each) => text.slice(0, first).endsWith(each))
        .sort((a, b) => b.length - a.length)[0];
      const expected = ends.length === 0 ? text : text.slice(0, first - (matched?.length ?? 0));
      const pieces: string[] = [];
      for (let at = 0; at < text.length; ) {
        const length = 1 + random(4);
        pieces.push(text.slice(at, at + length));
        at += length;
      }
      expect(shown(streamOf(pieces), ...sequences).text).toBe(expected);
    }
  });
});

describe('what is held back', () => {
  test('nothing that cannot become a stop sequence', () => {
    const watch = new StopWatch(['ENDING'], () => ESTIMATE);
    watch.push({ type: 'block-start', index: 0, candidate: 0, block: { kind: 'text' } });
    const push = (text: string): string =>
      watch
        .push({ type: 'block-delta', index: 0, text })
        .map((passed) => (passed.type === 'block-delta' ? passed.text : ''))
        .join('');
    expect(['some words', ' EN', 'D', 'S. E', 'x'].map(push)).toEqual(['some words', ' ', '', 'ENDS. ', 'Ex']);
  });
  test('the rest is sent when the text ends', () => {
    expect(shown(streamOf(['one EN']), 'END').text).toBe('one EN');
  });
});

describe('what is searched', () => {
  test('text, but neither thinking nor tool calls', () => {
    const events: Event[] = [
      START,
      { type: 'block-start', index: 0, candidate: 0, block: { kind: 'thinking', form: 'full' } },
      { type: 'block-delta', index: 0, text: 'END' },
      { type: 'block-end', index: 0 },
      ...textOf(['hi'], 1),
      {
        type: 'block-start',
        index: 2,
        candidate: 0,
        block: { kind: 'tool-call', id: 'c', name: 'f', form: 'function' },
      },
      { type: 'block-delta', index: 2, text: '{"END":1}' },
      { type: 'block-end', index: 2 },
      END,
    ];
    expect(watched(events, 'END')).toEqual(events);
  });
  test('nothing after the cut; earlier texts stay', () => {
    const events = [START, ...textOf(['first'], 0), ...textOf(['second END'], 1), ...textOf(['third'], 2), END];
    expect(shown(events, 'END')).toEqual({ text: 'first|second ', finish: MATCHED('END') });
  });
});

describe('usage', () => {
  test('of a stream that is cut is estimated, unless the upstream had reported it', () => {
    expect(fold(watched(streamOf(['a END b']), 'END')).usage).toEqual(ESTIMATE);
    const reported: Event = { type: 'usage-update', usage: { prompt: 3, completion: 2 } };
    expect(fold(watched([START, reported, ...textOf(['a END b']), END], 'END')).usage).toEqual(reported.usage);
    expect(fold(watched(streamOf(['a b']), 'END')).usage).toEqual({});
  });
  test('of a complete answer stays the upstream’s', () => {
    const answer = { ...fold(streamOf(['a END b'])), usage: { prompt: 3, completion: 9 } };
    expect(stoppedAnswer(answer, ['END']).usage).toEqual({ prompt: 3, completion: 9 });
  });
});

const logprob = (token: string, bytes?: readonly number[]): TokenLogprob => ({
  token,
  logprob: -1,
  alternatives: [],
  ...(bytes !== undefined && { bytes }),
});

const cited = (from: number, to: number) => ({ kind: 'web', url: 'https://x.test', from, to }) as const;

test('citations and log probabilities of the text after the cut go with it', () => {
  const block = {
    kind: 'text',
    text: 'one END two',
    logprobs: ['one', ' ', 'END', ' two'].map((token) => logprob(token)),
    citations: [cited(0, 3), cited(2, 9), cited(8, 11)],
  } as const;
  const whole: TextAnswer = {
    id: '',
    model: '',
    usage: {},
    candidates: [{ blocks: [block], finish: { reason: 'stop' } }],
  };
  expect(stoppedAnswer(whole, ['END']).candidates[0]?.blocks).toEqual([
    { kind: 'text', text: 'one ', logprobs: [logprob('one'), logprob(' ')], citations: [cited(0, 3), cited(2, 4)] },
  ]);
});

describe('streamed citations', () => {
  const note = (citation: Citation): Event => ({ type: 'block-note', index: 0, note: { citation } });
  const [open, close] = textOf([]) as [Event, Event];
  const said = (text: string): Event => ({ type: 'block-delta', index: 0, text });
  const citedIn = (inner: readonly Event[]): readonly Citation[] | undefined => {
    const out = watched([START, open, ...inner, close, END], 'END');
    expect(grammarProblem(out)).toBeUndefined();
    const [block] = fold(out).candidates[0]?.blocks ?? [];
    return block?.kind === 'text' ? (block.citations ?? []) : undefined;
  };
  const pages: Citation = { kind: 'pages', document: 0, from: 7, to: 9 };

  test('of withheld text wait for it, and are cut with it', () => {
    const notes = [cited(0, 3), cited(2, 6), cited(4, 6), pages].map(note);
    expect(citedIn([said('one EN'), ...notes, said('D two')])).toEqual([cited(0, 3), pages, cited(2, 4)]);
    expect(citedIn([...notes, said('one EN'), said('D two')])).toEqual([pages, cited(0, 3), cited(2, 4)]);
    expect(citedIn([said('one EN'), ...notes, said('.')])).toEqual([cited(0, 3), pages, cited(2, 6), cited(4, 6)]);
    expect(citedIn([said('one EN'), ...notes])).toEqual([cited(0, 3), pages, cited(2, 6), cited(4, 6)]);
  });

  test('without a range are sent once there is text', () => {
    const whole: Citation = { kind: 'web', url: 'https://x.test' };
    expect(citedIn([said('EN'), note(whole), said('D')])).toEqual([]);
    expect(citedIn([note(whole), said('one END')])).toEqual([whole]);
  });

  test('far ahead of their text are refused', () => {
    const many = Array.from({ length: 1001 }, () => note(cited(0, 3)));
    expect(() => citedIn(many)).toThrow(/citations/);
  });
});

describe('streamed log probabilities', () => {
  const note = (logprobs: readonly TokenLogprob[]): Event => ({ type: 'block-note', index: 0, note: { logprobs } });
  const [open, close] = textOf([]) as [Event, Event];
  /** Each log probability before its text, each after it, all before the text, all after it. */
  const streams = (tokens: readonly string[]): Event[][] => {
    const said = tokens.map((text): Event => ({ type: 'block-delta', index: 0, text }));
    const noted = tokens.map((token) => note([logprob(token)]));
    const all = note(tokens.map((token) => logprob(token)));
    return [
      said.flatMap((event, at) => [noted[at] ?? event, event]),
      said.flatMap((event, at) => [event, noted[at] ?? event]),
      [all, ...said],
      [...said, all],
    ].map((inner) => [START, open, ...inner, close, END]);
  };
  const notedIn = (events: readonly Event[]): string[] =>
    events
      .flatMap((event) => (event.type === 'block-note' ? (event.note.logprobs ?? []) : []))
      .map((each) => each.token);

  test('are sent with their text, and withheld with it', () => {
    const [before = [], after = [], first = []] = streams(['one', ' ', 'E', 'ND', ' two']);
    for (const events of [before, after, first]) expect(notedIn(watched(events, 'END'))).toEqual(['one', ' ']);
    for (const events of streams(['one', ' E', 'N', '.'])) {
      const out = watched(events, 'END');
      expect(grammarProblem(out)).toBeUndefined();
      expect(notedIn(out)).toEqual(['one', ' E', 'N', '.']);
    }
    expect(watched(before, 'END').slice(2, 6)).toEqual(before.slice(2, 6));
  });

  test('of the tokens of one character are sent with it', () => {
    const smile = [logprob('\\xf0\\x9f', [0xf0, 0x9f]), logprob('\\x98\\x80', [0x98, 0x80])];
    const events = [START, open, note([...smile, logprob('END', [69, 78, 68])])];
    const out = watched([...events, { type: 'block-delta', index: 0, text: '😀END' }, close, END], 'END');
    expect(notedIn(out)).toEqual(smile.map(({ token }) => token));
  });

  test('far ahead of their text are refused', () => {
    const many = Array.from({ length: 100_001 }, () => logprob('x'));
    expect(() => watched([START, open, note(many)], 'END')).toThrow(/log probabilities/);
  });

  test('of other blocks pass', () => {
    const refusal: Event = { type: 'block-start', index: 0, candidate: 0, block: { kind: 'refusal' } };
    const events = [START, refusal, note([logprob('END')]), close, END];
    expect(watched(events, 'END')).toEqual(events);
  });
});
