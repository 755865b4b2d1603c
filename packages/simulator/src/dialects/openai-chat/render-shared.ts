// Shared by the plain and the streamed form: identity, finish reasons, reasoning fields, log probabilities.
import type { Manner, Piece, ScriptFinish } from '../../scenarios/script.ts';

export interface Identity {
  readonly id: string;
  readonly createdS: number;
  readonly model: string;
}

export interface ChatRenderOptions {
  readonly choices: number;
  readonly includeUsage: boolean;
  readonly includeObfuscation: boolean;
  /** Number of alternatives per token; undefined if log probabilities were not requested. */
  readonly topLogprobs: number | undefined;
}

export const finishWords: Readonly<Record<ScriptFinish, string>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  'function-call': 'function_call',
  'prompt-blocked': 'content_filter',
  pause: 'stop',
  'context-full': 'length',
  'malformed-call': 'stop',
  recitation: 'content_filter',
};

export function reasoningFields(text: string, manner: Manner | undefined): Readonly<Record<string, string>> {
  const field = manner?.reasoningField ?? 'reasoning_content';
  return field === 'both' ? { reasoning: text, reasoning_content: text } : { [field]: text };
}

const DEFAULT_LOGPROB = -0.25;

export function tokenLogprob(piece: Piece, alternatives: number): object {
  const token = 'text' in piece ? piece.text : '';
  const logprob = piece.kind === 'text' ? (piece.logprob ?? DEFAULT_LOGPROB) : DEFAULT_LOGPROB;
  const tokens = Array.from({ length: Math.max(1, alternatives) }, (_, rank) => {
    const text = `${token}${'~'.repeat(rank)}`;
    return { token: text, logprob: logprob - rank, bytes: [...Buffer.from(text)] };
  });
  return { ...tokens[0], top_logprobs: tokens.slice(0, alternatives) };
}

/** Hosts written in Python print the floor of a log probability as -9999.0; JavaScript would drop the fraction. */
export function printJson(value: object): string {
  return JSON.stringify(value).replaceAll('"logprob":-9999,', '"logprob":-9999.0,');
}
