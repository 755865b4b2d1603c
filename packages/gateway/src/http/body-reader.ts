// What takes the bytes of a body, plain or unpacked, as they come.

/** Consumes the bytes. Both methods may throw; neither is called after a failure. */
export interface BodyReader<T> {
  take(chunk: Buffer): void;
  end(): T | Promise<T>;
  /** Called instead of `end` when the body will not be complete. */
  abandon?(): void;
}
