/** The request pipeline; the order of calls here is the architecture. */

import type { BodyRoom, Place } from '../kernel/admission.ts';
import type { CallerPort } from '../kernel/caller-port.ts';
import type { JsonText, LongStrings } from '../kernel/long-strings.ts';
import { admit, takePlace } from './admit/admit.ts';
import type { Engine } from './engine.ts';
import { authenticate, requireEndpoint } from './entry/authenticate.ts';
import { callOfJob, isBackground, queueInBackground } from './entry/background.ts';
import { IDEMPOTENCY_KEY, idempotencyKeyOf, withIdempotency } from './entry/idempotency.ts';
import { isStored, keepingAnswer, STORED_DIALECT, withHistory } from './entry/stored-turns.ts';
import { tagsOf } from './entry/tags.ts';
import { SHORT_CHARACTERS, turnToRead } from './entry/turn-to-read.ts';
import { understand } from './entry/understand.ts';
import { understandImages } from './entry/understand-images.ts';
import { understandOnWorker } from './entry/understand-on-thread.ts';
import { Exchange } from './exchange/exchange.ts';
import { isHeavyRequest } from './heavy-work.ts';
import { OPERATIONS } from './operations.ts';
import { planOnLimit } from './plan/on-limit.ts';
import { withoutTurns } from './plan/plan-among.ts';
import { resolve } from './plan/resolve.ts';
import type { Identified, Received, Understood } from './request.ts';

export async function handle(engine: Engine, received: Received, keyInQuery: boolean): Promise<void> {
  const found = authenticate(received, engine.accounts, keyInQuery);
  const identified = found instanceof Promise ? await found : found;
  requireEndpoint(identified, received.dialect.operation);
  const place = takePlace(engine.admission.limits, identified.caller);
  let longStrings: LongStrings | undefined;
  try {
    const isRepeatable = received.headers.has(IDEMPOTENCY_KEY);
    const { capture: captures } = engine;
    const isCaptured = captures?.isOn === true;
    // Images are not extracted from bodies that are compared byte by byte with a first request, or captured.
    const extractLongStrings = OPERATIONS[received.dialect.operation].extractsImages && !isRepeatable && !isCaptured;
    const body = await received.readBody(place, extractLongStrings);
    longStrings = body.longStrings;
    if (isCaptured) {
      const wire = captures.begin(identified, body.text);
      if (wire !== undefined) Object.assign(identified, { wire, reply: wire.through(identified.reply) });
    }
    const key = isRepeatable ? idempotencyKeyOf(received.headers) : undefined;
    if (key === undefined) {
      await serve(engine, identified, body, place);
      return;
    }
    const how = await withIdempotency(engine.repeats, key, identified, body.text, {
      make: (recorded) => serve(engine, recorded, body, place),
      requireRights: async () =>
        void resolve(tagged(await understandText(engine, identified, body), engine), withoutTurns(engine)),
    });
    // A replayed answer has no settlement that would give the place back.
    if (how === 'repeated') {
      place.release();
      identified.wire?.close();
    }
  } catch (error) {
    place.release();
    throw error;
  } finally {
    longStrings?.release();
  }
}

/**
 * Where and how a body is parsed is decided here: at once, in a later turn of the loop, or on another thread. Returns a
 * promise only for a text that is costly to read.
 */
export function understandText(
  engine: Engine,
  identified: Identified,
  body: JsonText,
  room?: BodyRoom,
): Understood | Promise<Understood> {
  const { stored } = engine;
  if ((stored === undefined && identified.turns === undefined) || identified.dialect.id !== STORED_DIALECT)
    return understandWhole(engine, identified, body);
  const whole = withHistory(stored, engine.jsonBounds, identified, body, room);
  return whole instanceof Promise
    ? whole.then((read) => understandWhole(engine, identified, read))
    : understandWhole(engine, identified, whole);
}

function understandWhole(
  engine: Engine,
  identified: Identified,
  { text, longStrings }: JsonText,
): Understood | Promise<Understood> {
  const { heavy, jsonBounds, sealing } = engine;
  if (longStrings !== undefined) return understandExtracted(engine, identified, text, longStrings);
  if (text.length > SHORT_CHARACTERS) {
    // The text of a form is short: its files are separate.
    if (heavy !== undefined && identified.files === undefined && isHeavyRequest(text))
      return understandOnWorker(identified, text, engine, heavy);
    const turn = turnToRead(text, identified, engine.exchange.loop);
    if (turn !== undefined) return turn.then(() => understand(identified, text, jsonBounds, sealing));
  }
  return understand(identified, text, jsonBounds, sealing);
}

/** A text whose long strings were extracted is read without them if it can be, else with them. */
async function understandExtracted(
  engine: Engine,
  identified: Identified,
  text: string,
  longStrings: LongStrings,
): Promise<Understood> {
  if (!isHeavyRequest(text)) {
    const turn = turnToRead(text, identified, engine.exchange.loop);
    if (turn !== undefined) await turn;
    const understood = understandImages(identified, text, longStrings, engine);
    if (understood !== undefined) return understood;
  }
  return understandWhole(engine, identified, { text: longStrings.restore(text) });
}

/** With the tags that the account has declared: policies may ask for them. */
export function tagged(understood: Understood, { declaredTags }: Engine): Understood {
  const declared = declaredTags?.(understood.caller.accountId);
  if (declared === undefined) return understood;
  const { headers, understanding, caller } = understood;
  return Object.assign(understood, { tags: tagsOf(headers, understanding, declared, caller.tags) });
}

/** Forms for recordings have one file; others are refused when they are understood. */
async function measureRecordings({ recordings }: Engine, { files = [], caller }: Identified): Promise<void> {
  const [file] = files;
  if (recordings === undefined || file === undefined || files.length > 1) return;
  const seconds = await recordings.measure(file.pieces, caller.accountId);
  if (seconds !== undefined) Object.assign(file, { seconds });
}

async function serve(engine: Engine, identified: Identified, body: JsonText, place: Place): Promise<void> {
  if (identified.files !== undefined && identified.dialect.operation === 'transcription')
    await measureRecordings(engine, identified);
  const understanding = understandText(engine, identified, body, place);
  const understood = understanding instanceof Promise ? await understanding : understanding;
  const declared = engine.declaredTags?.(understood.caller.accountId);
  const planned = resolve(declared === undefined ? understood : tagged(understood, engine), engine);
  if (engine.background !== undefined && isBackground(planned))
    return queueInBackground(engine, engine.background, planned, place);
  if (engine.stored !== undefined && isStored(planned)) await keepingAnswer(engine.stored, planned);
  const admitting = admit(planned, place, engine.admission, engine, planOnLimit);
  const admitted = admitting instanceof Promise ? await admitting : admitting;
  await new Exchange(admitted, engine.exchange).run();
}

/** A call that was queued before, for whom it was queued: `engine` holds its money, and gets its record. */
export async function runQueued(engine: Engine, job: string, reply: CallerPort, place: Place): Promise<void> {
  const call = callOfJob(job, reply, engine.clock);
  const understanding = understandWhole(engine, call.identified, { text: call.text });
  const understood = understanding instanceof Promise ? await understanding : understanding;
  const planned = resolve(tagged(understood, engine), engine);
  await new Exchange(await admit(planned, place, engine.admission, engine), engine.exchange).run();
}
