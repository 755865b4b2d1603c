/** From a request's target to its route, remembered: a gateway is asked for the same few paths all day long. */
import { BoundedMap } from '../kernel/bounded-map.ts';
import { type ParsedTarget, parseTarget } from './path-policy.ts';
import {
  FALLBACK_PROTOCOL,
  type MountedPath,
  type Mounts,
  type OpenProtocol,
  placeOf,
  type Route,
  routeOf,
} from './route-table.ts';

export type Destination = {
  /** Undefined when the target has no canonical reading. */
  readonly target: ParsedTarget | undefined;
  readonly place: MountedPath | undefined;
  readonly route: Route | undefined;
};

/** Enough for every route with every model in use; strangers who ask for more only make it forget. */
const MAX_REMEMBERED = 512;

export class Destinations {
  readonly #mounts: Mounts;
  readonly #maxLength: number;
  readonly #known: Readonly<Record<OpenProtocol, BoundedMap<string, Destination>>> = {
    chat: new BoundedMap(MAX_REMEMBERED),
    messages: new BoundedMap(MAX_REMEMBERED),
  };

  constructor(mounts: Mounts, maxLength: number) {
    this.#mounts = mounts;
    this.#maxLength = maxLength;
  }

  find(target: string, open: OpenProtocol = FALLBACK_PROTOCOL): Destination {
    const remembered = this.#known[open];
    const known = remembered.get(target);
    if (known !== undefined) return known;
    const found = this.#read(target, open);
    remembered.set(target, found);
    return found;
  }

  #read(text: string, open: OpenProtocol): Destination {
    const target = parseTarget(text, this.#maxLength);
    const place = target === undefined ? undefined : placeOf(target.segments, this.#mounts, open);
    return { target, place, route: place === undefined ? undefined : routeOf(place) };
  }
}
