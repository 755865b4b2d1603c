/** Events → the events of a Responses stream for a caller, numbered from `response.created` to the one that ends it. */

import type { Event, Finish } from '../../canonical/events.ts';
import type { Fault } from '../../canonical/fault.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { mergeUsage, type Usage } from '../../canonical/usage.ts';
import { loseBlocked, loseFinish, loseNotes } from '../../passes/untold-notes.ts';
import type { Machine } from '../../stream/machine.ts';
import type { AnswerContext, Frame } from '../dialect.ts';
import { BAD_TOOL_CALL } from './encode-answer.ts';
import { errorEvent } from './faults.ts';
import { type Ending, FILTERED, UNFIT, writeFinish } from './finish.ts';
import { OutputBuilder } from './output-builder.ts';
import { responseObject, type State } from './response-object.ts';

export const eventEncoder = (context: AnswerContext): Machine<Event, Frame> => new ResponseEncoder(context);

class ResponseEncoder implements Machine<Event, Frame> {
  readonly #context: AnswerContext;
  readonly #builder: OutputBuilder;
  #out: Frame[] = [];
  #next = 0;
  #started = false;
  #over = false;
  #usage: Usage = {};

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#builder = new OutputBuilder(context, (type, members) => this.#emit(type, members));
  }

  losses(): readonly Loss[] {
    return this.#builder.losses.all;
  }

  push(event: Event): readonly Frame[] {
    this.#out = [];
    if (!this.#over) this.#take(event);
    return this.#out;
  }

  end(): readonly Frame[] {
    return [];
  }

  #take(event: Event): void {
    switch (event.type) {
      case 'answer-start':
        this.#start();
        return;
      case 'block-start':
        if (event.candidate === 0) this.#builder.push(event);
        return;
      case 'block-delta':
      case 'block-note':
      case 'block-seal':
      case 'block-end':
        this.#builder.push(event);
        return;
      case 'usage-update':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return;
      case 'answer-note':
        if (event.candidate === 0) loseNotes(event.extras, this.#builder.losses);
        return;
      case 'answer-end':
        this.#finish(event.finish);
        return;
      case 'prompt-blocked':
        loseBlocked(event, this.#builder.losses);
        this.#close(FILTERED);
        return;
      case 'answer-fault':
        this.#fail(event.fault);
        return;
    }
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    const response = responseObject(this.#context, { status: 'in_progress' }, [], undefined);
    this.#emit('response.created', { response });
    this.#emit('response.in_progress', { response });
  }

  #finish(finish: Finish): void {
    const { reason } = finish;
    if (reason === 'bad-tool-call') this.#fail(BAD_TOOL_CALL);
    else {
      loseFinish(finish, 'status', UNFIT, this.#builder.losses);
      this.#close(undefined, reason);
    }
  }

  #close(ending: Ending | undefined, reason: Finish['reason'] = 'filter'): void {
    this.#builder.finish();
    const end = ending ?? writeFinish(reason, this.#builder.seen);
    this.#emit(`response.${end.status}`, { response: this.#response(end) });
    this.#over = true;
  }

  #fail(fault: Fault): void {
    this.#start();
    const { type: _, ...members } = errorEvent(fault, this.#next);
    this.#emit('error', members);
    this.#emit('response.failed', { response: this.#response({ status: 'failed', fault }) });
    this.#over = true;
  }

  #response(state: State): JsonObject {
    return responseObject(this.#context, state, this.#builder.output(), this.#usage);
  }

  #emit(type: string, members: JsonObject): void {
    const data = JSON.stringify({ type, ...members, sequence_number: this.#next++ });
    this.#out.push({ event: type, data });
  }
}
