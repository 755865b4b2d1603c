/** What a host could change: each is planted alone, and must be found and named. */
import type { Answer, Change } from './proxy.ts';

export const CONTENT = 'a zebra told it to nobody';
export const FORMATS = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'google-generate',
  'amazon-converse',
] as const;
export type Format = (typeof FORMATS)[number];

export type Planted = {
  readonly name: string;
  readonly format: Format;
  readonly change: Change;
  /** What the difference must say. */
  readonly names: RegExp;
};

export type Values = Record<string, unknown>;
export const at = (value: unknown, ...path: readonly (string | number)[]): Values =>
  path.reduce<unknown>((inner, name) => (inner as Values | undefined)?.[name], value) as Values;

type Places = {
  readonly usage: string;
  readonly input: string;
  readonly stop: (body: unknown) => readonly [holder: Values, name: string];
  /** The last event that carries what an answer needs. */
  readonly last: RegExp;
};

export const PLACES: Readonly<Record<Format, Places>> = {
  'openai-chat': {
    usage: 'usage',
    input: 'prompt_tokens',
    stop: (body) => [at(body, 'choices', 0), 'finish_reason'],
    last: /\[DONE\]/,
  },
  'openai-responses': {
    usage: 'usage',
    input: 'input_tokens',
    stop: (body) => [at(body), 'status'],
    last: /response\.completed/,
  },
  'anthropic-messages': {
    usage: 'usage',
    input: 'input_tokens',
    stop: (body) => [at(body), 'stop_reason'],
    last: /message_stop/,
  },
  'google-generate': {
    usage: 'usageMetadata',
    input: 'promptTokenCount',
    stop: (body) => [at(body, 'candidates', 0), 'finishReason'],
    last: /finishReason/,
  },
  'amazon-converse': {
    usage: 'usage',
    input: 'inputTokens',
    stop: (body) => [at(body), 'stopReason'],
    last: /stopReason/,
  },
};

export const onAnswer =
  (change: (body: Values) => void): Change =>
  (answer: Answer, path: string) => {
    if (answer.status === 200 && answer.frames === undefined && !/count|input_tokens|\/models(\?|$)/.test(path))
      change(answer.body as Values);
  };
export const onStream =
  (change: (frames: NonNullable<Answer['frames']>) => void): Change =>
  (answer) => {
    if (answer.frames !== undefined) change(answer.frames);
  };
const onError =
  (change: (answer: Answer) => void): Change =>
  (answer) => {
    if (answer.status >= 400) change(answer);
  };

const dataOf = (frame: { readonly data: unknown } | undefined): Values => frame?.data as Values;

