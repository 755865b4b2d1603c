/**
 * The settings of Claude Code that may be managed: their names and forms, as its documentation describes them. What has its own
 * grammar there (hooks, marketplaces, sandboxes) is checked down to the members that have names.
 */

type Form =
  | 'flag'
  | 'number'
  | 'text'
  | 'texts'
  /** An object, or a list of objects, that only Claude Code reads. */
  | 'object'
  | 'objects'
  | 'variables'
  | { readonly oneOf: readonly string[] }
  | { readonly any: readonly Form[] }
  | { readonly each: Form }
  | { readonly map: Form }
  | { readonly members: Members };
type Members = Readonly<Record<string, Form>>;

const SERVERS: Form = { each: { members: { serverName: 'text', serverCommand: 'texts', serverUrl: 'text' } } };
const COMMAND: Form = { members: { type: 'text', command: 'text' } };
const HOOKS: Form = {
  map: {
    each: {
      members: {
        matcher: 'text',
        hooks: {
          each: {
            members: {
              type: { oneOf: ['command', 'prompt', 'agent', 'http', 'mcp_tool'] },
              command: 'text',
              args: 'texts',
              async: 'flag',
              asyncRewake: 'flag',
              shell: { oneOf: ['bash', 'powershell'] },
              prompt: 'text',
              model: 'text',
              continueOnBlock: 'flag',
              url: 'text',
              headers: { map: 'text' },
              allowedEnvVars: 'texts',
              server: 'text',
              tool: 'text',
              input: 'object',
              timeout: 'number',
              if: 'text',
              statusMessage: 'text',
            },
          },
        },
      },
    },
  },
};
const MODES = ['default', 'acceptEdits', 'plan', 'auto', 'manual', 'delegate', 'dontAsk', 'bypassPermissions'];

const FLAGS = `agentPushNotifEnabled allowAllClaudeAiMcps allowManagedHooksOnly allowManagedMcpServersOnly
  allowManagedPermissionRulesOnly alwaysThinkingEnabled autoCompactEnabled autoConnectIde autoInstallIdeExtension
  autoMemoryEnabled autoScrollEnabled awaySummaryEnabled axScreenReader channelsEnabled disableAgentView disableAllHooks
  disableArtifact disableBrowserExternalNavigation disableBundledSkills disableClaudeAiConnectors
  disableMobileSimulatorTools disableRemoteControl disableSideloadFlags disableSkillShellExecution disableWorkflows
  emojiCompletionEnabled enableAllProjectMcpServers enableArtifact enforceAvailableModels externalEditorContext fastMode
  fastModePerSessionOptIn fileCheckpointingEnabled forceRemoteSettingsRefresh includeCoAuthoredBy includeGitInstructions
  inputNeededNotifEnabled permissionExplainerEnabled prefersReducedMotion remoteControlAtStartup
  requireCoworkFullVmSandbox respectGitignore respondToBashCommands showClearContextOnPlanAccept showThinkingSummaries
  showTurnDuration skipDangerousModePermissionPrompt skipWebFetchPreflight spinnerTipsEnabled syntaxHighlightingDisabled
  terminalProgressBarEnabled useAutoModeDuringPlan verbose voiceEnabled wheelScrollAccelerationEnabled
  workflowKeywordTriggerEnabled wslInheritsWindowsSettings`;
const TEXTS = `$schema advisorModel agent apiKeyHelper autoMemoryDirectory awsAuthRefresh awsCredentialExport claudeMd
  gcpAuthRefresh language minimumVersion model otelHeadersHelper outputStyle plansDirectory pluginTrustMessage
  processWrapper prUrlTemplate requiredMaximumVersion requiredMinimumVersion teammateDefaultModel theme`;
const LISTS = `allowedHttpHookUrls availableModels claudeMdExcludes companyAnnouncements disabledMcpjsonServers
  enabledMcpjsonServers fallbackModel httpHookAllowedEnvVars pluginSuggestionMarketplaces skippedMarketplaces
  skippedPlugins sshHostAllowlist`;
const NUMBERS = 'cleanupPeriodDays feedbackSurveyRate skillListingBudgetFraction skillListingMaxDescChars';

const named = (names: string, form: Form): Members =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, form]));

