/** Plain conversation: instructions, turns, sampling, the ways an answer ends. */
import type { Cell, Outbound } from '../meaning.ts';
import type { Scenario } from '../scenario.ts';
import { assistantTurn, ECHO, QUESTION, says, userTurn } from './data.ts';

const used = (count: number): boolean => count > 0;
const SOME_USAGE = { input: used, output: used };
const UNICODE = 'Family 👩‍👩‍👧‍👦, flag 🇫🇷, skin 👍🏽, e\u0301 and n\u0303, עברית ו-العربية, 漢字, 𝔘, \u2028 end.';

/** What a filter stopped is not shown in generative content, unless it is under way already. */
const hidesFiltered = ({ inbound, outbound, stream }: Cell): boolean =>
  !stream && inbound === 'genai' && outbound !== 'anthropic-messages';

/** Hosts with penalties and a seed. */
const hasHints = (outbound: Outbound): boolean => outbound === 'openai-chat' || outbound === 'google-generate';

/** Hosts that say which sequence ended their answer. */
const namesStops = ({ outbound }: Cell): boolean => outbound === 'anthropic-messages';
/** Responses has no stop sequences; and messages callers get the matched sequence, which other hosts do not name. */
const endsAtGateway = (cell: Cell): boolean =>
  cell.outbound === 'openai-responses' || (cell.inbound === 'messages' && !namesStops(cell));

