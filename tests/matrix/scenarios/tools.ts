/** Tools: declared, chosen, called, answered. */
import type { Call, Cell, Outbound, ReceivedTurn } from '../meaning.ts';
import type { Round, Scenario } from '../scenario.ts';
import { CITY, CITY_ARGUMENTS, QUESTION, says, TOOLS, tool, userTurn } from './data.ts';
import { thinkingLosses, thoughtLosses } from './thinking.ts';

const LONG_NAME = `look_at_${'the_weather_'.repeat(6)}now`;
const NAMES = TOOLS.map(({ name }) => name);
const named = (...names: readonly string[]) => names.map((name) => ({ name }));
const called = (...names: readonly string[]) => names.map((name) => ({ name, argumentsText: CITY_ARGUMENTS }));
const CITY_SCHEMA = { type: 'object', properties: CITY['properties'] as object, required: ['city'] };
const DECLARED = TOOLS.map(({ name, about }) => ({
  name,
  about,
  schema: CITY_SCHEMA,
}));

const distinct = (calls: readonly Call[]): boolean =>
  calls.every(({ id }, at) => id !== '' && calls.findIndex((other) => other.id === id) === at);

/**
 * The last two turns are calls and, under the same ids, their results: as text, or as the object that callers of
 * generative content give.
 */
const answeredBy =
  (...texts: readonly string[]) =>
  (turns: readonly ReceivedTurn[]): boolean => {
    const [asked, given] = turns.slice(-2);
    return (
      asked !== undefined &&
      given !== undefined &&
      distinct(asked.calls) &&
      given.results.length === texts.length &&
      asked.calls.map(({ id }) => id).join() === given.results.map(({ id }) => id).join() &&
      texts.every((text, at) => [text, JSON.stringify({ output: text })].includes(given.results[at]?.text ?? ''))
    );
  };

const results = (...texts: readonly string[]) => ({ results: texts.map((text) => ({ parts: [{ text }] })) });

const asked = (play: string, more: Partial<Round> = {}): Round => ({
  say: [says(QUESTION)],
  play,
  upstream: { turns: [userTurn(QUESTION)] },
  caller: {},
  finish: 'calls',
  ...more,
});

/** What a caller's SDK makes of integers beyond double precision: two keep the text, two parse it. */
const LARGE = ({ inbound }: Cell): ((text: string) => boolean) =>
  inbound === 'chat' || inbound === 'responses'
    ? (text) => text.includes('12345678901234567890') && text.includes('9007199254740993')
    : (text) => JSON.parse(text).z_id === Number('12345678901234567890');