function ofFormat(format: Format, secret: string): Planted[] {
  const { usage, input, stop, last } = PLACES[format];
  const plant = (name: string, names: RegExp, change: Change): Planted => ({ name, format, names, change });
  return [
    plant(
      'a new member',
      /new member at answer\S*\.new_thing/,
      onAnswer((body) => {
        body['new_thing'] = { said: CONTENT, key: secret };
      }),
    ),
    plant(
      'a new member of usage',
      /new member at answer\S*\.(usage|usageMetadata)\.new_tokens/,
      onAnswer((body) => {
        at(body, usage)['new_tokens'] = 3;
      }),
    ),
    plant(
      'a count as text',
      /other type at answer\S*: string, known as number/,
      onAnswer((body) => {
        at(body, usage)[input] = '9';
      }),
    ),
    plant(
      'a new reason to stop',
      /new word at answer\S*: bored/,
      onAnswer((body) => {
        const [holder, name] = stop(body);
        holder[name] = 'bored';
      }),
    ),
    plant(
      'a reason to stop that is content',
      /new word at answer\S*: \(not a name\)/,
      onAnswer((body) => {
        const [holder, name] = stop(body);
        holder[name] = `${CONTENT} ${secret}`;
      }),
    ),
    plant(
      'no usage',
      /missing at answer\.usage|meaning at usage: not reported/,
      onAnswer((body) => {
        delete body[usage];
      }),
    ),
    plant(
      'a new member of an event',
      /new member at event\S*\.new_thing/,
      onStream((frames) => {
        for (const frame of frames.slice(0, 2))
          if (typeof frame.data === 'object') dataOf(frame)['new_thing'] = CONTENT;
      }),
    ),
    plant(
      'no last event',
      /order at stream: ends after|meaning at/,
      onStream((frames) => {
        const index = frames.findIndex((frame) => last.test(JSON.stringify(frame)));
        frames.splice(index);
      }),
    ),
    plant(
      'the last event first',
      /order at stream|meaning at/,
      onStream((frames) => {
        const index = frames.findIndex((frame) => last.test(JSON.stringify(frame)));
        frames.unshift(...frames.splice(index, 1));
      }),
    ),
    plant(
      'an error that is a sentence',
      /other type at error|not JSON|missing/,
      onError((answer) => {
        answer.body = JSON.stringify(`${CONTENT} ${secret}`);
      }),
    ),
    plant(
      'a new member of an error',
      /new member at error\S*\.new_thing/,
      onError((answer) => {
        const body = answer.body as Values;
        ((typeof body['error'] === 'object' ? body['error'] : body) as Values)['new_thing'] = secret;
      }),
    ),
    plant(
      'success for a model that is not there',
      /status at status: 204|other type|not JSON/,
      onError((answer) => {
        answer.status = 200;
        answer.body = CONTENT;
      }),
    ),
  ];
}

/** Of these, each is one difference in the answers of calls, too. */
const OF_CALLS = ['a new member', 'a new member of usage', 'a count as text', 'a new reason to stop'];

export const plantedInCalls = (secret: string): readonly Planted[] => [
  ...planted(secret).filter(
    ({ name, names }) =>
      (OF_CALLS.includes(name) && !names.source.includes('count')) || name.startsWith('a new kind of'),
  ),
  ...FORMATS.map((format) => ({
    name: 'a new status',
    format,
    names: /status at status: 218/,
    change: (answer: Answer) => {
      answer.status = 218;
    },
  })),
];

export const planted = (secret: string): readonly Planted[] => [
  ...FORMATS.flatMap((format) => ofFormat(format, secret)),
  {
    name: 'a new kind of event',
    format: 'anthropic-messages',
    names: /new word at event\.type: content_block_mood/,
    change: onStream((frames) => {
      frames.splice(2, 0, { event: 'content_block_mood', data: { type: 'content_block_mood', said: CONTENT } });
    }),
  },
  {
    name: 'a new kind of event',
    format: 'openai-responses',
    names: /new word at event\.type: response\.mood/,
    change: onStream((frames) => {
      frames.splice(2, 0, { event: 'response.mood', data: { type: 'response.mood', said: CONTENT } });
    }),
  },
  {
    name: 'a new kind of event',
    format: 'amazon-converse',
    names: /new event at stream: moodStart/,
    change: onStream((frames) => {
      frames.splice(1, 0, { event: 'moodStart', data: { said: CONTENT } });
    }),
  },
  {
    name: 'a new kind of block',
    format: 'anthropic-messages',
    names: /new word at answer<message>\.content\[\]\.type: mood/,
    change: onAnswer((body) => {
      (body['content'] as Values[]).push({ type: 'mood', said: CONTENT });
    }),
  },
  {
    name: 'a count of another name',
    format: 'anthropic-messages',
    names: /missing at count\.input_tokens/,
    change: (answer, path) => {
      if (path.includes('count_tokens')) answer.body = { tokens: 9 };
    },
  },
  {
    name: 'a count as text',
    format: 'google-generate',
    names: /other type at count\.totalTokens/,
    change: (answer, path) => {
      if (path.includes('countTokens')) answer.body = { totalTokens: '9' };
    },
  },
];