/** `forceLoginMethod` and `forceLoginGatewayUrl` are missing: they say where a laptop takes these settings from, and come by its own file. */
const SETTINGS: Members = {
  ...named(FLAGS, 'flag'),
  ...named(TEXTS, 'text'),
  ...named(LISTS, 'texts'),
  ...named(NUMBERS, 'number'),
  allowedChannelPlugins: 'objects',
  allowedMcpServers: SERVERS,
  askUserQuestionTimeout: { oneOf: ['60s', '5m', '10m', 'never'] },
  attribution: { members: { commit: 'text', pr: 'text', sessionUrl: 'flag' } },
  autoMode: {
    members: { allow: 'texts', soft_deny: 'texts', hard_deny: 'texts', environment: 'texts', classifyAllShell: 'flag' },
  },
  autoUpdatesChannel: { oneOf: ['stable', 'latest'] },
  blockedMarketplaces: 'objects',
  browserExternalPageTools: { oneOf: ['disabled'] },
  defaultShell: { oneOf: ['bash', 'powershell'] },
  deniedMcpServers: SERVERS,
  diffTool: { oneOf: ['auto', 'terminal'] },
  disableAutoMode: { oneOf: ['disable'] },
  disableDeepLinkRegistration: { oneOf: ['disable'] },
  editorMode: { oneOf: ['normal', 'vim'] },
  effortLevel: { oneOf: ['low', 'medium', 'high', 'xhigh'] },
  enabledPlugins: { map: { any: ['flag', 'texts'] } },
  env: 'variables',
  extraKnownMarketplaces: { map: 'object' },
  fileSuggestion: COMMAND,
  footerLinksRegexes: 'objects',
  hooks: HOOKS,
  managedMcpServers: 'objects',
  modelOverrides: { map: 'text' },
  parentSettingsBehavior: { oneOf: ['first-wins', 'merge'] },
  permissions: {
    members: {
      allow: 'texts',
      ask: 'texts',
      deny: 'texts',
      additionalDirectories: 'texts',
      defaultMode: { oneOf: MODES },
      disableBypassPermissionsMode: { oneOf: ['disable'] },
      disableAutoMode: { oneOf: ['disable'] },
    },
  },
  pluginConfigs: { map: 'object' },
  policyHelper: { members: { path: 'text', timeoutMs: 'number', refreshIntervalMs: 'number' } },
  preferredNotifChannel: 'text',
  sandbox: 'object',
  skillOverrides: { map: { oneOf: ['on', 'name-only', 'user-invocable-only', 'off'] } },
  spinnerTipsOverride: { members: { excludeDefault: 'flag', tips: 'texts' } },
  spinnerVerbs: { members: { mode: { oneOf: ['append', 'replace'] }, verbs: 'texts' } },
  sshConfigs: 'objects',
  statusLine: {
    members: {
      type: 'text',
      command: 'text',
      padding: 'number',
      refreshInterval: 'number',
      hideVimModeIndicator: 'flag',
    },
  },
  strictKnownMarketplaces: 'objects',
  strictPluginOnlyCustomization: { any: ['flag', 'texts'] },
  subagentStatusLine: COMMAND,
  teammateMode: { oneOf: ['auto', 'in-process', 'tmux', 'iterm2'] },
  tui: { oneOf: ['fullscreen', 'default'] },
  viewMode: { oneOf: ['default', 'verbose', 'focus'] },
  vimInsertModeRemaps: { map: 'text' },
  voice: { members: { enabled: 'flag', mode: { oneOf: ['hold', 'tap'] }, autoSubmit: 'flag' } },
  workflowSizeGuideline: { oneOf: ['unrestricted', 'small', 'medium', 'large'] },
  worktree: { members: { sparsePaths: 'texts', symlinkDirectories: 'texts', baseRef: 'text', bgIsolation: 'text' } },
};

type Path = readonly (string | number)[];
export type Misfit = { readonly path: Path; readonly message: string };

const MAX_BYTES = 65_536;
/** All people who match can read these settings, so names of secrets are refused. */
const SECRET = /(_KEY|_TOKEN|_SECRET|_PASSWORD|_CREDENTIALS?|_HEADERS)$/i;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first thing in which settings differ from the form; undefined if nothing does. `unchecked`: members newer than this table. */
export function misfitOf(settings: unknown, unchecked: readonly string[] = []): Misfit | undefined {
  if (!isObject(settings)) return { path: [], message: 'must be an object' };
  if (Buffer.byteLength(JSON.stringify(settings)) > MAX_BYTES)
    return { path: [], message: `must not be longer than ${MAX_BYTES} bytes` };
  const known = unchecked.find((name) => Object.hasOwn(SETTINGS, name));
  if (known !== undefined) return { path: [known], message: 'is a known setting and cannot be left unchecked' };
  const checked = Object.entries(settings).filter(([name]) => !unchecked.includes(name));
  return misfit(Object.fromEntries(checked), { members: SETTINGS }, []);
}

function misfit(value: unknown, form: Form, path: Path): Misfit | undefined {
  const unless = (isFit: boolean, message: string): Misfit | undefined => (isFit ? undefined : { path, message });
  if (typeof form === 'string') {
    switch (form) {
      case 'flag':
        return unless(typeof value === 'boolean', 'must be true or false');
      case 'number':
        return unless(typeof value === 'number', 'must be a number');
      case 'text':
        return unless(typeof value === 'string', 'must be a text');
      case 'texts':
        return misfit(value, { each: 'text' }, path);
      case 'object':
        return unless(isObject(value), 'must be an object');
      case 'objects':
        return misfit(value, { each: 'object' }, path);
      case 'variables':
        return variablesMisfit(value, path);
    }
  }
  if ('oneOf' in form)
    return unless(
      form.oneOf.some((one) => one === value),
      `must be one of ${form.oneOf.join(', ')}`,
    );
  if ('any' in form) {
    const found = form.any.map((one) => misfit(value, one, path));
    return found.includes(undefined) ? undefined : found[0];
  }
  if ('each' in form) {
    if (!Array.isArray(value)) return unless(false, 'must be a list');
    return firstOf(value.entries(), (item) => misfit(item[1], form.each, [...path, item[0]]));
  }
  if (!isObject(value)) return unless(false, 'must be an object');
  return firstOf(Object.entries(value), ([name, inner]) => {
    const at = [...path, name];
    if ('map' in form) return misfit(inner, form.map, at);
    const of = Object.hasOwn(form.members, name) ? form.members[name] : undefined;
    return of === undefined ? { path: at, message: 'is no known setting' } : misfit(inner, of, at);
  });
}

const variablesMisfit = (value: unknown, path: Path): Misfit | undefined =>
  misfit(value, { map: 'text' }, path) ??
  firstOf(Object.keys(value as object), (name) =>
    SECRET.test(name)
      ? { path: [...path, name], message: 'is the name of a secret: everybody these settings are for could read it' }
      : undefined,
  );

function firstOf<T>(items: Iterable<T>, find: (item: T) => Misfit | undefined): Misfit | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
