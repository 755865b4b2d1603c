// Answers made of prose, reasoning, refusals and JSON.
import type { CallFacts } from './ask.ts';
import { say, think } from './pieces.ts';
import type { Scenario } from './scenario.ts';
import { exampleFor } from './schema-example.ts';
import type { Script } from './script.ts';

const QUOTED_LENGTH = 200;
const UNICODE_TEXT = 'Family 👩‍👩‍👧‍👦, flag 🇫🇷, skin 👍🏽, e\u0301 and n\u0303, עברית ו-العربية, 漢字, 𝔘, \u2028 end.';
const REASONING = 'The question is simple. I compare the options and pick the first.';
const REASONED_ANSWER = 'The first option is the better one.';
const LOGPROBS: readonly number[] = [-0.000012, -0.75, -9999, -3.5];

function quote(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length > QUOTED_LENGTH ? `${line.slice(0, QUOTED_LENGTH)}…` : line;
}

function echo(ask: CallFacts): Script {
  const text = quote(ask.lastUserText);
  const answer =
    text === ''
      ? 'Hello. This is a simulated answer: no model was called.'
      : `You said: “${text}” This is a simulated answer from ${ask.model}: no model was called.`;
  return { pieces: say(answer), finish: 'stop' };
}

export const textScenarios = {
  'text-basic': { about: 'Default. Repeats the last user text in a short sentence.', script: echo },
  'text-long': {
    about: 'As many numbered words as `words` says (default 200).',
    script: (_ask, { words }) => ({
      pieces: Array.from({ length: words }, (_, at) => ({
        kind: 'text',
        text: `${at === 0 ? '' : ' '}word${at + 1}`,
      })),
      finish: 'stop',
    }),
  },
  unicode: {
    about: 'Emoji joined by ZWJ, combining marks, right-to-left text, one code point per chunk.',
    script: { pieces: Array.from(UNICODE_TEXT, (text) => ({ kind: 'text', text })), finish: 'stop' },
  },
  'empty-answer': { about: 'No content at all, finish stop.', script: { pieces: [], finish: 'stop' } },
  reasoning: {
    about: 'Reasoning in the field `reasoning_content`, then text.',
    script: { pieces: [...think(REASONING), ...say(REASONED_ANSWER)], finish: 'stop' },
  },
  'reasoning-field': {
    about: 'The same with the field `reasoning`.',
    script: {
      pieces: [...think(REASONING), ...say(REASONED_ANSWER)],
      finish: 'stop',
      manner: { reasoningField: 'reasoning' },
    },
  },
  'reasoning-both-fields': {
    about: 'The same in both fields at once.',
    script: {
      pieces: [...think(REASONING), ...say(REASONED_ANSWER)],
      finish: 'stop',
      manner: { reasoningField: 'both' },
    },
  },
  'reasoning-only': {
    about: 'Reasoning and no text: the budget was used up by thinking.',
    script: { pieces: think(REASONING), finish: 'length' },
  },
  'after-tool-result': {
    about: 'Default after a tool result: quotes the results.',
    script: (ask) => ({
      pieces: say(
        `The tools answered: ${ask.toolResults.map((text) => `“${quote(text)}”`).join(' and ') || 'nothing'}.`,
      ),
      finish: 'stop',
    }),
  },
  'json-object': {
    about: 'A small JSON object. Default for the plain JSON output format.',
    script: { pieces: say('{"answer": "simulated", "items": [1, 2, 3], "nested": {"ok": true}}'), finish: 'stop' },
  },
  'json-schema': {
    about: 'A value that conforms to the given output schema. Default when there is one.',
    script: ({ output }) => {
      const value = exampleFor(output.kind === 'schema' ? output.schema : {});
      const isBare = output.kind === 'schema' && output.isBare === true && typeof value === 'string';
      return { pieces: say(isBare ? value : JSON.stringify(value, undefined, 1)), finish: 'stop' };
    },
  },
  logprobs: {
    about: 'Log probabilities incl. -9999.0; sent only when the request asks for them.',
    script: {
      pieces: ['Four', ' words', ' with', ' odds.'].map((text, at) => ({
        kind: 'text',
        text,
        logprob: LOGPROBS[at] ?? 0,
      })),
      finish: 'stop',
    },
  },
  refusal: {
    about: 'The model declines, in the field for refusals.',
    script: { pieces: say('I cannot help with that request.', 'refusal'), finish: 'stop' },
  },
  'content-filter': {
    about: 'Text cut short by the content filter.',
    script: { pieces: say('The answer begins and then'), finish: 'content-filter' },
  },
  length: {
    about: 'Text cut short by the output limit.',
    script: { pieces: say('This sentence was cut in the'), finish: 'length' },
  },
  'stop-sequence': {
    about: 'Counts; the first stop string of the request stands where "four" would be.',
    script: ({ stop: [stop = 'four'] }) => ({ pieces: say(`one two three ${stop} five six`), finish: 'stop' }),
  },
} as const satisfies Readonly<Record<string, Scenario>>;
