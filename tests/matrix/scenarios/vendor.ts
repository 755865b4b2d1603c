/** What vendors do each in their own way: thinking, searching, citing, caching, blocks of their own. */

import type { Members } from '../match.ts';
import type { Cell, Seen } from '../meaning.ts';
import { isHome, type Scenario } from '../scenario.ts';
import type { LossWord } from '../words.ts';
import { assistantTurn, ECHO, QUESTION, says, userTurn } from './data.ts';
import { thinkingLosses, thoughtLosses } from './thinking.ts';

const REASONING = 'The question is simple. I compare the options and pick the first.';
const CITED = 'Près du pont: three roads meet, and it is old.';
const SOURCES = [
  { url: 'https://example.com/roads', title: 'Three roads', passage: ' three roads meet' },
  { url: 'https://example.com/bridges', title: 'Old bridges — “pont”', passage: ' it is old' },
];

/** Some vendors cite a passage piece by piece; messages cites whole blocks, which other dialects do not have. */
function citedIn({ inbound, outbound }: Cell): Members<Seen> {
  const citesBlocks = inbound === 'messages' && outbound !== 'anthropic-messages';
  return {
    citations: (citations) =>
      SOURCES.every(({ url, title, passage }) => {
        const own = citations.filter((citation) => citation.title === title);
        const cited = own.map((citation) => citation.passage).join('');
        return (
          own.length > 0 &&
          own.every((one) => one.url === url || one.url === '') &&
          (citesBlocks ? cited.includes(passage) : cited === passage)
        );
      }),
  };
}
const PIXEL_PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const vendorScenarios: readonly Scenario[] = [
  {
    name: 'thinking',
    about: 'Thoughts are shown as thoughts, and come back with the turn they led to.',
    thinker: true,
    ask: { thinks: true },
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=reasoning',
        upstream: { thinks: true },
        caller: { thinking: REASONING, text: 'The first option is the better one.' },
        finish: 'stop',
        losses: thinkingLosses,
      },
      {
        say: [says('Thank you.')],
        upstream: {
          turns: [userTurn(QUESTION), assistantTurn('The first option is the better one.'), userTurn('Thank you.')],
        },
        caller: { text: /Thank you/ },
        finish: 'stop',
        losses: thoughtLosses,
      },
    ],
  },
  {
    name: 'thinking-hidden',
    about: 'Reasoning shown only as an opaque seal goes back to who made it.',
    thinker: true,
    ask: { thinks: true },
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=reasoning-sealed',
        upstream: { thinks: true },
        caller: { thinking: /I can say this much\.$/, text: 'Done.' },
        finish: 'stop',
        losses: thinkingLosses,
      },
      {
        say: [says('Thank you.')],
        upstream: { turns: [userTurn(QUESTION), assistantTurn('Done.'), userTurn('Thank you.')] },
        caller: { text: /Thank you/ },
        finish: 'stop',
        losses: thoughtLosses,
      },
    ],
  },
  {
    name: 'citations',
    about: 'Passages and their sources, counted in the units of each protocol.',
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=citations',
        upstream: {},
        // What messages cites without a search are documents of the caller's, which the others have no words for.
        caller: (cell: Cell) =>
          citesDocuments(cell) ? { text: CITED, citations: [] } : { text: CITED, ...citedIn(cell) },
        finish: 'stop',
        losses: (cell) => (citesDocuments(cell) ? ['answerCitations'] : []),
      },
      {
        say: [says('Thank you.')],
        upstream: { turns: [userTurn(QUESTION), assistantTurn(CITED), userTurn('Thank you.')] },
        caller: { text: /Thank you/ },
        finish: 'stop',
        losses: (cell) =>
          isHome(cell) || cell.inbound === 'genai' || cell.outbound === 'amazon-converse' || citesDocuments(cell)
            ? []
            : ['citations'],
      },
    ],
  },
  {
    name: 'web-search',
    about: 'The vendor searches; the caller gets the answer and its sources.',
    ask: { searches: true },
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=web-search',
        upstream: ({ outbound }: Cell) => ({ searches: outbound !== 'amazon-converse' }),
        caller: (cell: Cell) => ({
          text: /Let me search\..*three roads meet, and it is old\.$/s,
          ...citedIn(cell),
        }),
        finish: 'stop',
        losses: (cell) => {
          // The format has no search, and this one is not demanded.
          if (cell.outbound === 'amazon-converse') return ['search'];
          return hidesSearch(cell) ? ['answerSearch'] : [];
        },
      },
    ],
  },
  {
    name: 'cache-hints',
    about: 'A mark after which the prompt may be cached.',
    unspoken: { genai: 'generative content caches by a resource, not by marks' },
    rounds: [
      {
        say: [{ user: [{ text: 'A long text.', cached: true }, { text: QUESTION }] }],
        upstream: (cell: Cell) => ({
          turns: [userTurn(`A long text.${QUESTION}`)],
          cacheMarks: carriesMarks(cell) ? 1 : 0,
        }),
        caller: { text: /three roads/ },
        finish: 'stop',
        losses: (cell) => (carriesMarks(cell) ? [] : ['cache']),
        // What a chat caller writes beside the known goes on as it is, for hosts that know it; this vendor does not.
        fails: ({ inbound, outbound }) =>
          inbound === 'chat' && outbound === 'openai-chat' ? { status: 400, words: /cache_control/ } : undefined,
      },
    ],
  },
  {
    name: 'prefill',
    about: 'Words put into the mouth of the model, which goes on from there.',
    unspoken: {
      chat: 'chat does not say what an answer after an answer is',
      responses: 'Responses does not say what an answer after an answer is',
    },
    refused: ({ outbound }) =>
      outbound.startsWith('openai-')
        ? { field: 'prefill', why: 'the vendor begins anew instead of going on' }
        : undefined,
    rounds: [
      {
        say: [says(QUESTION), { assistant: 'Three roads meet at' }],
        upstream: { turns: [userTurn(QUESTION), assistantTurn('Three roads meet at')] },
        caller: { text: ECHO },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'image-answer',
    about: 'An image in the answer.',
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=image',
        upstream: {},
        caller: (cell: Cell) => ({
          text: /^Here it is:/,
          images: imageLosses(cell).length > 0 || cell.outbound === 'anthropic-messages' ? [] : [PIXEL_PNG],
        }),
        finish: 'stop',
        losses: imageLosses,
      },
    ],
  },
  {
    name: 'vendor-block',
    about: 'Something in the history that only the caller’s own vendor knows: carried home, a loss elsewhere.',
    unspoken: { chat: 'chat has no blocks of a vendor’s own' },
    rounds: [
      {
        say: [says(QUESTION), { vendorBlock: true }, says('Thank you.')],
        upstream: { turns: (turns) => /Thank you\.$/.test(turns.at(-1)?.text ?? '') },
        caller: { text: /Thank you/ },
        finish: 'stop',
        losses: (cell) => (isHome(cell) ? [] : [cell.inbound === 'messages' ? 'serverTool' : 'foreign']),
      },
    ],
  },
];

const citesDocuments = ({ inbound, outbound }: Cell): boolean =>
  (outbound === 'anthropic-messages' || outbound === 'amazon-converse') && inbound !== 'messages';

/** The search itself, where it is a block of the answer, is returned to callers of the same dialect only. */
const hidesSearch = (cell: Cell): boolean =>
  !isHome(cell) &&
  (cell.outbound === 'anthropic-messages' || cell.outbound === 'openai-responses') &&
  !(cell.inbound === 'responses' && cell.outbound === 'anthropic-messages');

/** Images of models that draw, which only generative content has a place for in text answers. */
function imageLosses(cell: Cell): readonly LossWord[] {
  if (isHome(cell) || cell.outbound === 'anthropic-messages') return [];
  if (cell.outbound === 'openai-responses') return ['answerForeign'];
  return cell.inbound === 'genai' ? [] : ['answerImage'];
}

const carriesMarks = ({ inbound, outbound }: Cell): boolean =>
  outbound === 'anthropic-messages' ||
  outbound === 'amazon-converse' ||
  (inbound === 'responses' && outbound === 'openai-responses');
