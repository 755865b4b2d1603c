/** Sends a signed message as a POST, over the connection permitted for its receiver. */
import type { OpenAnswer } from '../../upstream/one-request.ts';
import { webhookHeaders } from './signature.ts';

export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
) => Promise<OpenAnswer>;

export type SignedPost = {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  /** The current one first; an earlier one while it is still valid. Undefined if they cannot be decrypted. */
  readonly secrets: readonly string[] | undefined;
};

/** Returns the receiver's status. Nothing is sent unsigned. */
export async function postSigned(
  { id, url, body, secrets }: SignedPost,
  post: Post,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  if (secrets === undefined) throw new Error('the signing secret cannot be decrypted with secrets.keys of this node');
  return statusOf(await post(url, webhookHeaders({ id, body }, secrets, nowMs), body, signal));
}

export async function statusOf({ answer, close }: OpenAnswer): Promise<number> {
  await close();
  return answer.statusCode;
}
