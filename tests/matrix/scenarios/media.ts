/** Images, documents and sound among the words. */
import type { Scenario } from '../scenario.ts';
import { CITY_ARGUMENTS, IMAGE_URL, PDF, PIXEL, QUESTION, says, tool, WAV } from './data.ts';

export const mediaScenarios: readonly Scenario[] = [
  {
    name: 'image-data',
    about: 'An image by its bytes.',
    rounds: [
      {
        say: [{ user: [{ text: 'What is this?' }, { image: PIXEL }] }],
        upstream: { turns: [{ role: 'user', text: 'What is this?', media: [PIXEL] }] },
        caller: { text: /What is this\?/ },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'image-url',
    about: 'An image by its address.',
    refused: ({ outbound }) =>
      outbound === 'amazon-converse'
        ? { field: 'media', why: 'the format has no addresses, and nothing is fetched unless the operator allows it' }
        : undefined,
    rounds: [
      {
        say: [{ user: [{ text: 'What is this?' }, { imageUrl: IMAGE_URL }] }],
        upstream: { turns: [{ role: 'user', text: 'What is this?', media: [IMAGE_URL] }] },
        caller: { text: /What is this\?/ },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'pdf',
    about: 'A document by its bytes.',
    rounds: [
      {
        say: [{ user: [{ text: 'What is this?' }, { pdf: PDF, name: 'paper.pdf' }] }],
        // A host without a field for the name gets it as a text.
        upstream: { turns: [{ role: 'user', text: /^What is this\?(?:paper\.pdf)?$/, media: [PDF] }] },
        caller: { text: /What is this\?/ },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'audio',
    about: 'Sound by its bytes.',
    unspoken: { messages: 'messages has no sound', responses: 'Responses has no sound' },
    refused: ({ outbound }) =>
      outbound === 'anthropic-messages' || outbound === 'openai-responses' || outbound === 'amazon-converse'
        ? { field: 'audio', why: 'the dialect has no sound' }
        : undefined,
    rounds: [
      {
        say: [{ user: [{ text: 'What is this?' }, { audio: WAV }] }],
        upstream: { turns: [{ role: 'user', text: 'What is this?', media: [WAV] }] },
        caller: { text: /What is this\?/ },
        finish: 'stop',
      },
    ],
  },
  {
    name: 'tool-result-image',
    about: 'A tool answers with words and an image.',
    ask: { tools: [tool('camera')] },
    unspoken: { chat: 'results of tools are text in chat' },
    rounds: [
      {
        say: [says(QUESTION)],
        play: 'scenario=tool-single',
        upstream: {},
        caller: { calls: [{ name: 'camera', argumentsText: CITY_ARGUMENTS }] },
        finish: 'calls',
      },
      {
        say: [{ results: [{ parts: [{ text: 'taken' }, { image: PIXEL }] }] }],
        upstream: {
          turns: (turns) =>
            /taken/.test(turns[2]?.results[0]?.text ?? '') && turns[2]?.media.join() === PIXEL && turns.length === 3,
        },
        caller: {},
        finish: 'stop',
        // Where results are text, the image follows them.
        losses: ({ outbound }) => (outbound === 'openai-chat' ? ['result'] : []),
      },
    ],
  },
];
