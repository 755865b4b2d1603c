/** The form of the answer: JSON, schemas, one word out of several, log probabilities. */
import type { Cell, Outbound } from '../meaning.ts';
import type { Scenario } from '../scenario.ts';
import { CITY, QUESTION, says } from './data.ts';

const WORDS = ['red', 'green'];
const isAsked = (outbound: Outbound): boolean => outbound === 'anthropic-messages' || outbound === 'amazon-converse';
const isJson = (expected: unknown) => (text: string) => JSON.stringify(JSON.parse(text)) === JSON.stringify(expected);

export const outputScenarios: readonly Scenario[] = [
  {
    name: 'json',
    about: 'Some JSON object.',
    ask: { output: 'json' },
    unspoken: { messages: 'messages has no JSON without a schema' },
    rounds: [
      {
        say: [says('Answer in JSON.')],
        play: 'scenario=json-object',
        upstream: ({ outbound }: Cell) => ({ output: isAsked(outbound) ? 'text' : 'json' }),
        caller: { text: isJson({ answer: 'simulated', items: [1, 2, 3], nested: { ok: true } }) },
        finish: 'stop',
        // Asked for in words, where there is no JSON without a schema.
        losses: ({ outbound }) => (isAsked(outbound) ? ['output'] : []),
      },
    ],
  },
  {
    name: 'json-schema',
    about: 'JSON that follows a schema.',
    ask: { output: { schema: CITY } },
    rounds: [
      {
        say: [says(QUESTION)],
        upstream: {
          output: { schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
        },
        caller: { text: isJson({ city: 'example' }) },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'enum',
    about: 'One word out of several.',
    ask: { output: { words: WORDS } },
    rounds: [
      {
        say: [says(QUESTION)],
        upstream: ({ inbound, outbound }: Cell) => ({
          output: {
            schema:
              inbound === 'genai' && outbound === 'google-generate'
                ? { type: 'string', enum: WORDS }
                : { type: 'object', properties: { value: { type: 'string', enum: WORDS } } },
          },
        }),
        caller: ({ inbound, outbound }: Cell) => {
          if (inbound !== 'genai') return { text: isJson({ value: 'red' }) };
          return outbound === 'google-generate' ? {} : { text: 'red' };
        },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'logprobs',
    about: 'Log probabilities of every token.',
    ask: { logprobs: 2 },
    unspoken: { messages: 'messages has no log probabilities' },
    refused: ({ outbound }) =>
      outbound === 'anthropic-messages' || outbound === 'amazon-converse'
        ? { field: 'logprobs', why: 'the dialect has no log probabilities, and none can be made up' }
        : undefined,
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=logprobs',
        upstream: { logprobs: 2 },
        caller: {
          text: 'Four words with odds.',
          logprobs: [
            { token: 'Four', logprob: -0.000012 },
            { token: ' words', logprob: -0.75 },
            { token: ' with', logprob: -9999 },
            { token: ' odds.', logprob: -3.5 },
          ],
        },
        finish: 'stop',
      },
    ],
  },
];