export const textScenarios: readonly Scenario[] = [
  {
    name: 'plain',
    about: 'One question, one answer, usage.',
    rounds: [
      {
        say: [says(QUESTION)],
        upstream: { system: '', turns: [userTurn(QUESTION)], tools: [], output: 'text', thinks: false },
        caller: { text: ECHO, thinking: '', refusal: '', calls: [], citations: [], usage: SOME_USAGE },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'system',
    about: 'Instructions stand where the upstream reads them.',
    ask: { system: ['Answer in Latin.'] },
    rounds: [
      {
        say: [says(QUESTION)],
        upstream: { system: 'Answer in Latin.', turns: [userTurn(QUESTION)] },
        caller: { text: ECHO },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'system-several',
    about: 'Several pieces of instruction keep their order.',
    ask: { system: ['Answer in Latin.', 'Be brief.'] },
    rounds: [
      {
        say: [says(QUESTION)],
        upstream: { system: /^Answer in Latin\.\s+Be brief\.$/, turns: [userTurn(QUESTION)] },
        caller: { text: ECHO },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'system-late',
    about: 'Instructions in the middle of a conversation stay in the middle.',
    unspoken: {
      messages: 'version 2023-06-01 of messages has no instructions between turns',
      genai: 'generative content has no instructions between turns',
    },
    rounds: [
      {
        say: [says(QUESTION), { assistant: 'At a trivium.' }, { system: 'Answer in Greek.' }, says('And two?')],
        upstream: ({ outbound }: Cell) => ({
          turns:
            outbound === 'openai-chat' || outbound === 'openai-responses'
              ? [
                  userTurn(QUESTION),
                  assistantTurn('At a trivium.'),
                  { role: 'system', text: 'Answer in Greek.' },
                  userTurn('And two?'),
                ]
              : [userTurn(QUESTION), assistantTurn('At a trivium.'), userTurn(/Answer in Greek\..*And two\?$/s)],
        }),
        caller: { text: /And two\?/ },
        finish: 'stop',
        // As the user's words they weigh less than as instructions.
        losses: ({ outbound }) => (/openai/.test(outbound) ? [] : ['role']),
      },
    ],
  },
  {
    name: 'multi-turn',
    about: 'Three questions; what was said before comes along, in order.',
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=text-long words=3',
        upstream: { turns: [userTurn(QUESTION)] },
        caller: { text: 'word1 word2 word3' },
        finish: 'stop',
      },
      {
        say: [says('And two?')],
        play: 'scenario=text-long words=2',
        upstream: { turns: [userTurn(QUESTION), assistantTurn('word1 word2 word3'), userTurn('And two?')] },
        caller: { text: 'word1 word2' },
        finish: 'stop',
      },
      {
        say: [says(QUESTION)],
        upstream: {
          turns: [
            userTurn(QUESTION),
            assistantTurn('word1 word2 word3'),
            userTurn('And two?'),
            assistantTurn('word1 word2'),
            userTurn(QUESTION),
          ],
        },
        caller: { text: ECHO },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'user-twice',
    about: 'Two messages of the user in a row reach strict upstreams as one turn, nothing lost.',
    rounds: [
      {
        say: [says('I have a question.'), says(QUESTION)],
        upstream: { turns: [userTurn(/^I have a question\.\s*Where do three roads meet\?$/)] },
        caller: { text: /Where do three roads meet\?/ },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'unicode',
    about: 'Joined emoji, combining marks and two directions of writing, in pieces of one code point.',
    rounds: [
      {
        say: [says(`Read this: ${UNICODE}`)],
        play: 'scenario=unicode',
        upstream: { turns: [userTurn(`Read this: ${UNICODE}`)] },
        caller: { text: UNICODE },
        finish: 'stop',
      },
      {
        say: [says('Thank you.')],
        upstream: { turns: [userTurn(/^Read/), assistantTurn(UNICODE), userTurn('Thank you.')] },
        caller: { text: /Thank you/ },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'long-answer',
    about: 'Five hundred words arrive whole.',
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=text-long words=500',
        upstream: {},
        caller: { text: Array.from({ length: 500 }, (_, at) => `word${at + 1}`).join(' ') },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'sampling',
    about: 'Temperature and the cap on output.',
    ask: { temperature: 0.5, maxTokens: 200 },
    rounds: [
      {
        say: [says(QUESTION)],
        upstream: { temperature: 0.5, maxTokens: 200 },
        caller: { text: ECHO },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'top-p',
    about: 'Nucleus sampling is in every dialect.',
    ask: { topP: 0.25 },
    rounds: [{ say: [says(QUESTION)], upstream: { topP: 0.25 }, caller: { text: ECHO }, finish: 'stop' }],
  },
  {
    name: 'top-k',
    about: 'Known to two dialects; a loss for the others.',
    ask: { topK: 7 },
    unspoken: { chat: 'chat has no top_k', responses: 'Responses has no top_k' },
    rounds: [
      {
        say: [says(QUESTION)],
        upstream: ({ outbound }: Cell) => ({ topK: /openai/.test(outbound) ? undefined : 7 }),
        caller: { text: ECHO },
        finish: 'stop',
        losses: ({ outbound }) => (/openai/.test(outbound) ? ['topK'] : []),
      },
    ],
  },
  {
    name: 'penalty-and-seed',
    about: 'Hints that some dialects have no place for.',
    ask: { frequencyPenalty: 0.5, seed: 7 },
    unspoken: { messages: 'messages has neither penalties nor a seed', responses: 'Responses has neither' },
    rounds: [
      {
        say: [says(QUESTION)],
        upstream: ({ inbound, outbound }: Cell) => ({
          frequencyPenalty: hasHints(outbound) ? 0.5 : undefined,
          seed: inbound === 'genai' && hasHints(outbound) ? 7 : undefined,
        }),
        caller: { text: ECHO },
        finish: 'stop',
        losses: ({ inbound, outbound }) => [
          ...(hasHints(outbound) ? [] : (['frequencyPenalty'] as const)),
          // Chat callers' seeds are accepted and never forwarded.
          ...(inbound !== 'chat' && hasHints(outbound) ? [] : (['seed'] as const)),
        ],
      },
    ],
  },
  {
    name: 'stop-sequence',
    about: 'The answer ends before a stop sequence of the caller, with that finish reason.',
    ask: { stop: ['four'] },
    unspoken: { responses: 'Responses has no stop sequences' },
    rounds: [
      {
        say: [says('Count.')],
        play: 'scenario=stop-sequence',
        upstream: (cell: Cell) => ({ stop: endsAtGateway(cell) ? [] : ['four'] }),
        caller: { text: /^one two three\s*$/ },
        // Only some upstreams tell a stop sequence from the end.
        finish: (cell) => (namesStops(cell) || endsAtGateway(cell) ? 'stop-sequence' : 'stop'),
      },
    ],
  },
  {
    name: 'max-tokens',
    about: 'The cap cuts the answer, and the caller gets that finish reason.',
    ask: { maxTokens: 20 },
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=text-long words=40',
        upstream: { maxTokens: 20 },
        caller: {
          text: Array.from({ length: 20 }, (_, at) => `word${at + 1}`).join(' '),
          usage: { output: 20 },
        },
        finish: 'length',
      },
    ],
  },
  {
    name: 'context-full',
    about: 'The context window ends the answer.',
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=context-full',
        upstream: {},
        caller: { text: 'The window ends' },
        finish: 'length',
      },
    ],
  },
  {
    name: 'refusal',
    about: 'The model declines in a refusal text, which is not taken for an answer.',
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=refusal',
        upstream: {},
        caller: (cell: Cell) => {
          const words = 'I cannot help with that request.';
          const { inbound, outbound } = cell;
          if (outbound === 'google-generate') return { text: hidesFiltered(cell) ? '' : words };
          const isOwnPlace = /openai/.test(outbound) && (inbound === 'chat' || inbound === 'responses');
          return isOwnPlace ? { refusal: words, text: '' } : { text: words };
        },
        finish: ({ inbound, outbound }) => {
          // The format has no word for it, and its models end as usual.
          if (outbound === 'amazon-converse') return 'stop';
          if (!/openai/.test(outbound)) return 'filter';
          return inbound === 'chat' && (outbound === 'openai-chat' || outbound === 'openai-responses')
            ? 'stop'
            : 'refusal';
        },
      },
    ],
  },
  {
    name: 'content-filter',
    about: 'A filter cuts the answer.',
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=content-filter',
        upstream: {},
        caller: (cell: Cell) => ({ text: hidesFiltered(cell) ? '' : 'The answer begins and then' }),
        finish: 'filter',
        losses: (cell) => (hidesFiltered(cell) && cell.outbound !== 'google-generate' ? ['answer'] : []),
      },
    ],
  },
  {
    name: 'recitation',
    about: 'The answer is cut because it recites a source.',
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=recitation',
        upstream: {},
        caller: (cell: Cell) => ({
          text: hidesFiltered(cell) && cell.outbound !== 'google-generate' ? '' : 'It was the best of',
        }),
        finish: ({ outbound }) => (outbound === 'google-generate' ? 'recitation' : 'filter'),
        losses: (cell) => (hidesFiltered(cell) && cell.outbound !== 'google-generate' ? ['answer'] : []),
      },
    ],
  },
  {
    name: 'empty-answer',
    about: 'Nothing said is an answer too, and the conversation goes on.',
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=empty-answer',
        upstream: {},
        caller: { text: '', calls: [], thinking: '' },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'prompt-block',
    about: 'The vendor refuses to read the prompt.',
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=prompt-blocked',
        upstream: {},
        caller: { text: '', calls: [] },
        // Other vendors stop the answer rather than the prompt, or answer with an error.
        finish: ({ outbound }) => (outbound === 'google-generate' ? 'prompt-blocked' : 'filter'),
        fails: ({ outbound }) =>
          outbound === 'openai-responses' ? { status: 400, words: /flagged as potentially violating/ } : undefined,
      },
    ],
  },
  {
    name: 'cached-usage',
    about: 'Prompt 100, of which 40 from the cache; answer 20.',
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=cached-usage',
        upstream: {},
        caller: { usage: { input: 100, output: 20, cached: 40 } },
        finish: 'stop',
      },
    ],
  },
];
