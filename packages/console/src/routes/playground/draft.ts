/** What is being asked, in no protocol yet. */
export type Mode =
  | 'chat'
  | 'responses'
  | 'messages'
  | 'genai'
  | 'image'
  | 'video'
  | 'speech'
  | 'transcription'
  | 'rerank';
export type Effort = 'off' | 'low' | 'medium' | 'high';
export type Picture = { readonly mime: string; readonly base64: string };
export type Turn = {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly pictures: readonly Picture[];
};

export type Draft = {
  readonly mode: Mode;
  readonly system: string;
  readonly turns: readonly Turn[];
  /** JSON: a list of `ToolSpec`. */
  readonly tools: string;
  readonly effort: Effort;
  readonly maxTokens: string;
  readonly temperature: string;
  readonly isStream: boolean;
  readonly isStrict: boolean;
  readonly size: string;
  readonly seconds: string;
  readonly ratio: string;
  readonly voice: string;
  /** Of what is spoken, and of the words of a recording; empty: as the data plane chooses. */
  readonly soundFormat: string;
  readonly wordsFormat: string;
  readonly language: string;
  /** One on each line. */
  readonly documents: string;
  readonly best: string;
};

const TEXT_MODES: readonly Mode[] = ['chat', 'responses', 'messages', 'genai'];
export const MODES: readonly Mode[] = [...TEXT_MODES, 'image', 'video', 'speech', 'transcription', 'rerank'];
export const isText = (mode: Mode): boolean => TEXT_MODES.includes(mode);

export const newDraft = (mode: Mode): Draft => ({
  mode,
  system: '',
  turns: [{ role: 'user', text: '', pictures: [] }],
  tools: '',
  effort: 'off',
  maxTokens: '',
  temperature: '',
  isStream: true,
  isStrict: false,
  size: '',
  seconds: '',
  ratio: '',
  voice: '',
  soundFormat: '',
  wordsFormat: '',
  language: '',
  documents: '',
  best: '',
});

/** What is sent, for the first model and each beside it. */
export type Sent = {
  readonly no: number;
  readonly keyId: string;
  readonly mode: Mode;
  readonly isStrict: boolean;
  /** Of Google's protocol, which has it in the path. */
  readonly isStream: boolean;
  /** The body without the model, which differs per column. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The recording that is listened to. */
  readonly file?: File | undefined;
};

/** Names of the columns after one was removed: the others keep theirs, and with it the answer they show. */
export const withoutColumn = (columns: readonly number[], index: number): readonly number[] => [
  ...columns.filter((_, place) => place !== index),
  Math.max(...columns) + 1,
];
