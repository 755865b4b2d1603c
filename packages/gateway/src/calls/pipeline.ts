/** The request pipeline; the order of calls here is the architecture. */

import type { Place } from '../kernel/admission.ts';
import type { JsonText, LongStrings } from '../kernel/long-strings.ts';
import type { WireCapture } from '../kernel/wire.ts';
import { admit, takePlace } from './admit/admit.ts';
import type { Engine } from './engine.ts';
import { authenticate, requireEndpoint } from './entry/authenticate.ts';
import { hasIdempotencyKey, idempotencyKeyOf, withIdempotency } from './entry/idempotency.ts';
import { withTags } from './entry/tags.ts';
import { SHORT_CHARACTERS, turnToRead } from './entry/turn-to-read.ts';
import { understand } from './entry/understand.ts';
import { understandImages } from './entry/understand-images.ts';
import { understandElsewhere } from './entry/understand-on-thread.ts';
import { Exchange } from './exchange/exchange.ts';
import { isHeavyRequest } from './heavy-work.ts';
import { mayShowImages } from './operations.ts';
import { withoutTurns } from './plan/plan-among.ts';
import { resolve } from './plan/resolve.ts';
import { grow, type Identified, type Received, type Understood } from './request.ts';

export async function handle(engine: Engine, received: Received, keyInQuery: boolean): Promise<void> {
  const found = authenticate(received, engine.accounts, keyInQuery);
  const identified = found instanceof Promise ? await found : found;
  requireEndpoint(identified, received.dialect.operation);
  const place = takePlace(engine.admission.limits, identified.caller);
  let longStrings: LongStrings | undefined;
  try {
    const body = await received.readBody(place, mayHoldImages(engine, received));
    longStrings = body.longStrings;
    if (engine.capture?.isOn === true) capture(engine.capture, identified, body.text);
    const key = idempotencyKeyOf(received.headers);
    if (key === undefined) {
      await serve(engine, identified, body, place);
      return;
    }
    const { text } = body;
    const how = await withIdempotency(engine.repeats, key, identified, text, {
      make: (recorded) => serve(engine, recorded, body, place),
      requireRights: async () => void resolve(await understandText(engine, identified, text), withoutTurns(engine)),
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

function capture(captures: WireCapture, identified: Identified, text: string): void {
  const wire = captures.begin(identified, text);
  if (wire !== undefined) grow(identified, { wire, reply: wire.through(identified.reply) });
}

/** Returns a promise only for a text that is costly to read. The text of a form is short: its files are separate. */
export function understandText(engine: Engine, identified: Identified, text: string): Understood | Promise<Understood> {
  const { heavy, jsonBounds, sealing } = engine;
  if (heavy !== undefined && identified.files === undefined && isHeavyRequest(text))
    return understandElsewhere(identified, text, engine, heavy);
  const turn = text.length > SHORT_CHARACTERS ? turnToRead(text, identified, engine.exchange.loop) : undefined;
  return turn === undefined
    ? understand(identified, text, jsonBounds, sealing)
    : turn.then(() => understand(identified, text, jsonBounds, sealing));
}

/**
 * Images are not extracted from bodies that are compared byte by byte with a first request (idempotency) or captured.
 */
const mayHoldImages = ({ capture }: Engine, { dialect, headers }: Received): boolean =>
  mayShowImages(dialect) && !hasIdempotencyKey(headers) && capture?.isOn !== true;

async function understandShort(
  engine: Engine,
  identified: Identified,
  text: string,
  longStrings: LongStrings,
): Promise<Understood> {
  const turn = turnToRead(text, identified, engine.exchange.loop);
  if (turn !== undefined) await turn;
  return (
    understandImages(identified, text, longStrings, engine) ??
    understandText(engine, identified, longStrings.restore(text))
  );
}

async function serve(engine: Engine, identified: Identified, body: JsonText, place: Place): Promise<void> {
  const { text, longStrings } = body;
  const understanding =
    longStrings === undefined || isHeavyRequest(text)
      ? understandText(engine, identified, longStrings?.restore(text) ?? text)
      : understandShort(engine, identified, text, longStrings);
  const understood = withTags(
    understanding instanceof Promise ? await understanding : understanding,
    engine.declaredTags,
  );
  const planned = resolve(understood, engine);
  const admitting = admit(planned, place, engine.admission);
  const admitted = admitting instanceof Promise ? await admitting : admitting;
  await new Exchange(admitted, engine.exchange).run();
}
