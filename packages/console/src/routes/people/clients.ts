/** Kinds of programs in which people sign in. */

import type { Schemas } from '../../api/client.ts';
import { msg, t } from '../../i18n/t.ts';

type Client = Schemas['SignedInApp']['client'];

/** As the gateway calls those that it knows; names of products are the same in all languages. */
const CLIENT_NAMES: Readonly<Record<Client, string>> = {
  'claude-code': 'Claude Code',
  'trivium-cli': 'Trivium command line',
  app: msg('app'),
};

/** One that this console does not know is shown as it is. */
export const clientName = (client: string): string => t(CLIENT_NAMES[client as Client] ?? client);
