/** Models and the hosts that serve them, ready to be called. */
import type { ModelCard } from '@trivium/protocol/canonical';
import type { AnyDialect, Dialect, HostJob, ImageDialect, TargetFacts } from '@trivium/protocol/dialects';
import type { RateCard } from './price.ts';
import type { RouteFacts } from './route.ts';
import type { RequestSigner } from './upstream.ts';
import type { VideoRoute } from './video.ts';

/** Timeout classes of models, by what they do before the first token. */
const MODEL_CLASSES = ['fast', 'standard', 'reasoning', 'media'] as const;

export type ModelClass = (typeof MODEL_CLASSES)[number];

/** A model at a host, ready to be called. */
export type Target = {
  readonly provider: string;
  /** Key of host, model and credential, for state kept about them. Reveals no secret. */
  readonly routeKey: string;
  /** Position among the operator's credentials for this host, from 1. */
  readonly credential?: number;
  readonly dialect: AnyDialect;
  readonly modelId: string;
  readonly origin: string;
  readonly path: string;
  readonly streamPath: string;
  /** Paths of calls other than the usual one, by name. */
  readonly actionPaths?: Readonly<Record<string, string>>;
  /** Base path for polling jobs; only for hosts that run jobs. */
  readonly basePath?: string;
  readonly headers: readonly string[];
  /** If a fixed header with the secret is not enough. */
  readonly signer?: RequestSigner;
  readonly facts: TargetFacts;
  readonly inputModalities: ReadonlySet<string>;
  readonly route: RouteFacts;
  /** Targets of equal shape carry and lose the same parameters of any call, except for seals. */
  readonly shape: number;
  readonly card: RateCard;
  readonly modelClass: ModelClass;
  /** The same target with the operator's other credentials at this host, in order. */
  readonly spares?: readonly Target[];
};

/** With whichever of the host's credentials comes first. */
export const isSameEndpoint = (one: Target, other: Target): boolean =>
  one.provider === other.provider && one.modelId === other.modelId;

/** The part of a target that reading and writing its format needs. */
export type TargetSide = Pick<Target, 'dialect' | 'facts'>;

/** A target that answers with text, the only operation with streamed answers. */
export type TextTarget = Target & { readonly dialect: Dialect };

/** A target that makes images. */
export type ImageTarget = Target & { readonly dialect: ImageDialect };

export const answersWithText = (target: Target): target is TextTarget => target.dialect.operation === 'text';

export const answersWithImages = <T extends TargetSide>(target: T): target is T & Pick<ImageTarget, 'dialect'> =>
  target.dialect.operation === 'image';

/** Its hosts do the work later, and are asked for it. */
export const jobOf = ({ operation, client }: AnyDialect): HostJob | undefined =>
  operation === 'image' || operation === 'transcription' ? client.job : undefined;

export const listens = ({ dialect }: TargetSide): boolean => dialect.operation === 'transcription';

/** Its work is the reading of what was sent. A picture or speech that was not delivered is not paid for. */
export const isPaidUnread = (target: Target): boolean => answersWithText(target) || listens(target);

export const speaks = ({ dialect }: TargetSide): boolean => dialect.operation === 'speech';

export type DirectoryEntry = {
  readonly id: string;
  readonly outputModalities: ReadonlySet<string>;
  /** In order of preference; empty if no configured host serves the model in an implemented dialect. */
  readonly targets: readonly Target[];
  /** For models with text and image output: the same hosts, for image requests. */
  readonly imageTargets?: readonly Target[];
  /** For video models: the hosts and credentials. */
  readonly videoRoutes?: readonly VideoRoute[];
  /** How its hosts cache prompts; absent: not at all. */
  readonly promptCache?: 'auto' | 'explicit';
  /** For a name that selects among several models: their ids. */
  readonly choice?: readonly string[];
};

/** A configured host serves it, for some kind of call. */
export const isServed = ({ targets, imageTargets = [], videoRoutes = [] }: DirectoryEntry): boolean =>
  targets.length + imageTargets.length + videoRoutes.length > 0;

export type Absence =
  /** Retired by its provider, on that day (YYYY-MM-DD). */
  | { readonly kind: 'retired'; readonly day: string; readonly successor?: string }
  /** In the catalogue, but none of these providers is configured. */
  | { readonly kind: 'unserved'; readonly providers: readonly string[] }
  /** Names of callable models, the most similar first. */
  | { readonly kind: 'unknown'; readonly nearest: readonly string[] };

/** A caller's name for a host → its id. Ids are in lower case; other routers show names with capitals. */
export const hostIdOf = (name: string): string => name.toLowerCase();

/** The models that can be called now. Replaced as a whole when the configuration or catalogue changes. */
export interface Directory {
  find(model: string): DirectoryEntry | undefined;
  /** Why a model cannot be called, if `find` has no target for it. */
  absence(model: string): Absence;
  /** All hosts that the operator has configured. */
  readonly hosts: ReadonlySet<string>;
  /** All named models that one of them serves; without unlisted models of a wildcard. */
  readonly modelIds: readonly string[];
  /** With prices scaled by this factor, in millionths of the catalogue's. */
  cards(priceFactorPpm: number): readonly ModelCard[];
  card(model: string, priceFactorPpm: number): ModelCard | undefined;
}

export interface AnswerSamples {
  /** A sample of answers, for what compares them with what is known of their formats: undefined for all but a few; asked for every call to a host. */
  of(target: Pick<Target, 'provider' | 'dialect'>): AnswerSample | undefined;
}

/** One answer, as the host sends it. */
export interface AnswerSample {
  head(status: number): void;
  text(piece: string): void;
  /** Nothing follows. False: what ended it says nothing about the host. */
  end(isJudged: boolean): void;
}
