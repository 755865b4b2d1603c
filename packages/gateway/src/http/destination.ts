/** From a request's target to its route, remembered: a gateway is asked for the same few paths all day long. */
import { type ParsedTarget, parseTarget } from './path-policy.ts';
import { type Mounts, type Place, placeOf, type Route, routeOf } from './route-table.ts';

export type Destination = {
  /** Undefined when the target has no canonical reading. */
  readonly target: ParsedTarget | undefined;
  readonly place: Place | undefined;
  readonly route: Route | undefined;
};

/** Enough for every route with every model in use; strangers who ask for more only make it forget. */
const MAX_REMEMBERED = 512;

export class Destinations {
  readonly #mounts: Mounts;
  readonly #maxLength: number;
  readonly #known = new Map<string, Destination>();

  constructor(mounts: Mounts, maxLength: number) {
    this.#mounts = mounts;
    this.#maxLength = maxLength;
  }

  find(target: string): Destination {
    const known = this.#known.get(target);
    if (known !== undefined) return known;
    const found = this.#read(target);
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(target, found);
    return found;
  }

  #read(text: string): Destination {
    const target = parseTarget(text, this.#maxLength);
    const place = target === undefined ? undefined : placeOf(target.segments, this.#mounts);
    return { target, place, route: place === undefined ? undefined : routeOf(place) };
  }
}
