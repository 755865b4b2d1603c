/**
 * How the models behind one host differ. The format is one, but what it may hold depends on the maker of the model, so
 * hosts list families by the beginnings of model ids; only the codecs of this folder read them.
 */

export interface FamilyRules {
  /** Which tool choices are accepted. A forced choice becomes the strongest of them. */
  readonly toolChoices: readonly ('auto' | 'any' | 'tool')[];
  /** A call may be forced while the model reasons. */
  readonly forcedWhileReasoning: boolean;
  /** How an answer is bound to a schema: `outputConfig.textFormat`, a forced tool, or an instruction. */
  readonly jsonSchema: 'native' | 'tool' | 'instruction';
  /** The member of the body that takes an effort, as a dotted path; empty if there is none. */
  readonly effortAt: string;
  /** Members that must stand beside the effort, by their dotted paths. */
  readonly effortWith: Readonly<Record<string, string>>;
  /** An effort at which no output limit is accepted; empty if there is none. */
  readonly uncappedEffort: string;
  /** The member that takes a thinking object with a budget or without one; empty if there is none. */
  readonly thinkingAt: string;
  /** Earlier reasoning comes back with its signature, without, or not at all. */
  readonly reasoningBack: 'signed' | 'unsigned' | 'none';
  /** The member that takes top-k, as a dotted path; empty if there is none. */
  readonly topKAt: string;
  readonly stopSequences: boolean;
  /** A pointer into the host's own answer to the stop sequence that ended it; empty if it has none. */
  readonly stopMatchedAt: string;
  /** Most cache points of a request. */
  readonly cachePoints: number;
  /** A cache point may say how long it lives. */
  readonly cacheTtl: boolean;
  /** Cache points are accepted among tools, and beside calls and results. */
  readonly cacheWithTools: boolean;
  readonly minOutputTokens: number;
  /** Exact length of tool call ids; 0: any up to the format's. */
  readonly callIdLength: number;
  /** Results may hold images and documents, and say that they are errors. */
  readonly richResults: boolean;
  /** Documents can be cited, and search results are accepted as blocks. */
  readonly sources: boolean;
  /** A last message of the assistant is continued. */
  readonly prefill: boolean;
  /** The host counts the tokens of a prompt. */
  readonly counts: boolean;
}

/** `models`: beginnings of ids without the prefix of a region's profile. */
export type ModelFamily = Partial<FamilyRules> & { readonly models: readonly string[] };

export interface ConverseQuirks {
  /** The first that matches holds. */
  readonly families: readonly ModelFamily[];
}

/** What the format can hold, for models of no listed family. */
const COMMON_FAMILY: FamilyRules = {
  toolChoices: ['auto', 'any', 'tool'],
  forcedWhileReasoning: true,
  jsonSchema: 'native',
  effortAt: 'outputConfig.effort',
  effortWith: {},
  uncappedEffort: '',
  thinkingAt: '',
  reasoningBack: 'signed',
  topKAt: '',
  stopSequences: true,
  stopMatchedAt: '',
  cachePoints: 4,
  cacheTtl: true,
  cacheWithTools: true,
  minOutputTokens: 1,
  callIdLength: 0,
  richResults: true,
  sources: true,
  prefill: false,
  counts: true,
};

const built = new WeakMap<ModelFamily, FamilyRules>();

/** The id may be a plain one, a profile's (`eu.maker.model`), or the end of a resource name (`…/eu.maker.model`). */
export function familyOf({
  upstreamModel,
  quirks,
}: {
  readonly upstreamModel: string;
  readonly quirks: object;
}): FamilyRules {
  const { families = [] } = quirks as Partial<ConverseQuirks>;
  const id = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1);
  const family = families.find(({ models }) =>
    models.some((start) => id.startsWith(start) || id.slice(id.indexOf('.') + 1).startsWith(start)),
  );
  if (family === undefined) return COMMON_FAMILY;
  const known = built.get(family);
  if (known !== undefined) return known;
  const rules = { ...COMMON_FAMILY, ...family };
  built.set(family, rules);
  return rules;
}
