// What a host is: offers by wire format, each with an address, a signer and its differences. Data, no behaviour.

import type {
  ChatQuirks,
  DashscopeImagesQuirks,
  EmbeddingsQuirks,
  EmbedQuirks,
  GenerateQuirks,
  ImagesQuirks,
  MessagesQuirks,
  QueueQuirks,
  ResponsesQuirks,
} from '@trivium/protocol/dialects';
import type { Header } from './signers/headers.ts';
import type { Signing } from './signers/schemes.ts';

export interface Offer {
  /** Without a trailing slash; may hold variables such as `{region}` for the operator to fill in. */
  readonly baseUrl: string;
  /** Other bases for certain values of `{region}`, where a host does not form its names by one rule. */
  readonly baseUrlOfRegion?: Readonly<Record<string, string>>;
  /** Values of variables the operator need not fill in. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Appended to the base; `{model}` stands for the upstream's own model id. */
  readonly path: string;
  /** Path for streamed answers where it differs. */
  readonly streamPath?: string;
  /** Paths of calls that are not the usual one, by name. */
  readonly actionPaths?: Readonly<Record<string, string>>;
  /** A header with the secret in it, or the name of a scheme that needs more. */
  readonly sign: Signing;
  /** Optional where the host asks for none unless its operator set one up; elsewhere no credential means no calls. */
  readonly credential?: 'optional';
  /** Headers every call needs, e.g. an API version. */
  readonly headers?: readonly Header[];
  /** Which of a format's forms the host speaks, where a format for clips has several. */
  readonly form?: string;
  /** Only what differs from the format's common ground. */
  readonly quirks?: Quirks;
}

export type Quirks =
  | Partial<ChatQuirks>
  | Partial<MessagesQuirks>
  | Partial<GenerateQuirks>
  | Partial<ResponsesQuirks>
  | Partial<EmbeddingsQuirks>
  | Partial<EmbedQuirks>
  | Partial<ImagesQuirks>
  | Partial<DashscopeImagesQuirks>
  | Partial<QueueQuirks>;

export interface Provider {
  readonly id: string;
  readonly displayName: string;
  /** True for the maker of the models it serves. */
  readonly home?: boolean;
  /** What wire formats that have a place for this maker's seals call its models; elsewhere the maker's id is used. */
  readonly sealFamily?: string;
  /** By dialect id. What a host does not offer is absent. */
  readonly offers: Readonly<Record<string, Offer>>;
}
