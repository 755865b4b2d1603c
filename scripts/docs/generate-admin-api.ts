// Writes docs/reference/admin-api.json, the OpenAPI document of the admin API, and the pages of its reference; with --check it
// only says whether they are stale.
// Run: node --conditions=trivium-source scripts/docs/generate-admin-api.ts [--check]

import { readFileSync } from 'node:fs';
import { adminDocumentWithExamples } from './api/admin-document.ts';
import { type Call, callsOf } from './api/document.ts';
import { type Api, type Group, overviewOf, pagesOf } from './api/pages.ts';
import { writeOrCheck, writeOrCheckFolder } from './generated-document.ts';

const SCRIPT = 'scripts/docs/generate-admin-api.ts';
const PAGE = new URL('../../docs/reference/admin-api.md', import.meta.url);
const MARK = '<!-- generated from here on -->';

/** Pages by the part of the path that names the resource; the first that matches. */
const GROUPS: readonly (readonly [file: string, title: string, about: string, path: RegExp])[] = [
  ['sessions', 'Sessions and sign-in', 'Sign in to the admin listener, and who is signed in.', /^\/(?:session|me)\b/],
  ['members', 'Members', 'People of an account, and their roles.', /\/(?:members|people)\b/],
  [
    'records',
    'Content capture and replay',
    'What is kept of requests, captured content, and replays.',
    /\/(?:records|wire|replay)$/,
  ],
  ['keys', 'API keys', 'Keys with their rights: create, hand over, change, rotate, revoke.', /\/(?:keys|key-links)\b/],
  ['views', 'Saved views', "Filters of the console's lists under a name.", /\/views\b/],
  ['grants', 'Signed-in apps', 'Programs in which people are signed in: list them, sign them out.', /\/grants\b/],
  [
    'people',
    'People and their settings',
    'Managed settings, and what a person gets and why.',
    /^\/(?:people|managed-settings)\b/,
  ],
  [
    'money',
    'Credit, budgets and ledger',
    'Payments, budgets, budget templates, groups of accounts, orders and the ledger.',
    /\/(?:credits|budgets|budget-templates|ledger|ledger\.csv|parent|orders)\b/,
  ],
  [
    'usage',
    'Usage and spend',
    'Sums of usage, reports by account, key, model and tag, and their files.',
    /\/(?:usage|tags|overview)\b/,
  ],
  ['requests', 'Requests', 'Single requests: lists, files, live, and each with its decision.', /\/requests\b/],
  ['providers', 'Providers', 'Credentials, their tests, and circuits.', /^\/providers\b/],
  ['models', 'Models', 'The catalogue, own models and aliases.', /^\/models\b/],
  [
    'prices',
    'Prices and terms',
    'Prices, and discounts and markups of accounts.',
    /\/(?:prices|price-versions|terms)\b/,
  ],
  ['policies', 'Routing policies', 'What routing must hold, whatever callers send.', /^\/(?:policies|what-if)\b/],
  ['alerts', 'Alerts', 'Alerts, their rules and where they are sent.', /\/alerts\b/],
  ['webhooks', 'Webhooks', 'Addresses that are called, and every delivery.', /\/(?:webhooks|deliveries)\b/],
  ['operations', 'Operations', 'Videos: their state, and cancelling them.', /\/operations\b/],
  ['audit', 'Audit log', 'Every change, and the check that none is missing.', /\/audit\b/],
  [
    'configuration',
    'Nodes and configuration',
    'Nodes, settings, what they differ in, and declared state.',
    /\/(?:nodes|config|declared)\b/,
  ],
  ['playground', 'Playground', 'Calls of the data plane, made by the console.', /^\/playground/],
  ['accounts', 'Accounts', 'Accounts: create, list, change.', /^\/(?:accounts|account-figures)\b/],
];

const document = adminDocumentWithExamples();
const calls = callsOf(document);
const groupOf = ({ path }: Call): string => {
  const own = path.replace('/admin/v1', '');
  const found = GROUPS.find(([, , , pattern]) => pattern.test(own));
  if (found === undefined) throw new Error(`${path} is in no group of ${SCRIPT}`);
  return found[0];
};
const groups: readonly Group[] = GROUPS.map(([file, title, about]) => ({
  file,
  title: `Admin API: ${/^[A-Z]{2}/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1)}`,
  about,
  calls: calls.filter((call) => groupOf(call) === file),
}));

const API: Api = {
  document,
  origin: { url: 'http://127.0.0.1:8081', variable: 'TRIVIUM_ADMIN_URL', secret: 'TRIVIUM_ADMIN_SECRET' },
  groups,
  script: SCRIPT,
  intro: 'Credentials, roles and all other calls: [Admin API](../admin-api.md).',
};

if (import.meta.main) {
  writeOrCheck({
    target: new URL('../../docs/reference/admin-api.json', import.meta.url),
    script: SCRIPT,
    text: `${JSON.stringify(document, null, 2)}\n`,
  });
  writeOrCheckFolder(
    new URL('../../docs/reference/admin/', import.meta.url),
    SCRIPT,
    pagesOf(API, 'Admin API: objects'),
  );
  const [intro = ''] = readFileSync(PAGE, 'utf8').split(MARK);
  writeOrCheck({ target: PAGE, script: SCRIPT, text: `${intro}${MARK}\n\n${overviewOf(API, 'admin').trimEnd()}\n` });
}
