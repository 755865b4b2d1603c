// LiteLLM's `config.yaml`: model_list, router_settings, litellm_settings and general_settings; and its teams.

import type { ImportDraft } from './draft.ts';
import { REFERENCE, readDeployment } from './litellm-deployments.ts';
import { readFallbacks, readStrategy, type Shares } from './litellm-routing.ts';
import { readBudgets, readTeams } from './litellm-teams.ts';
import type { Deployment } from './own-model.ts';
import { listOf, membersOf, numberOf, type RawMembers, textOf } from './values.ts';

const FALLBACKS = ['fallbacks', 'context_window_fallbacks', 'content_policy_fallbacks', 'default_fallbacks'];
/** Settings that are imported, and those that need no counterpart. */
const SETTINGS_READ: Readonly<Record<string, readonly string[]>> = {
  router_settings: [
    ...FALLBACKS,
    ...['model_group_alias', 'num_retries', 'timeout', 'routing_strategy'],
    ...['redis_host', 'redis_port', 'redis_password', 'redis_url'],
  ],
  litellm_settings: [
    ...FALLBACKS,
    ...['num_retries', 'request_timeout', 'drop_params', 'set_verbose', 'json_logs', 'timezone'],
    ...['max_budget', 'budget_duration', 'max_internal_user_budget', 'internal_user_budget_duration'],
    ...['max_end_user_budget', 'default_internal_user_params'],
  ],
  general_settings: ['master_key', 'database_url'],
};

const BREAKER =
  'providers that fail are taken out of service by a circuit breaker (docs: Retries and circuit breaking)';
const CALLBACKS = 'use Prometheus metrics, the log, or webhooks';
/** What to do instead of a setting that has no counterpart. */
const INSTEAD: Readonly<Record<string, string>> = {
  'router_settings.allowed_fails': BREAKER,
  'router_settings.cooldown_time': BREAKER,
  'router_settings.retry_policy': 'retries.maxAttempts applies to all kinds of failures',
  'router_settings.provider_budget_config': 'there are no budgets of a provider: set one of an account or a tag',
  'router_settings.enable_pre_call_checks': 'prompts that do not fit are never sent to a model that is too short',
  'litellm_settings.cache': 'there is no cache of answers; provider-side prompt caching is kept',
  'litellm_settings.cache_params': 'there is no cache of answers',
  'litellm_settings.callbacks': CALLBACKS,
  'litellm_settings.success_callback': CALLBACKS,
  'litellm_settings.failure_callback': CALLBACKS,
  'litellm_settings.default_team_params': 'give new accounts their budgets in the files of trivium apply',
  'litellm_settings.default_team_settings': 'give new accounts their budgets in the files of trivium apply',
  'litellm_settings.tag_budget_config': 'declare a tag, and give its values budgets (docs: Spend by tag)',
  'general_settings.alerting': 'load deploy/prometheus/alerts.yml into Prometheus',
  guardrails: 'there are no guardrails; put them before or behind the gateway',
  mcp_servers: 'there is no MCP gateway',
  environment_variables: 'set them in the environment of the process',
};

/** `teams`: the answer of LiteLLM's `GET /team/list`, if it was given. */
export function fromLiteLlm(data: unknown, teams: unknown, draft: ImportDraft): void {
  const file = membersOf(data);
  const leftOut = readModels(file, draft);
  const [router, litellm] = [membersOf(file['router_settings']), membersOf(file['litellm_settings'])];
  readAliases(router, leftOut, draft);
  readFallbacks(router, litellm, draft);
  draft.fenceGroups();
  readBudgets(litellm, draft);
  readTeams(teams, litellm, draft);
  readSettings(file, draft);
}

type Listed = { readonly deployment: Deployment; readonly shares: Shares };

/** Returns the names without a deployment that could be imported. */
function readModels(file: RawMembers, draft: ImportDraft): ReadonlySet<string> {
  const groups = new Map<string, Listed[]>();
  const named = new Set<string>();
  for (const [at, raw] of listOf(file['model_list']).entries()) {
    const entry = membersOf(raw);
    const group = textOf(entry['model_name']);
    if (group === undefined) {
      draft.note(`model_list[${at}]`, 'it has no model_name');
      continue;
    }
    named.add(group);
    const params = membersOf(entry['litellm_params']);
    const deployment = readDeployment(group, entry, draft);
    const address = `${group}: address of ${textOf(params['model']) ?? ''}`;
    if (deployment === undefined || !draft.isAccepted(deployment, address)) continue;
    draft.addProvider(deployment);
    const shares = {
      weight: numberOf(params['weight']),
      rpm: numberOf(params['rpm']),
      tpm: numberOf(params['tpm']),
      order: numberOf(params['order']) ?? numberOf(membersOf(entry['model_info'])['order']),
    };
    groups.set(group, [...(groups.get(group) ?? []), { deployment, shares }]);
  }
  const strategy = textOf(membersOf(file['router_settings'])['routing_strategy']) ?? 'simple-shuffle';
  for (const [name, listed] of groups) addGroup(name, listed, strategy, draft);
  return new Set([...named].filter((name) => !groups.has(name)));
}

