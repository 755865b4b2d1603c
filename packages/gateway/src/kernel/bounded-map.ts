/**
 * A map of at most `maxEntries`: setting an entry again makes it the newest, and a new entry evicts the oldest of a
 * full map.
 */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #maxEntries: number;
  /** Kept between evictions: a fresh iterator would step over the holes of all entries evicted since the map last grew. */
  #oldest: MapIterator<K> | undefined;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#maxEntries) this.#evict();
    this.#entries.set(key, value);
  }

  /** The value of a known key, else the result of `make`, which is then kept. */
  getOrInsertComputed(key: K, make: (key: K) => V & {}): V {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    this.set(key, made);
    return made;
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  keys(): MapIterator<K> {
    return this.#entries.keys();
  }

  entries(): MapIterator<[K, V]> {
    return this.#entries.entries();
  }

  #evict(): void {
    this.#oldest ??= this.#entries.keys();
    const { value, done } = this.#oldest.next();
    if (done !== true) this.#entries.delete(value);
  }
}
