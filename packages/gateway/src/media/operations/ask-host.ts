/** Polls the host of a task for its progress, with the credential it was submitted with. */
import { type FollowUpRequest, faultOf, type VideoProgress } from '@trivium/protocol/canonical';
import { type AskPorts, jsonOf, requestJson, type UpstreamReply } from '../../calls/exchange/request-json.ts';
import { redactedProgress } from '../../kernel/redact.ts';
import type { UpstreamRequest } from '../../kernel/upstream.ts';
import type { VideoRoute } from '../../kernel/video.ts';
import type { VideoOperation } from './operation.ts';

export type Answer =
  | { readonly kind: 'progress'; readonly progress: VideoProgress }
  /** A temporary failure, as far as is known: the poll is repeated. */
  | { readonly kind: 'silence'; readonly retryAfterMs?: number | undefined; readonly why: string }
  /** The host reports that it has no such task. */
  | { readonly kind: 'no-such-task' };

const ASK_LIMITS = { timeoutMs: 20_000, maxLength: 64 * 1024 * 1024 };
const GONE: ReadonlySet<number> = new Set([404, 410]);

export async function askHost(operation: VideoOperation, route: VideoRoute, ports: AskPorts): Promise<Answer> {
  const { dialect } = route;
  const { task, ordered } = operation;
  if (task === undefined) return { kind: 'no-such-task' };
  const reply = await run(dialect.poll(task, ordered.target), route, ports);
  return understood(reply, (answer) => dialect.progressOf(answer), route, ports);
}

async function understood(
  reply: UpstreamReply,
  read: (answer: NonNullable<ReturnType<typeof jsonOf>>) => ReturnType<VideoRoute['dialect']['progressOf']>,
  route: VideoRoute,
  ports: AskPorts,
): Promise<Answer> {
  if ('fault' in reply) return { kind: 'silence', why: reply.fault.kind };
  const { status, text, retryAfterMs } = reply;
  if (GONE.has(status)) return { kind: 'no-such-task' };
  const body = status >= 200 && status < 300 ? jsonOf(text) : undefined;
  if (body === undefined || body === null) return { kind: 'silence', why: `status ${status}`, retryAfterMs };
  try {
    const progress = read(body);
    if (progress.state !== 'errand') return { kind: 'progress', progress: redactedProgress(progress, ports.redact) };
    return await clipsBy(progress.errand, route, ports);
  } catch (error) {
    return { kind: 'silence', why: faultOf(error).message };
  }
}

async function clipsBy(errand: FollowUpRequest, route: VideoRoute, ports: AskPorts): Promise<Answer> {
  const { dialect } = route;
  const reply = await run(errand, route, ports);
  const end = 'fault' in reply ? undefined : dialect.noClips?.(reply.status, jsonOf(reply.text));
  if (end !== undefined) return { kind: 'progress', progress: redactedProgress(end, ports.redact) };
  return understood(reply, (answer) => dialect.clipsOf(answer), route, ports);
}

function run({ method, path, body }: FollowUpRequest, route: VideoRoute, ports: AskPorts): Promise<UpstreamReply> {
  const { origin, basePath, headers, signer } = route;
  const request: UpstreamRequest = {
    origin,
    path: basePath + path,
    headers,
    body: body === undefined ? '' : JSON.stringify(body),
    ...(method === 'GET' && { method }),
  };
  return requestJson(request, signer, ports, ASK_LIMITS);
}
