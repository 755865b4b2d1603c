/** What the admin API needs of webhooks beyond their rows. */
import type { DatabasePorts, VaultPort } from '../api/route.ts';

/** Allowed destinations of webhooks, now. */
export type WebhooksPort = {
  /** Why a URL is not allowed; undefined if it is. */
  readonly problemWith: (url: string) => string | undefined;
};

export type WebhookPorts = DatabasePorts & { readonly webhooks: WebhooksPort; readonly hosts: VaultPort };
