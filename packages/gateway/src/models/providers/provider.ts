// A host: offers by wire format, each with a base URL, a signer and its quirks. Data, no behaviour.

import type {
  ChatQuirks,
  CohereRerankQuirks,
  ConverseQuirks,
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
import type { Signing, SigningScheme } from './signers/schemes.ts';

export interface Offer {
  /** Without a trailing slash; may contain variables such as `{region}` for the operator to fill in. */
  readonly baseUrl: string;
  /** Other bases for certain values of `{region}`, if a host does not form its names by one rule. */
  readonly baseUrlOfRegion?: Readonly<Record<string, string>>;
  /** Values of variables the operator need not fill in. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Appended to the base; `{model}` stands for the upstream's own model id. */
  readonly path: string;
  /** The id of a model is one segment of the path: its slashes are escaped, too. */
  readonly escapesSlashes?: true;
  /** Path for streamed answers, if it differs. */
  readonly streamPath?: string;
  /** Paths of other actions, by name. */
  readonly actionPaths?: Readonly<Record<string, string>>;
  /** A header with the secret in it, or the name of a scheme that needs more. */
  readonly sign: Signing;
  /** How an identity of the machine signs in, if not by `sign`. */
  readonly identity?: SigningScheme;
  /** Optional if the host needs none unless its operator set one up; otherwise no credential means no calls. */
  readonly credential?: 'optional';
  /** Headers every call needs, e.g. an API version. */
  readonly headers?: readonly Header[];
  /** Which variant of a format the host uses, if a video format has several. */
  readonly form?: string;
  /** Only what differs from the common subset of the format. */
  readonly quirks?: Quirks;
}

export type Quirks =
  | Partial<ChatQuirks>
  | Partial<MessagesQuirks>
  | Partial<ConverseQuirks>
  | Partial<GenerateQuirks>
  | Partial<ResponsesQuirks>
  | Partial<EmbeddingsQuirks>
  | Partial<EmbedQuirks>
  | Partial<CohereRerankQuirks>
  | Partial<ImagesQuirks>
  | Partial<DashscopeImagesQuirks>
  | Partial<QueueQuirks>;

export interface Provider {
  readonly id: string;
  readonly displayName: string;
  /** True for the maker of the models it serves. */
  readonly home?: boolean;
  /** The name of this maker's models in wire formats that carry its seals; elsewhere the maker's id is used. */
  readonly sealFamily?: string;
  /** By dialect id. Formats a host does not offer are absent. */
  readonly offers: Readonly<Record<string, Offer>>;
}
