/** A generateContent stream, read as bytes and as chunks. */
import { expect } from 'vitest';
import {
  GEMINI,
  type GenerateReply,
  type Json,
  type Options,
  pathOf,
  post,
  saidIn,
  type WireCandidate,
  type WirePart,
} from './generate-probe.ts';
import { KEY, type Stand } from './stand.ts';

export type Chunk = {
  candidates?: WireCandidate[];
  usageMetadata?: Json;
  promptFeedback?: Json;
  responseId: string;
  modelVersion: string;
  createTime: string;
  error?: Json;
};

export type Streamed = {
  readonly reply: GenerateReply;
  readonly chunks: readonly Chunk[];
  readonly last: Chunk;
  readonly parts: readonly WirePart[];
  readonly said: string;
};

export const chunksOf = (text: string): Chunk[] =>
  text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as Chunk);

/** All bytes of a stream until it ended or broke off. */
export async function bytesOf(stand: Stand, body: unknown, modelId: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${stand.url}${pathOf(modelId, 'streamGenerateContent')}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
    body: JSON.stringify(body),
  });
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true });
  } catch {
    // Broken off: return the bytes received before.
  }
  return { status: response.status, text };
}

/** A stream that began with 200; the test checks how it ended. */
export async function streamed(
  stand: Stand,
  body: unknown,
  options: Options & { query?: string } = {},
): Promise<Streamed> {
  const path = pathOf(options.model ?? GEMINI, 'streamGenerateContent', options.query);
  const reply = await post(stand, path, body, options.headers);
  expect({ status: reply.status, error: reply.json['error'] }).toEqual({ status: 200, error: undefined });
  const chunks = chunksOf(reply.text);
  return {
    reply,
    chunks,
    last: chunks.at(-1) as Chunk,
    parts: chunks.flatMap((chunk) => chunk.candidates?.[0]?.content.parts ?? []),
    said: chunks.map((chunk) => saidIn(chunk.candidates?.[0])).join(''),
  };
}
