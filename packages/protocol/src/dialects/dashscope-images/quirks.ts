// How one host's images differ from the format's newer form: a closed, flat record, read by this folder only.

export interface DashscopeImagesQuirks {
  /** Name prefixes of models that use the older form: a prompt instead of messages, and a path of its own. */
  readonly promptModels: readonly string[];
}

export const COMMON_DASHSCOPE_IMAGES: DashscopeImagesQuirks = { promptModels: [] };

const isOurs = (quirks: object): quirks is DashscopeImagesQuirks => 'promptModels' in quirks;

/** The quirks of a target that speaks this dialect. */
export const quirksOf = (target: { readonly quirks: object }): DashscopeImagesQuirks =>
  isOurs(target.quirks) ? target.quirks : COMMON_DASHSCOPE_IMAGES;
