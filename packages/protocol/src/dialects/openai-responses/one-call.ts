/**
 * At most one call on the verbatim lane: everything that belongs to a further call is removed from a stream, and later
 * events are renumbered, so that neither indexes nor sequence numbers have gaps.
 */
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import type { Edit } from '../dialect.ts';

export const SECOND_CALL: readonly Loss[] = [{ path: 'output.function_call', why: 'no-equivalent' }];

const isCall = (item: Json | undefined): boolean =>
  isJsonObject(item) && (item['type'] === 'function_call' || item['type'] === 'custom_tool_call');

/** Undefined if there is no further call. */
export function withoutFurtherCalls(response: JsonObject): readonly Json[] | undefined {
  const items = arrayAt(response, 'output');
  let calls = 0;
  const kept = items.filter((item) => !isCall(item) || ++calls === 1);
  return kept.length === items.length ? undefined : kept;
}

export class OneCall {
  #calls = 0;
  #droppedFrames = 0;
  readonly #droppedPlaces = new Set<number>();

  /** The edits to an event; undefined: it is not sent to the caller. */
  edits(event: JsonObject): readonly Edit[] | undefined {
    const place = numberAt(event, 'output_index');
    if (
      stringAt(event, 'type') === 'response.output_item.added' &&
      place !== undefined &&
      isCall(objectAt(event, 'item'))
    )
      if (++this.#calls > 1) this.#droppedPlaces.add(place);
    if (place !== undefined && this.#droppedPlaces.has(place)) {
      this.#droppedFrames++;
      return undefined;
    }
    if (this.#droppedFrames === 0) return [];
    const sequence = numberAt(event, 'sequence_number');
    const before = place === undefined ? 0 : [...this.#droppedPlaces].filter((dropped) => dropped < place).length;
    return [
      ...(sequence === undefined ? [] : [{ name: 'sequence_number', value: String(sequence - this.#droppedFrames) }]),
      ...(place === undefined || before === 0 ? [] : [{ name: 'output_index', value: String(place - before) }]),
    ];
  }
}
