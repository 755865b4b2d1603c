/** What a host could do with a question while the shapes stay as they are: each is planted alone, and must be found and named. */
import { at, CONTENT, type Format, onAnswer, onStream, PLACES, type Planted, type Values } from './deviations.ts';

/** Where the blocks of an answer are, and how one says a text. */
const BLOCKS: Readonly<Record<Format, (body: Values, text: string) => void>> = {
  'openai-chat': (body, text) => {
    const choice = at(body, 'choices', 0);
    choice['message'] = { role: 'assistant', content: text };
    choice['finish_reason'] = 'stop';
  },
  'openai-responses': (body, text) => {
    const content = [{ type: 'output_text', text, annotations: [] }];
    body['output'] = [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }];
  },
  'anthropic-messages': (body, text) => {
    body['content'] = [{ type: 'text', text, citations: null }];
    body['stop_reason'] = 'end_turn';
  },
  'google-generate': (body, text) => {
    at(body, 'candidates', 0)['content'] = { role: 'model', parts: [{ text }] };
  },
  'amazon-converse': (body, text) => {
    at(body, 'output', 'message')['content'] = [{ text }];
    body['stopReason'] = 'end_turn';
  },
};

/** Far beyond what the questions have, and cheap enough to ask on. */
const FAR_TOKENS = 2000;
/** One answer costs more than the bound. */
const DEAR_TOKENS = 10_000_000;
const LISTS = /\/(?:foundation-)?models(?:\?|$)/;

const counts = (format: Format, tokens: number): Planted['change'] => {
  const { usage, input } = PLACES[format];
  return onAnswer((body) => {
    at(body, usage)[input] = tokens;
  });
};

export const overReporting = (format: Format): Planted => ({
  name: 'a count beyond the bound',
  format,
  names: /meaning at usage: far from our own count/,
  change: counts(format, DEAR_TOKENS),
});

export function plantedInMeaning(formats: readonly Format[]): readonly Planted[] {
  const said = (format: Format, name: string, names: RegExp, text: string): Planted => ({
    name,
    format,
    names,
    change: onAnswer((body) => BLOCKS[format](body, text)),
  });
  return formats.flatMap((format): readonly Planted[] => [
    // Responses have no stop sequences.
    ...(format === 'openai-responses'
      ? []
      : [said(format, 'a stop sequence that is ignored', /meaning at answer: text beyond the stop sequence/, '4 5 6')]),
    said(format, 'a tool that is not called', /meaning at answer: no call of the tool/, CONTENT),
    said(
      format,
      'an object against its schema',
      /meaning at answer: an object without the member that the schema requires/,
      JSON.stringify({ town: CONTENT }),
    ),
    said(format, 'words in place of an object', /meaning at answer: text that is not JSON/, CONTENT),
    said(format, 'an answer without text', /meaning at answer: an answer without text/, ''),
    {
      name: 'a count far from ours',
      format,
      names: /meaning at usage: far from our own count/,
      change: counts(format, FAR_TOKENS),
    },
    ...(format === 'amazon-converse'
      ? []
      : [
          {
            name: 'a list without the model',
            format,
            names: /missing at models\.\S+: not in the list/,
            change: ({ body }: { body?: unknown }, path: string) => {
              if (LISTS.test(path))
                for (const list of Object.values(body as Values)) if (Array.isArray(list)) list.splice(0);
            },
          },
        ]),
    ...(format === 'anthropic-messages'
      ? [
          {
            name: 'thinking without a signature',
            format,
            names: /meaning at answer: thinking without a signature/,
            change: onStream((frames) => {
              for (const { data } of frames) if (typeof at(data, 'index') === 'number') at(data)['index'] = 1;
              const event = (type: string, more: object) => ({ event: type, data: { type, index: 0, ...more } });
              frames.splice(
                1,
                0,
                event('content_block_start', { content_block: { type: 'thinking', thinking: '', signature: '' } }),
                event('content_block_delta', { delta: { type: 'thinking_delta', thinking: CONTENT } }),
                event('content_block_stop', {}),
              );
            }),
          },
        ]
      : []),
  ]);
}
