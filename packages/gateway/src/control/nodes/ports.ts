/** What the admin API needs to show nodes. */
import type { ConfigurationDiff, ShownNode, ShownSetting } from './contract.ts';

/** The serving processes, and the configuration of each. */
export type NodesPort = {
  /** By id. */
  readonly list: () => Promise<readonly ShownNode[]>;
  /** Default: this node. Undefined: no such node, or it has not published its configuration. */
  readonly configuration: (node: string | undefined) => Promise<ShownConfiguration | undefined>;
  /** Against another node, or against the file. Undefined: one of them is unknown. */
  readonly diff: (node: string | undefined, against: string | undefined) => Promise<ConfigurationDiff | undefined>;
};

type ShownConfiguration = { readonly node: string; readonly hash: string; readonly items: readonly ShownSetting[] };

export type NodePorts = { readonly nodes: NodesPort };
