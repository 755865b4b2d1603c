// The vendors of this dialect, as data.
import { anthropicFamilies, compatibleFamilies, type MessagesModelFamily } from './models.ts';

export interface MessagesProfile {
  readonly vendor: string;
  /** `direct`: the API's own paths and members; the clouds put model and version elsewhere. */
  readonly manner: 'direct' | 'vertex' | 'bedrock';
  readonly families: readonly MessagesModelFamily[];
  readonly ignoresUnknown: boolean;
  readonly needsVersion: boolean;
  /** Whether seals that come back are verified. */
  readonly verifiesSeals: boolean;
  /** Some hosts report the prompt's size only at the end. */
  readonly usageAtStart: boolean;
  readonly answerHeaders: Readonly<Record<string, string>>;
}

export const VERSIONS: readonly string[] = ['2023-06-01', '2026-10-21'];
/** From this version on no model accepts sampling parameters. */
export const VERSION_WITHOUT_SAMPLING = '2026-10-21';

const anthropic: MessagesProfile = {
  vendor: 'anthropic',
  manner: 'direct',
  families: anthropicFamilies,
  ignoresUnknown: false,
  needsVersion: true,
  verifiesSeals: true,
  usageAtStart: true,
  answerHeaders: {
    'anthropic-organization-id': 'simulator',
    'anthropic-ratelimit-requests-limit': '4000',
    'anthropic-ratelimit-requests-remaining': '3999',
    'anthropic-ratelimit-requests-reset': '2030-01-01T00:00:00Z',
  },
};

const compatible: MessagesProfile = {
  vendor: 'messages-compatible',
  manner: 'direct',
  families: compatibleFamilies,
  ignoresUnknown: true,
  needsVersion: false,
  verifiesSeals: false,
  usageAtStart: false,
  answerHeaders: {},
};

const vertex: MessagesProfile = {
  ...anthropic,
  vendor: 'vertex',
  manner: 'vertex',
  needsVersion: false,
  answerHeaders: {},
};
const bedrock: MessagesProfile = { ...vertex, vendor: 'bedrock', manner: 'bedrock' };

/** The version that the body must contain if the path names the model. */
export const BODY_VERSIONS: Readonly<Record<MessagesProfile['manner'], string>> = {
  direct: '',
  vertex: 'vertex-2023-10-16',
  bedrock: 'bedrock-2023-05-31',
};

export const profiles: readonly MessagesProfile[] = [anthropic, compatible, vertex, bedrock];

export function profileOf(vendor: string): MessagesProfile {
  return profiles.find((profile) => profile.vendor === vendor) ?? anthropic;
}
