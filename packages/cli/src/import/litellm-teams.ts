// Budgets of LiteLLM and its teams, as accounts that `trivium apply` makes.

import type { ImportDraft } from './draft.ts';
import { listOf, membersOf, numberOf, type RawMembers, textOf } from './values.ts';

/** The account that stands for the whole of the other gateway. */
const ALL = 'litellm';

type Span = 'day' | 'week' | 'month' | 'total';
const SPANS: Readonly<Record<string, Span>> = {
  '24h': 'day',
  '1d': 'day',
  '7d': 'week',
  '1w': 'week',
  '30d': 'month',
  '31d': 'month',
  '1mo': 'month',
};

interface Budget {
  readonly usd: string;
  readonly per: Span;
}

/** Up to nine decimals, never as `1e-7`. */
const usdText = (amount: number): string => amount.toFixed(9).replace(/\.?0+$/, '');

/** Undefined without a limit, or with a window that does not exist here, which is reported. */
function budgetOf(limit: unknown, duration: unknown, what: string, draft: ImportDraft): Budget | undefined {
  const amount = numberOf(limit);
  if (amount === undefined) return undefined;
  const span = textOf(duration);
  const per = span === undefined ? 'total' : SPANS[span];
  if (per !== undefined) return { usd: usdText(amount), per };
  draft.note(
    `${what}: ${usdText(amount)} USD per ${span}`,
    'NOT LIMITED until you set it: budgets are per day, week, month or in total',
  );
  return undefined;
}

const zoneOf = (litellm: RawMembers): string => textOf(litellm['timezone']) ?? 'UTC';

/** Windows begin at midnight of the zone, weeks on Monday, months on the first, as there. */
const templateOf = (each: string, { usd, per }: Budget, timeZone: string): RawMembers => ({
  ...{ each, per, usd },
  ...(timeZone !== 'UTC' && { timeZone }),
});

/** Days and months of UTC are budgets; weeks and other zones need a template. */
const isPlain = ({ per }: Budget, timeZone: string): boolean =>
  per === 'total' || (per !== 'week' && timeZone === 'UTC');

/** Budgets of the configuration file: of everything, of each user and of each end user. */
export function readBudgets(litellm: RawMembers, draft: ImportDraft): void {
  const timeZone = zoneOf(litellm);
  const all = budgetOf(litellm['max_budget'], litellm['budget_duration'], 'litellm_settings.max_budget', draft);
  const users = membersOf(litellm['default_internal_user_params']);
  const user = budgetOf(
    users['max_budget'] ?? litellm['max_internal_user_budget'],
    users['budget_duration'] ?? litellm['internal_user_budget_duration'],
    'budget of each internal user',
    draft,
  );
  for (const member of Object.keys(users).filter((one) => !['max_budget', 'budget_duration'].includes(one)))
    draft.note(
      `litellm_settings.default_internal_user_params.${member}`,
      'give members their role and keys their rights',
    );
  const end = budgetOf(litellm['max_end_user_budget'], undefined, 'litellm_settings.max_end_user_budget', draft);
  if (all === undefined && user === undefined && end === undefined) return;
  const templates = [
    ...(user === undefined ? [] : [templateOf('member', user, timeZone)]),
    // The member `user` of a request, and none for requests without it.
    ...(end === undefined ? [] : [{ ...templateOf('tag:user', end, timeZone), missing: 'shared' }]),
  ];
  if (all !== undefined && all.per === 'week')
    draft.note(
      'litellm_settings.max_budget',
      'NOT LIMITED until you set it: a group has budgets per day, month or in total',
    );
  const group = all === undefined || all.per === 'week' ? {} : { groupBudgets: { [all.per]: all.usd } };
  if (all !== undefined && all.per !== 'week' && all.per !== 'total' && timeZone !== 'UTC')
    draft.note('litellm_settings.max_budget', `the budget of a group has days and months of UTC, not of ${timeZone}`);
  draft.accounts.push({
    ...{ id: ALL, name: 'LiteLLM', kind: 'unlimited' },
    ...group,
    ...(end !== undefined && { tags: [{ key: 'user' }] }),
    ...(templates.length > 0 && { budgetTemplates: templates }),
  });
  draft.note(
    'budgets of litellm_settings',
    `they are those of the account ${ALL}: make keys in it or in an account below it; the key of the file is in another account, without a limit`,
  );
}

const TEAM_READ = new Set([
  ...['team_id', 'team_alias', 'max_budget', 'budget_duration', 'budget_reset_at', 'tpm_limit', 'rpm_limit', 'blocked'],
  ...['members_with_roles', 'members', 'admins', 'team_memberships', 'team_member_budget_table', 'models', 'spend'],
  ...['created_at', 'updated_at', 'model_spend', 'keys', 'keys_count', 'soft_budget', 'metadata', 'model_id'],
]);
const TEAM_INSTEAD: Readonly<Record<string, string>> = {
  organization_id: 'set parent to the account of the organization',
  litellm_model_table: 'its aliases hold for one team only: callers send the name of the model',
  router_settings: 'write a policy with scope.account',
};

