/** What the admin API needs of alerts beyond their rows. */
import type { WebhookPorts } from '../webhooks/ports.ts';
import type { AlertSettings } from './alert-watch.ts';

/** How alerts are raised and sent, now. */
type AlertsPort = {
  /** As the configuration file has them: rules of the database come on top. */
  readonly configured: () => AlertSettings;
  /** Whether a mail server is configured. */
  readonly hasMail: () => boolean;
};

export type AlertPorts = WebhookPorts & { readonly alerts: AlertsPort };
