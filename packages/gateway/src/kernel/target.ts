/** Models and the hosts that serve them, ready to be called. */
import type { ModelCard } from '@trivium/protocol/canonical';
import type { AnyDialect, Dialect, ImageDialect, TargetFacts } from '@trivium/protocol/dialects';
import type { RateCard } from '../prices/rates.ts';
import type { RouteFacts } from '../routing/candidate.ts';
import type { RequestSigner } from './upstream.ts';
import type { VideoRoute } from './video.ts';

/** How long a model of a kind may take: by what it does before it speaks. */
const MODEL_CLASSES = ['fast', 'standard', 'reasoning', 'media'] as const;

export type ModelClass = (typeof MODEL_CLASSES)[number];

/** A model behind a host, ready to be called. */
export type Target = {
  readonly provider: string;
  /** The host, the model and the credential, for whatever is remembered of them. Shows no secret. */
  readonly routeKey: string;
  /** Its place among the operator's credentials for this host, from 1. */
  readonly credential?: number;
  readonly dialect: AnyDialect;
  readonly modelId: string;
  readonly origin: string;
  readonly path: string;
  readonly streamPath: string;
  /** Where a call that is not the usual one goes, by its name. */
  readonly actionPaths?: Readonly<Record<string, string>>;
  /** Below which the host is asked after jobs; only where it takes some. */
  readonly basePath?: string;
  readonly headers: readonly string[];
  /** Where a fixed header with the secret is not enough. */
  readonly signer?: RequestSigner;
  readonly facts: TargetFacts;
  readonly inputModalities: ReadonlySet<string>;
  readonly route: RouteFacts;
  /** Targets of the same shape would carry and lose the same of any call, but for seals. */
  readonly shape: number;
  readonly card: RateCard;
  readonly modelClass: ModelClass;
  /** The same under the operator's other credentials at this host, in their order. */
  readonly spares?: readonly Target[];
};

/** As much of a target as reading and writing for it takes. */
export type TargetSide = Pick<Target, 'dialect' | 'facts'>;

/** One that answers with text, the only operation whose answers can be streamed. */
export type TextTarget = Target & { readonly dialect: Dialect };

/** One that makes images. */
export type ImageTarget = Target & { readonly dialect: ImageDialect };

export const answersWithText = (target: Target): target is TextTarget => target.dialect.operation === 'text';

export const answersWithImages = <T extends TargetSide>(target: T): target is T & Pick<ImageTarget, 'dialect'> =>
  target.dialect.operation === 'image';

export type DirectoryEntry = {
  readonly id: string;
  readonly outputModalities: ReadonlySet<string>;
  /** In order of preference; empty when no configured host serves the model in a dialect that is built. */
  readonly targets: readonly Target[];
  /** Of models that give text and images: the same hosts, asked for images. */
  readonly imageTargets?: readonly Target[];
  /** Of models that make clips: where, and under which credentials. */
  readonly videoRoutes?: readonly VideoRoute[];
  /** How its hosts cache prompts; absent: not at all. */
  readonly promptCache?: 'auto' | 'explicit';
  /** Of a name that stands for several models: their ids. */
  readonly choice?: readonly string[];
};

export type Absence =
  /** Switched off by its maker, on that day (YYYY-MM-DD). */
  | { readonly kind: 'retired'; readonly day: string; readonly successor?: string }
  /** In the catalogue, and none of these providers is configured. */
  | { readonly kind: 'unserved'; readonly providers: readonly string[] }
  /** The names of models that can be called, the nearest first. */
  | { readonly kind: 'unknown'; readonly nearest: readonly string[] };

/** The models as they can be called now. Replaced whole when config or catalogue change. */
export interface Directory {
  find(model: string): DirectoryEntry | undefined;
  /** Why a name cannot be called, of one that `find` has no target for. */
  absence(model: string): Absence;
  /** Every host the operator has configured. */
  readonly hosts: ReadonlySet<string>;
  /** Every model with a name of its own that one of them serves; unlisted models of a wildcard are not among them. */
  readonly modelIds: readonly string[];
  /** With prices scaled by this factor, in millionths of the catalogue's. */
  cards(priceFactorPpm: number): readonly ModelCard[];
  card(model: string, priceFactorPpm: number): ModelCard | undefined;
}
