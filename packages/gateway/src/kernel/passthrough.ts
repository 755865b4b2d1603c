/**
 * Paths of hosts that the operator has opened beside the calls this gateway speaks itself: how such a path may be
 * written, and which ones stay shut whatever the operator writes.
 */
import type { AnyDialect } from '@trivium/protocol/dialects';
import type { RateCard } from './price.ts';
import type { RouteFacts } from './route.ts';
import type { RequestSigner } from './upstream.ts';

export const PASSTHROUGH_MOUNT = '/passthrough';

export const PASSTHROUGH_METHODS = ['POST', 'GET'] as const;
export type PassthroughMethod = (typeof PASSTHROUGH_METHODS)[number];

/** Names it in key rights, records and budgets, where calls have a model. */
export const passthroughModel = (provider: string): string => `passthrough/${provider}`;

/** What a call costs. `metered`: units are read from the answer, and `maxUnits` of them are held. */
export type PassthroughPrice =
  | { readonly kind: 'free' }
  | { readonly kind: 'flat'; readonly card: RateCard }
  | {
      readonly kind: 'metered';
      readonly card: RateCard;
      readonly pointer: readonly string[];
      readonly maxUnits: number;
    };

/** One method and path at one host, ready to be called. */
export type PassthroughRoute = {
  readonly provider: string;
  readonly method: PassthroughMethod;
  /** As callers write it, after the host's name. */
  readonly path: string;
  readonly routeKey: string;
  readonly modelId: string;
  /** Reads the host's errors. */
  readonly dialect: AnyDialect;
  readonly origin: string;
  readonly upstreamPath: string;
  readonly headers: readonly string[];
  readonly signer?: RequestSigner;
  readonly route: RouteFacts;
  /** Absent: the operator has set none, so accounts that pay are refused. */
  readonly price?: PassthroughPrice;
};

/** As it is configured. */
export type PassthroughPriceSettings =
  | { readonly kind: 'free' }
  | { readonly kind: 'flat'; readonly picoUsd: bigint }
  | {
      readonly kind: 'metered';
      readonly picoUsd: bigint;
      readonly pointer: readonly string[];
      readonly maxUnits: number;
    };

/** `path` is complete: a route with several models is one for each of them. */
export type PassthroughRouteSettings = {
  readonly provider: string;
  readonly dialect?: string;
  readonly method: PassthroughMethod;
  readonly path: string;
  readonly price?: PassthroughPriceSettings;
};

export type Passthrough = {
  find(provider: string, method: string, path: string): PassthroughRoute | undefined;
  /** Methods of a path that are open. */
  methods(provider: string, path: string): readonly PassthroughMethod[];
  /** Opened, yet its host cannot be called: it has no credential, or not the format. */
  isUncallable(provider: string, method: string, path: string): boolean;
  readonly timeoutMs: number;
  readonly bodyBytes: number;
  readonly answerBytes: number;
};

const MAX_PATH_LENGTH = 512;
/**
 * One spelling for each path: lower case, no escapes, no empty or dotted segments, no parameters. Whatever has another
 * spelling is refused, never repaired, so that no second reader can see another path.
 */
const PLAIN = /^(?:\/[a-z0-9_-][a-z0-9_.-]*(?::[a-z0-9_-]+)?)+$/;

export const isPlainPath = (path: string): boolean =>
  path.length <= MAX_PATH_LENGTH && PLAIN.test(path) && !path.includes('..');

/** The host and the path below it; undefined: not in the one spelling. */
export function passthroughTarget(path: string): { readonly provider: string; readonly path: string } | undefined {
  if (!path.startsWith(`${PASSTHROUGH_MOUNT}/`) || !isPlainPath(path)) return undefined;
  const start = PASSTHROUGH_MOUNT.length + 1;
  const slash = path.indexOf('/', start);
  return slash === -1 ? undefined : { provider: path.slice(start, slash), path: path.slice(slash) };
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Compared without dashes and underscores, so that no other spelling of a word gets by. */
const plainWord = (segment: string): string => segment.replaceAll(/[-_]/g, '');

/** Keys, people, projects and bills of the operator's account at the host. */
const ADMIN = words(`
  admin organization organizations orgs workspaces project projects apikey apikeys key keys users user members invites
  invite groups roles serviceaccounts iam auditlogs audit billing invoices subscription subscriptions credits credit
  balance costs usage usagereport costreport certificates account accounts secrets credentials settings ratelimits
  datacontrols spend me whoami
`);
/** What answers with a credential of the host, with which callers would go there themselves. */
const TOKENS = words(`
  clientsecret clientsecrets ephemeralkeys ephemeralkey authtoken authtokens token tokens oauth oauth2 login auth
  realtime live sessions session transcriptionsessions sts signedurl signedurls getsignedurl conversationtoken
  singleusetoken temporarytoken webrtc
`);
/** What is kept under the operator's account, for all callers alike, or runs and costs later. */
const STORED = words(`
  files file uploads upload batches batch batchpredictionjobs finetuning finetune finetunes tuning tunedmodels
  vectorstores vectorstore containers assistants threads conversations evals graders agents environments memorystores
  vaults skills cachedcontents corpora datasets collections documents operations jobs deployments endpoints webhooks
  videos predictions finetunedmodels voices voicelab async queue rag stores indexes
`);
/** What this gateway serves as calls: models of keys, limits of tokens and prices of models hold there. */
const CALLS = words(`
  completions responses messages embeddings generations edits variations generatecontent streamgeneratecontent
  embedcontent batchembedcontents predict predictlongrunning rawpredict streamrawpredict converse conversestream
  invoke invokewithresponsestream completion chat generate generatetext embed
`);

/** Why a path may not be opened; undefined: it may. */
export function whyShut(path: string): string | undefined {
  if (!isPlainPath(path))
    return 'must be a plain path such as /moderations: lower case, no escapes, dots, query or trailing slash';
  for (const segment of path.split(/[/:]/)) {
    const word = plainWord(segment);
    if (ADMIN.has(word)) return `"${segment}" is about the administration of the account at the host`;
    if (TOKENS.has(word)) return `"${segment}" makes credentials or connections of the host's own`;
    if (STORED.has(word)) return `"${segment}" is stored at the host for all callers alike, or runs and costs later`;
    if (CALLS.has(word)) return `"${segment}" is served as a call, where models and prices of calls hold`;
  }
  return undefined;
}