function addGroup(name: string, listed: readonly Listed[], strategy: string, draft: ImportDraft): void {
  if (name === '*') {
    draft.note(
      'model_name "*"',
      'every model of the catalogue is there already; open a provider with a model such as openai/*',
    );
    return;
  }
  // Deployments with the lowest order are called, the others after them.
  const orderOf = ({ shares }: Listed): number => shares.order ?? Number.POSITIVE_INFINITY;
  const isOrdered = listed.some((one) => one.shares.order !== undefined);
  const sorted = isOrdered
    ? [...listed].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : orderOf(a) > orderOf(b) ? 1 : 0))
    : listed;
  const group = draft.addModel(
    name,
    sorted.map(({ deployment }) => deployment),
  );
  const first = sorted.filter((one) => orderOf(one) === orderOf(sorted[0] as Listed)).length;
  readStrategy(
    group,
    sorted.map(({ shares }) => shares),
    first,
    strategy,
    draft,
  );
  let [requests, tokens] = [0, 0];
  for (const { shares } of sorted) {
    requests += shares.rpm ?? 0;
    tokens += shares.tpm ?? 0;
  }
  if (requests > 0 || tokens > 0)
    draft.limits.set(group.id, {
      ...(requests > 0 && { requestsPerMinute: requests }),
      ...(tokens > 0 && { tokensPerMinute: tokens }),
    });
}

function readAliases(router: RawMembers, leftOut: ReadonlySet<string>, draft: ImportDraft): void {
  for (const [alias, target] of Object.entries(membersOf(router['model_group_alias']))) {
    const name = textOf(target) ?? textOf(membersOf(target)['model']);
    if (name !== undefined && leftOut.has(name))
      draft.note(`router_settings.model_group_alias.${alias}`, `its model ${name} was left out`);
    else if (name !== undefined) draft.addAlias(alias, name);
  }
}

function readSettings(file: RawMembers, draft: ImportDraft): void {
  const [router, litellm, general] = ['router_settings', 'litellm_settings', 'general_settings'].map((name) =>
    membersOf(file[name]),
  ) as [RawMembers, RawMembers, RawMembers];
  const retries = numberOf(litellm['num_retries']) ?? numberOf(router['num_retries']);
  if (retries !== undefined) draft.maxAttempts = Math.min(3, retries + 1);
  const seconds = numberOf(litellm['request_timeout']) ?? numberOf(router['timeout']);
  if (seconds !== undefined) draft.totalMs = Math.round(seconds * 1000);
  if (general['database_url'] !== undefined || draft.accounts.length > 0)
    draft.databaseVariable = REFERENCE.exec(textOf(general['database_url']) ?? '')?.[1] ?? 'DATABASE_URL';
  if (general['database_url'] !== undefined)
    draft.note(
      'the tables of LiteLLM',
      'give Trivium a database of its own; pass the answer of GET /team/list as --teams, and make keys with trivium keys create',
    );
  if (['redis_host', 'redis_url'].some((name) => router[name] !== undefined)) draft.redisVariable = 'REDIS_URL';
  if (general['master_key'] !== undefined)
    draft.note(
      'general_settings.master_key',
      'the new file has one key, from TRIVIUM_KEY; trivium keys create makes others',
    );
  if (litellm['drop_params'] !== true)
    draft.note(
      'drop_params is not set',
      'Trivium drops and reports such parameters; `strict: true` on a key refuses them as LiteLLM did',
    );
  for (const [name, value] of Object.entries(file)) {
    if (name === 'model_list') continue;
    const read = SETTINGS_READ[name];
    if (read === undefined) draft.note(name, INSTEAD[name] ?? 'it has no place here');
    else
      for (const member of Object.keys(membersOf(value)))
        if (!read.includes(member))
          draft.note(`${name}.${member}`, INSTEAD[`${name}.${member}`] ?? 'it has no place here');
  }
}
