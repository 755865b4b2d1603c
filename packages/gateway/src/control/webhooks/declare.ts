/** Webhooks of accounts as files declare them: by URL. A URL or a signing secret may be a reference, which is all that is kept of it. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import Type, { type Static } from 'typebox';
import { withBefore } from '../api/change.ts';
import {
  type Applying,
  declaredKind,
  differenceOf,
  entriesOf,
  given,
  type Had,
  hasList,
  referenceOr,
  secretReference,
  textOf,
  type Wanted,
} from '../api/declared.ts';
import { newId } from '../api/ids.ts';
import { requireVault } from '../api/route.ts';
import { NewWebhook } from './contract.ts';
import type { WebhookPorts } from './ports.ts';
import {
  countWebhooks,
  deleteWebhook,
  insertWebhook,
  MAX_PER_ACCOUNT,
  rotateWebhook,
  secretOf,
  updateWebhook,
  type WebhookRow,
  webhookIdentity,
} from './rows.ts';
import { isWebhookSecret, newWebhookSecret } from './signature.ts';

const webhookMembers = {
  url: Type.Union([NewWebhook.properties.url, secretReference('The URL by reference.')]),
  events: NewWebhook.properties.events,
  secret: Type.Optional(
    secretReference(
      'The secret that signs its messages: `whsec_` and 24 to 64 bytes in base64. Absent: generated, and given out once.',
    ),
  ),
};
const WebhookEntry = Type.Object(webhookMembers);
type WebhookEntry = Static<typeof WebhookEntry>;
type At = Applying<WebhookPorts>;

/** URLs may hold tokens: what is kept names them by their hash. */
const identityOf = (url: string): string => createHash('sha256').update(url).digest('hex');

/** Messages in the queue are still signed with both. */
const GRACE_SECONDS = 86_400;

function sealed(at: At, account: string, id: string, secret: string) {
  return requireVault(at.ports.hosts).seal(webhookIdentity(account, id), secret);
}

const isOtherSecret = (at: At, wanted: Wanted, had: Had): boolean => {
  const { secret } = wanted.secrets ?? {};
  if (secret === undefined) return false;
  return (
    requireVault(at.ports.hosts).open(webhookIdentity(had.account, had.id), secretOf(had.row as WebhookRow)) !== secret
  );
};

export const webhookKind = declaredKind<WebhookPorts>({
  kind: 'webhook',
  permission: 'admin',
  schema: {
    account: {
      webhooks: Type.Optional(
        Type.Array(Type.Object(webhookMembers, { additionalProperties: false }), { maxItems: MAX_PER_ACCOUNT }),
      ),
    },
  },
  hasSecret: ({ secrets }) => secrets?.['secret'] === undefined,
  *wanted(document, at) {
    for (const { account, entry, path } of entriesOf<WebhookEntry>(document, 'webhooks')) {
      const { shown, text: url } = textOf(entry.url);
      const { secret, events = null } = entry;
      const problem = at.ports.webhooks.problemWith(url);
      if (problem !== undefined) at.report([...path, 'url'], problem);
      if (secret?.value !== undefined && !isWebhookSecret(secret.value))
        at.report([...path, 'secret'], 'must be whsec_ and 24 to 64 bytes in base64');
      const value = given({ url: shown, events, secret: secret?.from });
      const secrets = given({ url, secret: secret?.value }) as Record<string, string>;
      yield { account, name: shown, identity: identityOf(url), value, path, secrets };
    }
  },
  isListed: (document, had) => hasList(document, had, 'webhooks'),
  read: async (at) => {
    const { rows } = await sql<WebhookRow>`
      select * from webhooks where ${at.accounts === undefined ? sql`true` : sql`account_id = any(${at.accounts})`}
      order by account_id, url, id`.execute(at.db);
    return rows.map((row) => {
      const { account_id: account, id, url, events } = row;
      const identity = identityOf(url);
      const { url: shown = url, secret } = at.kept('webhook', account, identity) ?? {};
      return { account, id, name: String(shown), identity, value: given({ url: shown, events, secret }), row };
    });
  },
  difference: (at, wanted, had) => {
    if (had === undefined) return { after: wanted.value };
    const { secret, ...compared } = wanted.value;
    const difference = differenceOf(compared, had.value);
    if (!isOtherSecret(at, wanted, had)) return difference;
    return { before: { ...difference?.before, secret: 'another' }, after: { ...difference?.after, secret } };
  },
  create: async (at, wanted) => {
    for (const one of wanted) {
      const id = newId('wh');
      const { url = '', secret = newWebhookSecret() } = one.secrets ?? {};
      const events = one.value['events'] as WebhookEntry['events'];
      await insertWebhook(at.db, {
        url,
        ...(events != null && { events }),
        accountId: one.account,
        id,
        secret: sealed(at, one.account, id, secret),
      });
      if ((await countWebhooks(at.db, one.account)) > MAX_PER_ACCOUNT)
        at.report(one.path, `an account has ${MAX_PER_ACCOUNT} webhooks at most`);
      at.made('webhook', one, id);
      if (one.secrets?.['secret'] === undefined) at.giveSecret('webhook', one, secret);
      at.note({ accountId: one.account, action: 'webhook.add', subject: id, detail: { url: one.name } });
    }
  },
  change: async (at, changes) => {
    for (const { wanted, had } of changes) {
      const events = (wanted.value['events'] ?? null) as WebhookRow['events'];
      await updateWebhook(at.db, had.account, had.id, { events: events === null ? null : [...events] });
      const { secret } = wanted.secrets ?? {};
      if (secret !== undefined && isOtherSecret(at, wanted, had))
        await rotateWebhook(at.db, had.account, had.id, sealed(at, had.account, had.id, secret), GRACE_SECONDS);
      at.note({
        accountId: had.account,
        action: 'webhook.change',
        subject: had.id,
        detail: withBefore({ events }, had.value),
      });
    }
  },
  remove: async (at, had) => {
    for (const { account, id } of had) {
      await deleteWebhook(at.db, account, id);
      at.note({ accountId: account, action: 'webhook.remove', subject: id, detail: {} });
    }
  },
  write: (had, into) => {
    for (const { account, name, value } of [...had].sort((one, other) => (one.name < other.name ? -1 : 1))) {
      const { url, events, secret } = value;
      into.add(
        'webhooks',
        account,
        name,
        given({
          url: referenceOr(url),
          events: events ?? undefined,
          secret: secret && referenceOr(secret),
        }),
      );
    }
  },
});
