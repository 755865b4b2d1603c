/** Video calls checked on both ends: the caller's answer, and the vendor's request. */
import { expect } from 'vitest';
import type { Json, Reply, VideoStand } from './video-probe.ts';

export type Taken = { readonly reply: Reply; readonly sent: Json; readonly losses: readonly string[] };

/** 200 after exactly one submission that the strict vendor accepted. */
export async function taken(
  stand: VideoStand,
  model: string,
  instance: Json,
  parameters?: Json,
  headers?: Record<string, string>,
): Promise<Taken> {
  const before = stand.simulator.truth.read().length;
  const reply = await stand.submit(model, instance, parameters, headers);
  expect(reply.status, reply.text).toBe(200);
  const submissions = stand.simulator.truth.read().slice(before).filter(isSubmission);
  expect(submissions.map(({ refusal }) => refusal)).toEqual([undefined]);
  return {
    reply,
    sent: submissions[0]?.body as Json,
    losses: reply.headers.get('x-trivium-losses')?.split(',') ?? [],
  };
}

/** Neither a poll nor a sign-in. */
const isSubmission = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === 'POST' && !path.includes(':fetchPredict') && !path.includes('/token');

/** 400 with the field name, before anything is sent upstream. */
export async function refusedFor(
  stand: VideoStand,
  model: string,
  body: Json,
  field: string,
  headers?: Record<string, string>,
): Promise<string> {
  const submissions = (): number => stand.simulator.truth.read().filter(isSubmission).length;
  const before = submissions();
  const { status, json, text } = await stand.submitBody(model, body, headers);
  expect(status, text).toBe(400);
  const { message } = json['error'] as { message: string };
  expect(message).toContain(field);
  expect(submissions()).toBe(before);
  return message;
}

export const body = (instance: Json, parameters?: Json): Json => ({
  instances: [instance],
  ...(parameters !== undefined && { parameters }),
});