/** The answer of `GET /team/list`: a list, or pages of it. */
export function readTeams(data: unknown, litellm: RawMembers, draft: ImportDraft): void {
  const teams = Array.isArray(data) ? data : listOf(membersOf(data)['teams']);
  if (data !== undefined && teams.length === 0) draft.note('the file of --teams', 'it holds no team');
  const ids = new Set(draft.accounts.map((account) => String(account['id'])));
  const timeZone = zoneOf(litellm);
  for (const team of teams.map((one) => membersOf(membersOf(one)['team_info'] ?? one))) {
    const name = textOf(team['team_alias']) ?? textOf(team['team_id']) ?? 'team';
    const id = accountId(name, ids);
    draft.accounts.push(accountOf(team, id, name, timeZone, ids.has(ALL), draft));
  }
  if (teams.length > 0) {
    draft.note('virtual keys', 'secrets are hashed there as here: trivium keys create <account> makes new ones');
    draft.note('what teams have spent', 'windows begin with nothing spent');
  }
}

function accountId(name: string, ids: Set<string>): string {
  const slug =
    name
      .replaceAll(/[^A-Za-z0-9._@-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 90) || 'team';
  for (let count = 1; ; count++) {
    const id = count === 1 ? slug : `${slug}-${count}`;
    if (ids.has(id)) continue;
    ids.add(id);
    return id;
  }
}

function accountOf(
  team: RawMembers,
  id: string,
  name: string,
  timeZone: string,
  isBelowAll: boolean,
  draft: ImportDraft,
): RawMembers {
  const label = `team ${name}`;
  const own = budgetOf(team['max_budget'], team['budget_duration'], label, draft);
  const table = membersOf(team['team_member_budget_table']);
  const each = budgetOf(table['max_budget'], table['budget_duration'], `${label}: each member`, draft);
  const templates = [
    ...(own !== undefined && !isPlain(own, timeZone) ? [templateOf('account', own, timeZone)] : []),
    ...(each === undefined ? [] : [{ ...templateOf('member', each, timeZone), missing: 'shared' }]),
  ];
  const rateLimits = {
    ...(numberOf(team['rpm_limit']) !== undefined && { requestsPerMinute: team['rpm_limit'] }),
    ...(numberOf(team['tpm_limit']) !== undefined && { tokensPerMinute: team['tpm_limit'] }),
  };
  const models = listOf(team['models']).flatMap((one) => textOf(one) ?? []);
  if (models.length > 0 && !models.includes('all-proxy-models'))
    draft.note(`${label}: models`, `give its keys rights.models: ${models.join(', ')}`);
  for (const [member, value] of Object.entries(team))
    if (!TEAM_READ.has(member) && isSaid(value))
      draft.note(`${label}: ${member}`, TEAM_INSTEAD[member] ?? 'it has no place here');
  const members = membersIn(team, timeZone, each, label, draft);
  return {
    ...{ id, name, kind: 'unlimited' },
    ...(team['blocked'] === true && { status: 'suspended' }),
    ...(isBelowAll && { parent: ALL }),
    ...(Object.keys(rateLimits).length > 0 && { rateLimits }),
    ...(own !== undefined && isPlain(own, timeZone) && { budgets: { [own.per]: own.usd } }),
    ...(members.length > 0 && { members }),
    ...(templates.length > 0 && { budgetTemplates: templates }),
  };
}

const isSaid = (value: unknown): boolean =>
  value !== null && value !== false && !(typeof value === 'object' && Object.keys(value).length === 0);

/** A member whose budget differs from that of each member has one of its own. */
function membersIn(
  team: RawMembers,
  timeZone: string,
  each: Budget | undefined,
  label: string,
  draft: ImportDraft,
): readonly RawMembers[] {
  const memberships = listOf(team['team_memberships']).map(membersOf);
  const names = new Set<string>();
  return listOf(team['members_with_roles'])
    .map(membersOf)
    .flatMap((member) => {
      const user = textOf(member['user_id']);
      const email = textOf(member['user_email']);
      const name = email ?? user;
      if (name === undefined || names.has(name)) return [];
      names.add(name);
      const table = membersOf(memberships.find((one) => one['user_id'] === user)?.['litellm_budget_table']);
      const own = budgetOf(table['max_budget'], table['budget_duration'], `${label}: member ${name}`, draft);
      const isSame = own?.usd === each?.usd && own?.per === each?.per;
      if (own !== undefined && !isSame && !isPlain(own, timeZone))
        draft.note(
          `${label}: member ${name}: ${own.usd} USD per ${own.per}`,
          'set it once the member exists: trivium budgets set-template --each member:<id>',
        );
      return [
        {
          name,
          ...(email !== undefined && { email }),
          role: member['role'] === 'admin' ? 'admin' : 'developer',
          ...(own !== undefined && !isSame && isPlain(own, timeZone) && { budgets: { [own.per]: own.usd } }),
        },
      ];
    });
}
