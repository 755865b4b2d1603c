/** What the admin API needs of captured content. */

import type { StoredTurns } from '../../media/responses/stored-turns.ts';
import type { DatabasePorts, VaultPort } from '../api/route.ts';
import type { PlaygroundPorts } from '../playground/ports.ts';
import type { RequestPorts } from '../requests/requests-port.ts';
import type { ContentStore } from './content-store.ts';
import type { CaptureRows } from './ports.ts';
import type { RedactText } from './stored-wire.ts';

/** Captured content of requests. */
export type CapturedPort = Pick<CaptureRows, 'find' | 'rulesAt'> &
  Pick<ContentStore, 'read' | 'erase'> & {
    /** This node applies the rules in force; other nodes do when they are notified. */
    readonly follow: () => Promise<void>;
    /** Where this node stores content. */
    readonly storageKind: 'folder' | 's3';
    /** Why some content may not be readable on every node; undefined: all of it is. */
    readonly storageWarning: () => Promise<string | undefined>;
  };

export type CapturedPorts = DatabasePorts & {
  readonly captured: CapturedPort;
  readonly hosts: VaultPort;
};
/** Responses that callers store. */
type ResponsesPort = Pick<StoredTurns, 'read'> & { readonly redact: () => RedactText };
export type StoredPorts = DatabasePorts & RequestPorts & { readonly responses: ResponsesPort };

export type WirePorts = CapturedPorts & RequestPorts & PlaygroundPorts;
