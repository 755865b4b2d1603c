// Answers with features of single vendors: seals, server-side searches, citations, images, unusual finish reasons.
import { callPieces, plannedCall, say, think } from './pieces.ts';
import type { Scenario } from './scenario.ts';
import type { Piece, Source } from './script.ts';

const ROADS: Source = {
  url: 'https://example.com/roads',
  title: 'Three roads',
  quote: 'Three roads meet at the old bridge.',
};
const BRIDGES: Source = {
  url: 'https://example.com/bridges',
  title: 'Old bridges — “pont”',
  quote: 'The bridge is from 1620.',
};
/** A PNG of one pixel. */
export const PIXEL_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const cite = (text: string, source: Source): readonly Piece[] => say(text).map((piece) => ({ ...piece, source }));

const CITED: readonly Piece[] = [
  ...say('Près du pont:'),
  ...cite(' three roads meet', ROADS),
  ...say(', and'),
  ...cite(' it is old', BRIDGES),
  ...say('.'),
];

export const vendorScenarios = {
  'reasoning-sealed': {
    about: 'Reasoning shown only as an opaque seal, then reasoning in the open, then text.',
    script: {
      pieces: [{ kind: 'sealed-reasoning', text: 'Hidden.' }, ...think('I can say this much.'), ...say('Done.')],
      finish: 'stop',
    },
  },
  'reasoning-tools': {
    about: 'Reasoning, then two calls.',
    script: (ask) => ({
      pieces: [
        ...think('I need two tools for this.'),
        ...[0, 1].flatMap((call) => callPieces(ask, call, plannedCall(ask, call))),
      ],
      finish: 'tool-calls',
    }),
  },
  citations: {
    about: 'Text with cited passages, after letters of two bytes.',
    script: { pieces: CITED, finish: 'stop' },
  },
  'web-search': {
    about: 'A search run by the vendor, then an answer that cites what it found.',
    script: {
      pieces: [...say('Let me search.'), { kind: 'search', query: 'three roads', found: [ROADS, BRIDGES] }, ...CITED],
      finish: 'stop',
    },
  },
  image: {
    about: 'Text and an image in the answer.',
    script: {
      pieces: [...say('Here it is:'), { kind: 'image', mimeType: 'image/png', base64: PIXEL_PNG }],
      finish: 'stop',
    },
  },
  'prompt-blocked': {
    about: 'The vendor refuses to read the prompt: HTTP 200 and nothing said.',
    script: { pieces: [], finish: 'prompt-blocked' },
  },
  'pause-turn': {
    about: 'A long search is under way; the turn goes on when it is sent back.',
    script: { pieces: [...say('Still searching.'), { kind: 'search', query: 'three roads' }], finish: 'pause' },
  },
  'context-full': {
    about: 'Text cut short by the end of the context window.',
    script: { pieces: say('The window ends'), finish: 'context-full' },
  },
  'malformed-call': {
    about: 'The model wrote an unreadable tool call.',
    script: { pieces: [], finish: 'malformed-call' },
  },
  recitation: {
    about: 'Text cut short because it recites a source.',
    script: { pieces: say('It was the best of'), finish: 'recitation' },
  },
} as const satisfies Readonly<Record<string, Scenario>>;
