/**
 * A masked stream → its text on the wire. Shortened runs are expanded again (a few frames represent many), pieces of JSON
 * are joined, and a complete event equals the sum of its pieces.
 */
import { isJsonObject, type Json, type JsonObject, numberAt, objectAt, stringAt } from '@trivium/protocol/canonical';
import { Dresser, numbered } from './dress.ts';
import type { Shape } from './shape-set.ts';

/** Number of frames that represent a run of similar ones. */
const RUN_FRAMES = 3;

type Line = { readonly event?: string; readonly data: JsonObject; readonly repeated?: number };
export type DressedFrame = { readonly event?: string; readonly data: string } | { readonly comment: string };

export function dressedFrames(shape: Shape): DressedFrame[] {
  const lines = (shape.shape as Json[]).flatMap(drawnOut);
  const jsons = jsonPieces(lines);
  const dresser = new Dresser();
  const items = new Items();
  return lines.map((line, at): DressedFrame => {
    if (typeof line === 'string') {
      if (line === '[DONE]') return { data: line };
      return line.startsWith(':') ? { comment: ' words' } : { data: '{"unreadable"' };
    }
    const pieces = placed(line.data, jsons.get(at));
    const data = shape.dialect === 'openai-responses' ? items.event(pieces, dresser) : dresser.value(pieces);
    return { ...(line.event !== undefined && { event: line.event }), data: JSON.stringify(numberCalls(data)) };
  });
}

export const wireText = (frames: readonly DressedFrame[], newline = '\n'): string =>
  frames
    .map((frame) => {
      if ('comment' in frame) return `:${frame.comment}${newline}${newline}`;
      const event = frame.event === undefined ? '' : `event: ${frame.event}${newline}`;
      return `${event}data: ${frame.data}${newline}${newline}`;
    })
    .join('');

function drawnOut(frame: Json): (string | Line)[] {
  if (typeof frame === 'string') return [frame];
  const line = frame as unknown as Line;
  return Array.from({ length: Math.min(line.repeated ?? 1, RUN_FRAMES) }, () => line);
}

/** Parallel calls were masked alike: the index distinguishes them. */
function numberCalls(data: Json): Json {
  const choice = isJsonObject(data) && Array.isArray(data['choices']) ? data['choices'][0] : undefined;
  const calls = objectAt(isJsonObject(choice) ? choice : undefined, 'delta')?.['tool_calls'];
  if (Array.isArray(calls))
    for (const call of calls)
      if (isJsonObject(call) && typeof call['id'] === 'string' && call['id'].length > 2)
        (call as Record<string, Json>)['id'] = numbered(call['id'], numberAt(call, 'index') ?? 0);
  return data;
}

/** Which call a piece of JSON belongs to; undefined where the frame holds none. */
function jsonKey(data: JsonObject): string | undefined {
  const text = JSON.stringify(data);
  if (text.includes('"<json-piece>"')) {
    const index = numberAt(data, 'index');
    return index === undefined ? `call ${/"index":(\d+),[^{]*"function"/.exec(text)?.[1]}` : `block ${index}`;
  }
  const type = stringAt(data, 'type') ?? '';
  return /(arguments|input)\.delta$/.test(type) ? `item ${numberAt(data, 'output_index')}` : undefined;
}

/** For each frame that holds a piece of JSON, the piece: all of one call's together are one object. */
function jsonPieces(lines: readonly (string | Line)[]): Map<number, string> {
  const places = new Map<string, number[]>();
  for (const [at, line] of lines.entries()) {
    const key = typeof line === 'string' ? undefined : jsonKey(line.data);
    if (key !== undefined) places.set(key, [...(places.get(key) ?? []), at]);
  }
  const pieces = new Map<number, string>();
  for (const spots of places.values())
    for (const [turn, at] of spots.entries()) {
      const first = turn === 0 ? '{"key":"value' : '';
      pieces.set(
        at,
        `${first}${turn > 0 && turn < spots.length - 1 ? '!' : ''}${turn === spots.length - 1 ? '"}' : ''}`,
      );
    }
  return pieces;
}