export const toolScenarios: readonly Scenario[] = [
  {
    name: 'tools-declared',
    about: 'Names, descriptions and schemas arrive; the model may do without.',
    ask: { tools: TOOLS },
    rounds: [
      {
        say: [says(QUESTION)],
        upstream: { tools: DECLARED, choice: 'auto', oneCall: false },
        caller: { text: /three roads/, calls: [] },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'tool-single',
    about: 'One call, its result under the same id, the final answer.',
    ask: { tools: [tool('weather')] },
    rounds: [
      asked('scenario=tool-single', { caller: { text: '', calls: called('weather') } }),
      {
        say: [results('21 degrees')],
        upstream: { turns: answeredBy('21 degrees') },
        caller: { text: /21 degrees/, calls: [] },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'tools-parallel-interleaved',
    about: 'Three calls whose fragments come in turns; results in order.',
    ask: { tools: TOOLS },
    rounds: [
      asked('scenario=tools-parallel-interleaved', { caller: { calls: called(...NAMES) } }),
      {
        say: [results('21 degrees', 'noon', 'nothing new')],
        upstream: { turns: answeredBy('21 degrees', 'noon', 'nothing new') },
        caller: { text: /21 degrees.*noon.*nothing new/ },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'tools-with-text',
    about: 'Words first, then two calls.',
    ask: { tools: TOOLS },
    rounds: [
      asked('scenario=tools-with-text', { caller: { text: 'Let me look that up.', calls: named('weather', 'clock') } }),
      {
        say: [results('21 degrees', 'noon')],
        upstream: {
          turns: (turns) => turns.at(-2)?.text === 'Let me look that up.' && answeredBy('21 degrees', 'noon')(turns),
        },
        caller: { text: /noon/ },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'tool-choice-any',
    about: 'Some tool must be called.',
    ask: { tools: TOOLS, choice: 'any' },
    rounds: [asked('scenario=tool-single', { upstream: { choice: 'any' }, caller: { calls: called('weather') } })],
  },
  {
    name: 'tool-choice-one',
    about: 'A certain tool must be called.',
    ask: { tools: TOOLS, choice: { one: 'clock' } },
    rounds: [
      asked('scenario=tool-single', { upstream: { choice: { one: 'clock' } }, caller: { calls: called('clock') } }),
    ],
  },
  {
    name: 'tool-choice-none',
    about: 'Tools are known but may not be called.',
    ask: { tools: TOOLS, choice: 'none' },
    rounds: [
      {
        say: [says(QUESTION)],
        // A format without the word is offered no tools.
        upstream: ({ outbound }) =>
          outbound === 'amazon-converse' ? { tools: [] } : { tools: DECLARED, choice: 'none' },
        caller: { text: /three roads/, calls: [] },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'one-call-at-a-time',
    about: 'The caller wants one call; the gateway enforces it for hosts without such a parameter.',
    ask: { tools: TOOLS, oneCall: true },
    unspoken: { genai: 'generative content has no word for one call at a time' },
    rounds: [
      asked('scenario=tools-parallel', {
        upstream: ({ outbound }) => ({ oneCall: !hasNoWordForOne(outbound) }),
        caller: { calls: called('weather') },
        losses: ({ outbound }) => (hasNoWordForOne(outbound) ? ['oneCall', 'answerCalls'] : []),
      }),
    ],
  },
  {
    name: 'tool-no-arguments',
    about: 'A call of nothing is an empty object, not an empty text.',
    ask: { tools: [tool('weather')] },
    rounds: [
      asked('scenario=tool-no-arguments', { caller: { calls: [{ name: 'weather', argumentsText: '{}' }] } }),
      {
        say: [results('fine')],
        upstream: { turns: (turns) => turns.at(-2)?.calls[0]?.argumentsText === '{}' && answeredBy('fine')(turns) },
        caller: { text: /fine/ },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'tool-large-integers',
    about: 'Digits beyond double precision reach every caller whose SDK keeps them, and go back as they came.',
    ask: { tools: [tool('weather')] },
    rounds: [
      asked('scenario=tool-large-integers', {
        caller: (cell) => ({ calls: [{ name: 'weather', argumentsText: LARGE(cell) }] }),
      }),
      {
        say: [results('fine')],
        upstream: {},
        upstreamText: ({ inbound }) =>
          inbound === 'chat' || inbound === 'responses' ? [/12345678901234567890/, /9007199254740993/] : [],
        caller: { text: /fine/ },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'tool-long-name',
    about: 'A name too long for some vendors: shorter for them, whole for the caller, there and back.',
    ask: { tools: [tool(LONG_NAME)] },
    unspoken: {
      chat: 'names have 64 letters at most in chat',
      genai: 'names have 64 letters at most in generative content',
      responses: 'names have 64 letters at most in Responses',
    },
    rounds: [
      asked('scenario=tool-single', {
        upstream: ({ outbound }) => ({
          tools: [
            {
              name: outbound === 'anthropic-messages' ? LONG_NAME : (name: string) => name.length <= 64,
              schema: CITY_SCHEMA,
            },
          ],
        }),
        caller: { calls: called(LONG_NAME) },
      }),
      {
        say: [results('21 degrees')],
        upstream: {
          turns: (turns) => answeredBy('21 degrees')(turns),
        },
        caller: { text: /21 degrees/ },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'tool-result-failed',
    about: 'A tool that failed: its words arrive, and that it failed where there is a place for it.',
    ask: { tools: [tool('weather')] },
    unspoken: { chat: 'chat has no word for a failed tool', responses: 'Responses has no word for a failed tool' },
    rounds: [
      asked('scenario=tool-single', { caller: { calls: called('weather') } }),
      {
        say: [{ results: [{ parts: [{ text: 'no such city' }], failed: true }] }],
        upstream: ({ outbound }) => ({
          turns: (turns) =>
            /no such city/.test(turns.at(-1)?.results[0]?.text ?? '') &&
            turns.at(-1)?.results[0]?.failed === !/openai/.test(outbound),
        }),
        caller: { text: /no such city/ },
        finish: 'stop',
        losses: ({ outbound }) => (/openai/.test(outbound) ? ['result'] : []),
      },
    ],
  },
  {
    name: 'tool-loop-thinking',
    about: 'Three turns of thinking and calling; what was thought stays with the calls it led to.',
    thinker: true,
    ask: { tools: TOOLS, thinks: true },
    rounds: [
      asked('scenario=reasoning-tools', {
        upstream: { thinks: true, tools: DECLARED },
        caller: { thinking: 'I need two tools for this.', calls: called('weather', 'clock') },
        losses: thinkingLosses,
      }),
      {
        say: [results('21 degrees', 'noon')],
        play: 'scenario=reasoning-tools',
        upstream: { thinks: true, turns: answeredBy('21 degrees', 'noon') },
        caller: { thinking: 'I need two tools for this.', calls: called('weather', 'clock') },
        finish: 'calls',
        losses: thoughtLosses,
      },
      {
        say: [results('22 degrees', 'one')],
        upstream: { thinks: true, turns: answeredBy('22 degrees', 'one') },
        caller: { text: /22 degrees.*one/, calls: [] },
        finish: 'stop',
        losses: thoughtLosses,
      },
    ],
  },
  {
    name: 'custom-tool',
    about: 'A tool that takes text instead of an object.',
    ask: { customTool: 'shell' },
    unspoken: {
      messages: 'messages has no tools that take text',
      genai: 'generative content has no tools that take text',
    },
    rounds: [
      {
        say: [says(QUESTION)],
        // Elsewhere a function stands for it.
        upstream: ({ outbound }: Cell) =>
          /openai/.test(outbound)
            ? { customTools: ['shell'], tools: [] }
            : { customTools: [], tools: [{ name: 'shell', schema: { type: 'object', required: ['input'] } }] },
        caller: { text: /three roads/ },
        finish: 'stop',
      },
    ],
  },
];

const hasNoWordForOne = (outbound: Outbound): boolean =>
  outbound === 'google-generate' || outbound === 'amazon-converse';
