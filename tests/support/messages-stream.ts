/** A streamed messages answer read as raw bytes: its frames, its events, and the assembled answer. */
import { request } from 'node:http';
import { expect } from 'vitest';
import type { Block, Json, SendHeaders } from './messages-probe.ts';
import { KEY, type Stand } from './stand.ts';

export type StreamEvent = Json & {
  readonly type: string;
  readonly index?: number;
  readonly delta?: Json;
  readonly content_block?: Block;
  readonly message?: Json;
  readonly usage?: Json;
  readonly error?: Json;
};
export type StreamReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** False when the connection was cut before the message ended. */
  readonly complete: boolean;
  /** Without pings. */
  readonly events: readonly StreamEvent[];
};

export async function streamMessages(stand: Stand, body: object, headers: SendHeaders = {}): Promise<StreamReply> {
  const text = JSON.stringify({ ...body, stream: true });
  return new Promise((resolve, reject) => {
    const sent = request(`${stand.url}/api/anthropic/v1/messages`, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
        'x-api-key': KEY,
        'anthropic-version': '2023-06-01',
        ...headers,
      },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.once('error', () => undefined);
      response.once('close', () => {
        const received = Buffer.concat(pieces).toString('utf8');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: received,
          complete: response.complete,
          events: received.startsWith('event: ') ? eventsOf(received).filter(({ type }) => type !== 'ping') : [],
        });
      });
    });
    sent.end(text);
  });
}

const FRAME = /^event: ([a-z_]+)\ndata: (\{[^\n\r]*\})$/;

/** Every frame has exactly the format of this protocol, and the event name of its data. */
export function eventsOf(text: string): StreamEvent[] {
  expect(text.endsWith('\n\n')).toBe(true);
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((frame) => {
      expect(frame).toMatch(FRAME);
      const [, name, data] = FRAME.exec(frame) ?? [];
      const event = JSON.parse(data ?? '') as StreamEvent;
      expect(event.type).toBe(name);
      return event;
    });
}

const WITHOUT_DELTAS = ['redacted_thinking', 'web_search_tool_result'];

/** message_start, blocks one after the other, message_delta, message_stop: throws at the first violation. */
export function expectGrammar(events: readonly StreamEvent[]): void {
  const names = events.map(({ type }) => type);
  expect(names[0]).toBe('message_start');
  expect(names.slice(-2)).toEqual(['message_delta', 'message_stop']);
  let open: { index: number; type: string; deltas: number } | undefined;
  let next = 0;
  for (const { type, index, content_block } of events.slice(1, -2)) {
    if (type === 'content_block_start') {
      expect({ open, index }).toEqual({ open: undefined, index: next });
      open = { index: next, type: content_block?.type ?? '', deltas: 0 };
    } else {
      expect(['content_block_delta', 'content_block_stop']).toContain(type);
      expect(index).toBe(open?.index);
      if (open !== undefined && type === 'content_block_delta') open.deltas += 1;
      if (type !== 'content_block_stop') continue;
      if (WITHOUT_DELTAS.includes(open?.type ?? '')) expect(open?.deltas).toBe(0);
      else expect(open?.deltas).toBeGreaterThan(0);
      open = undefined;
      next += 1;
    }
  }
  expect(open).toBeUndefined();
}

export type Assembled = {
  readonly content: readonly Json[];
  readonly stop_reason: unknown;
  readonly stop_sequence: unknown;
  readonly usage: Json;
};

/** Assembles a stream as official clients do. */
export function assemble(events: readonly StreamEvent[]): Assembled {
  const content: Json[] = [];
  const inputs: string[] = [];
  for (const { type, index = -1, content_block, delta = {} } of events) {
    if (type === 'content_block_start') content[index] = { ...content_block };
    if (type === 'content_block_delta') apply(content, inputs, index, delta);
  }
  for (const [index, input] of inputs.entries())
    if (input !== undefined) content[index] = { ...content[index], input: input === '' ? {} : JSON.parse(input) };
  const finish = events.find(({ type }) => type === 'message_delta');
  return {
    content,
    stop_reason: finish?.delta?.['stop_reason'],
    stop_sequence: finish?.delta?.['stop_sequence'],
    usage: finish?.usage ?? {},
  };
}

function apply(content: Json[], inputs: string[], index: number, delta: Json): void {
  const block = content[index];
  if (block === undefined) throw new Error('a delta for no block');
  switch (delta['type']) {
    case 'text_delta':
      block['text'] = `${block['text']}${delta['text']}`;
      return;
    case 'thinking_delta':
      block['thinking'] = `${block['thinking']}${delta['thinking']}`;
      return;
    case 'signature_delta':
      block['signature'] = delta['signature'];
      return;
    case 'input_json_delta':
      inputs[index] = `${inputs[index] ?? ''}${delta['partial_json']}`;
      return;
    case 'citations_delta':
      block['citations'] = [...((block['citations'] ?? []) as Json[]), delta['citation']];
      return;
    default:
      throw new Error(`an unknown delta: ${String(delta['type'])}`);
  }
}
