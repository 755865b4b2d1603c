/**
 * The meaning of a scenario, independent of protocols: the request, what must arrive upstream, what the caller must get.
 * Callers write it and readers parse it; neither imports a codec of the gateway.
 */
export const INBOUND = ['chat', 'messages', 'genai', 'responses'] as const;
export type Inbound = (typeof INBOUND)[number];
export const OUTBOUND = [
  'openai-chat',
  'anthropic-messages',
  'google-generate',
  'openai-responses',
  'amazon-converse',
] as const;
export type Outbound = (typeof OUTBOUND)[number];
export type Pair = { readonly inbound: Inbound; readonly outbound: Outbound };
export type Cell = Pair & { readonly stream: boolean };

export type Json = Record<string, unknown>;

export type Part =
  | { readonly text: string; readonly cached?: true }
  | { readonly image: string }
  | { readonly imageUrl: string }
  | { readonly pdf: string; readonly name: string }
  | { readonly audio: string };

type Result = { readonly parts: readonly Part[]; readonly failed?: true };

export type Said =
  | { readonly user: readonly Part[] }
  /** An earlier assistant turn, or, as the last turn, a prefill. */
  | { readonly assistant: string }
  /** Instructions in the middle of a conversation. */
  | { readonly system: string }
  /** One for each call of the last answer, in its order. */
  | { readonly results: readonly Result[] }
  /** Something in the model's turn that only the caller's own vendor knows. */
  | { readonly vendorBlock: true };

export type FunctionTool = { readonly name: string; readonly about: string; readonly schema: Json };

export type Ask = {
  readonly system?: readonly string[];
  readonly tools?: readonly FunctionTool[];
  /** A tool that takes text instead of an object. */
  readonly customTool?: string;
  readonly choice?: 'any' | 'none' | { readonly one: string };
  readonly oneCall?: true;
  readonly output?: 'json' | { readonly schema: Json } | { readonly words: readonly string[] };
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly logprobs?: number;
  readonly thinks?: true;
  readonly searches?: true;
};

export type Call = { readonly id: string; readonly name: string; readonly argumentsText: string };
type Citation = { readonly url: string; readonly title: string; readonly passage?: string };

/** The answer as the caller's SDK returns it. */
export type Seen = {
  readonly text: string;
  readonly thinking: string;
  readonly refusal: string;
  readonly calls: readonly Call[];
  readonly citations: readonly Citation[];
  readonly images: readonly string[];
  readonly logprobs: readonly { readonly token: string; readonly logprob: number }[];
  /** The protocol's own value. */
  readonly finish: string;
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number };
};

export type ReceivedTurn = {
  readonly role: 'user' | 'assistant' | 'system';
  readonly text: string;
  readonly thinking: string;
  /** Base64 or address, wherever in the turn they stand. */
  readonly media: readonly string[];
  readonly calls: readonly Call[];
  readonly results: readonly { readonly id: string; readonly text: string; readonly failed: boolean }[];
};

/** The body as the upstream reads it. Adjacent turns of one role are one turn. */
export type Received = {
  readonly system: string;
  readonly turns: readonly ReceivedTurn[];
  readonly tools: readonly { readonly name: string; readonly about: string; readonly schema: unknown }[];
  readonly customTools: readonly string[];
  readonly choice: 'auto' | 'any' | 'none' | { readonly one: string };
  readonly oneCall: boolean;
  readonly output: 'text' | 'json' | { readonly schema: unknown };
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly topK: number | undefined;
  readonly stop: readonly string[];
  readonly seed: number | undefined;
  readonly frequencyPenalty: number | undefined;
  readonly logprobs: number | undefined;
  readonly thinks: boolean;
  readonly searches: boolean;
  readonly cacheMarks: number;
};

/** A conversation through an official SDK; it keeps the answers as that SDK's users do. */
export type Conversation = {
  say(said: Said): void;
  hear(stream: boolean): Promise<Seen>;
};

export type Caller = {
  readonly inbound: Inbound;
  open(address: { readonly url: string; readonly key: string }, model: string, ask: Ask): Conversation;
};
