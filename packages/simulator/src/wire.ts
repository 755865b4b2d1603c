// What passes between a caller and a vendor: a request, and the events of a streamed answer before they are framed.
import type { IncomingHttpHeaders } from 'node:http';

export interface VendorRequest {
  /** Profile name, e.g. `openai`. */
  readonly vendor: string;
  /** Label after `@` in the address; seals are bound to it. */
  readonly host: string;
  readonly method: string;
  /** Path below the vendor, without query. */
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** Number of this request: ids are derived from it. */
  readonly sequence: number;
  readonly createdS: number;
}

/** One event of a stream before framing. `piece` frames carry `tokens`; `block` frames only add structure. */
export interface StreamFrame {
  readonly kind: 'open' | 'block' | 'piece' | 'finish' | 'usage' | 'done' | 'error';
  /** Set on the last frame of dialects without an end marker besides the finish. */
  readonly isEnd?: boolean;
  /** Its checksum is wrong, in framings that have one. */
  readonly isCorrupt?: true;
  readonly event?: string;
  readonly data: string;
  readonly tokens: number;
}

export type Framing = 'events' | 'json-array' | 'aws-events' | 'aws-named-events';

export function headerText(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
