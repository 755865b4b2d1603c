/** A whole chat answer as callers read it. */
import type { Logprobs, WireUsage } from './chat-stream.ts';
import { postChat, type Stand } from './stand.ts';

type WireCall = { id: string; type: string; function: { name: string; arguments: string } };
type WireMessage = {
  role: string;
  content: string | null;
  refusal: string | null;
  reasoning?: string;
  reasoning_content?: string;
  reasoning_details?: Record<string, unknown>[];
  tool_calls?: WireCall[];
};
type WireAnswer = {
  id: string;
  object: string;
  created: number;
  model: string;
  system_fingerprint: string | null;
  choices: { index: number; finish_reason: string; logprobs?: Logprobs | null; message: WireMessage }[];
  usage: WireUsage;
};

export type Answer = {
  readonly body: WireAnswer;
  readonly text: string;
  readonly headers: Headers;
  readonly choice: WireAnswer['choices'][number];
  readonly message: WireMessage;
};

/** Throws unless the call succeeds, with the error as the message. */
export async function answerOf(stand: Stand, body: object, headers?: Record<string, string>): Promise<Answer> {
  const reply = await postChat(stand, body, headers);
  if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.text}`);
  const answer = reply.json as unknown as WireAnswer;
  const choice = answer.choices[0];
  if (choice === undefined) throw new Error(`no choice: ${reply.text}`);
  return { body: answer, text: reply.text, headers: reply.headers, choice, message: choice.message };
}
