/** What is being asked, in no protocol yet. */
export type Mode = 'chat' | 'responses' | 'messages' | 'genai' | 'image' | 'video';
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
};

export const MODES: readonly Mode[] = ['chat', 'responses', 'messages', 'genai', 'image', 'video'];
export const isText = (mode: Mode): boolean => mode !== 'image' && mode !== 'video';

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
};

/** Names of the columns after one was removed: the others keep theirs, and with it the answer they show. */
export const withoutColumn = (columns: readonly number[], index: number): readonly number[] => [
  ...columns.filter((_, place) => place !== index),
  Math.max(...columns) + 1,
];