function placed(data: JsonObject, piece: string | undefined): JsonObject {
  if (piece === undefined) return data;
  return JSON.parse(
    JSON.stringify(data, (name, value: Json) =>
      value === '<json-piece>' || (name === 'delta' && value === '<piece>') ? piece : value,
    ),
  ) as JsonObject;
}

/** The content of each output item so far, so that later events repeat it correctly. */
class Items {
  readonly #ids: string[] = [];
  readonly #byIndex = new Map<number, { readonly id: string; text: string; thought: string; json: string }>();

  event(data: JsonObject, dresser: Dresser): Json {
    const type = stringAt(data, 'type') ?? '';
    const index = numberAt(data, 'output_index');
    const item = index === undefined ? undefined : this.#item(index);
    const out = dresser.value(data) as Record<string, Json>;
    if (item === undefined) return this.#whole(out);
    if ('item_id' in out) out['item_id'] = item.id;
    if (type.endsWith('.delta')) this.#said(item, type, stringAt(out, 'delta') ?? '');
    if (type.endsWith('.done') && 'text' in out) out['text'] = /reasoning/.test(type) ? item.thought : item.text;
    if (type.endsWith('.done') && 'arguments' in out) out['arguments'] = item.json;
    if (isJsonObject(out['part'])) out['part'] = completed(out['part'], item, type.endsWith('.done'));
    if (isJsonObject(out['item'])) out['item'] = completed(out['item'], item, type.endsWith('.done'));
    return out;
  }

  #item(index: number): { readonly id: string; text: string; thought: string; json: string } {
    const known = this.#byIndex.get(index);
    if (known !== undefined) return known;
    const item = { id: `item_${index}`, text: '', thought: '', json: '' };
    this.#byIndex.set(index, item);
    this.#ids.push(item.id);
    return item;
  }

  #said(item: { text: string; thought: string; json: string }, type: string, delta: string): void {
    if (/reasoning/.test(type)) item.thought += delta;
    else if (/(arguments|input)\.delta$/.test(type)) item.json += delta;
    else item.text += delta;
  }

  /** The response itself: its items are those of the stream, in order, whatever they are numbered. */
  #whole(out: Record<string, Json>): Json {
    const response = out['response'];
    if (!isJsonObject(response) || !Array.isArray(response['output'])) return out;
    const streamed = [...this.#byIndex.keys()].sort((a, b) => a - b).map((index) => this.#item(index));
    const output = response['output'].map((item, at) => {
      const known = streamed[at];
      return isJsonObject(item) && known !== undefined ? completed(item, known, true) : item;
    });
    return { ...out, response: { ...response, output } };
  }
}

type Streamed = { readonly id: string; readonly text: string; readonly thought: string; readonly json: string };

/** An item or part at its end (or at its beginning, when nothing has been streamed yet). */
function completed(wire: JsonObject, streamed: Streamed, isDone: boolean): JsonObject {
  const out: Record<string, Json> = { ...wire };
  if ('id' in out) out['id'] = streamed.id;
  if (!isDone) return out;
  if (typeof out['text'] === 'string' && out['text'] !== '')
    out['text'] = /reasoning|summary/.test(String(out['type']))
      ? streamed.thought || out['text']
      : streamed.text || out['text'];
  if (typeof out['arguments'] === 'string' && streamed.json !== '') out['arguments'] = streamed.json;
  if (typeof out['input'] === 'string' && streamed.json !== '') out['input'] = streamed.json;
  for (const list of ['content', 'summary'])
    if (Array.isArray(out[list]) && out[list].length === 1)
      out[list] = out[list].map((part) => (isJsonObject(part) ? completed(part, streamed, true) : part));
  return out;
}
