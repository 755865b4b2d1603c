/**
 * The events of a Responses stream → canonical events. A finished item, matched by its id, fills in what the stream
 * omitted.
 */
import type { Event } from '../../canonical/events.ts';
import type { Fault } from '../../canonical/fault.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { BlockWriter } from '../../stream/block-writer.ts';
import { type Machine, NO_LOSSES } from '../../stream/machine.ts';
import type { Frame, TargetFacts } from '../dialect.ts';
import { ENDED_EARLY, FaultyFrame, LOST_CITATIONS, readObject } from '../upstream-answers.ts';
import { answerLosses, readAnnotation } from './citations.ts';
import { usageOf } from './decode-answer.ts';
import { ItemReader } from './decode-stream-items.ts';
import { failureOf } from './faults.ts';
import { readFinish } from './finish.ts';

/** The event in a frame; undefined for end markers and records without content. */
export const parseEvent = ({ data, event }: Frame): JsonObject | FaultyFrame | undefined =>
  readObject(data, (object) => {
    const type = stringAt(object, 'type') ?? event ?? '';
    if (type === 'error' || type === '') return failureOf(objectAt(object, 'error') ?? object);
    return type === 'response.failed' ? failureOf(objectAt(objectAt(object, 'response'), 'error')) : undefined;
  });

export const eventDecoder = (target: TargetFacts): Machine<Frame, Event> => new ResponseDecoder(target);

class ResponseDecoder implements Machine<Frame, Event> {
  readonly #target: TargetFacts;
  readonly #blocks = new BlockWriter();
  readonly #items: ItemReader;
  #started = false;
  #over = false;
  /** It contained a citation that cannot be emitted. */
  #unread = false;

  constructor(target: TargetFacts) {
    this.#target = target;
    this.#items = new ItemReader(this.#blocks, target.sealOwner);
  }

  push(frame: Frame): readonly Event[] {
    const out: Event[] = [];
    if (this.#over) return out;
    const event = parseEvent(frame);
    if (event === undefined) return out;
    if (event instanceof FaultyFrame) {
      const usage = usageOf(objectAt(event.wire, 'response') ?? {}, this.#target);
      if (this.#started && Object.keys(usage).length > 0) out.push({ type: 'usage-update', usage });
      return this.#fail(event.fault, out);
    }
    this.#event(stringAt(event, 'type') ?? frame.event ?? '', event, out);
    return out;
  }

  end(): readonly Event[] {
    return this.#over ? [] : this.#fail(ENDED_EARLY, []);
  }

  losses(): readonly Loss[] {
    return this.#unread || this.#items.losesCitations ? LOST_CITATIONS : NO_LOSSES;
  }

  #event(type: string, event: JsonObject, out: Event[]): void {
    const index = numberAt(event, 'output_index') ?? 0;
    const response = objectAt(event, 'response');
    if (response !== undefined || type.startsWith('response.')) this.#start(response, out);
    const delta = stringAt(event, 'delta') ?? '';
    switch (type) {
      case 'response.output_item.added':
        this.#items.added(index, objectAt(event, 'item') ?? {}, out);
        return;
      case 'response.output_text.delta':
      case 'response.refusal.delta': {
        const kind = type === 'response.refusal.delta' ? 'refusal' : 'text';
        this.#items.said(index, numberAt(event, 'content_index') ?? 0, kind, delta, arrayAt(event, 'logprobs'), out);
        return;
      }
      case 'response.output_text.annotation.added': {
        const citation = readAnnotation(objectAt(event, 'annotation') ?? {});
        if (citation === undefined) this.#unread = true;
        else this.#items.cited(index, numberAt(event, 'content_index') ?? 0, citation, out);
        return;
      }
      case 'response.reasoning_summary_text.delta':
        this.#items.thought(index, 'summary', numberAt(event, 'summary_index') ?? 0, delta, out);
        return;
      case 'response.reasoning_text.delta':
        this.#items.thought(index, 'full', numberAt(event, 'content_index') ?? 0, delta, out);
        return;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#items.called(index, delta, out);
        return;
      case 'response.output_item.done':
        this.#items.done(index, objectAt(event, 'item') ?? {}, out);
        return;
      case 'response.completed':
      case 'response.incomplete':
        this.#finish(type.slice('response.'.length), response ?? {}, out);
        return;
    }
  }

  #start(response: JsonObject | undefined, out: Event[]): void {
    if (this.#started) return;
    this.#started = true;
    const created = numberAt(response, 'created_at');
    out.push({
      type: 'answer-start',
      id: stringAt(response, 'id') ?? '',
      model: stringAt(response, 'model') ?? '',
      ...(created !== undefined && { createdAtSeconds: created }),
    });
  }

  #finish(status: string, response: JsonObject, out: Event[]): void {
    if (answerLosses(response).length > 0) this.#unread = true;
    const { searches } = this.#items;
    const items = arrayAt(response, 'output').filter(isJsonObject);
    const indexes = this.#items.indexesOf(items);
    for (const [place, item] of items.entries()) this.#items.done(indexes[place] ?? place, item, out);
    this.#blocks.close(out);
    const usage = usageOf(response, this.#target, searches);
    if (Object.keys(usage).length > 0) out.push({ type: 'usage-update', usage });
    out.push({ type: 'answer-end', candidate: 0, finish: readFinish({ ...response, status }, this.#items.seen) });
    this.#over = true;
  }

  #fail(fault: Fault, out: Event[]): Event[] {
    this.#over = true;
    out.push({ type: 'answer-fault', fault });
    return out;
  }
}
