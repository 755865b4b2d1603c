/** The request pipeline; the order of calls here is the architecture. */
import { Exchange } from '../exchange/exchange.ts';
import type { Place } from '../kernel/admission.ts';
import type { WireCapture } from '../kernel/wire.ts';
import { isHeavyRequest } from '../lanes/heavy.ts';
import { admit, takePlace } from './admit/admit.ts';
import type { Engine } from './engine.ts';
import { authenticate, requireEndpoint } from './entry/authenticate.ts';
import { idempotencyKeyOf, withIdempotency } from './entry/idempotency.ts';
import { withTags } from './entry/tags.ts';
import { understand } from './entry/understand.ts';
import { understandElsewhere } from './entry/understand-on-thread.ts';
import { withoutTurns } from './plan/plan-among.ts';
import { resolve } from './plan/resolve.ts';
import { grow, type Identified, type Received, type Understood } from './request.ts';

export async function handle(engine: Engine, received: Received, keyInQuery: boolean): Promise<void> {
  const found = authenticate(received, engine.accounts, keyInQuery);
  const identified = found instanceof Promise ? await found : found;
  requireEndpoint(identified, received.dialect.operation);
  const place = takePlace(engine.admission.limits, identified.caller);
  try {
    const text = await received.readText(place);
    if (engine.capture?.isOn === true) capture(engine.capture, identified, text);
    const key = idempotencyKeyOf(received.headers);
    if (key === undefined) {
      await serve(engine, identified, text, place);
      return;
    }
    const how = await withIdempotency(engine.repeats, key, identified, text, {
      make: (recorded) => serve(engine, recorded, text, place),
      requireRights: async () => void resolve(await understandText(engine, identified, text), withoutTurns(engine)),
    });
    // An answer from before has no settlement to give the place back.
    if (how === 'repeated') {
      place.release();
      identified.wire?.close();
    }
  } catch (error) {
    place.release();
    throw error;
  }
}

function capture(captures: WireCapture, identified: Identified, text: string): void {
  const wire = captures.begin(identified, text);
  if (wire !== undefined) grow(identified, { wire, reply: wire.through(identified.reply) });
}

/** A promise only of a large text. That of a form is short: its files are beside it. */
export function understandText(engine: Engine, identified: Identified, text: string): Understood | Promise<Understood> {
  const { heavy, jsonBounds, sealing } = engine;
  return heavy !== undefined && identified.files === undefined && isHeavyRequest(text)
    ? understandElsewhere(identified, text, engine, heavy)
    : understand(identified, text, jsonBounds, sealing);
}

async function serve(engine: Engine, identified: Identified, text: string, place: Place): Promise<void> {
  const understanding = understandText(engine, identified, text);
  const understood = withTags(
    understanding instanceof Promise ? await understanding : understanding,
    engine.declaredTags,
  );
  const planned = resolve(understood, engine);
  const admitting = admit(planned, place, engine.admission);
  const admitted = admitting instanceof Promise ? await admitting : admitting;
  await new Exchange(admitted, engine.exchange).run();
}
