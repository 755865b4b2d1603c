/** Questions that readers come with. Each has one page that answers it: within three clicks, and among the first three hits of the search. */
export type Question = {
  readonly asks: string;
  readonly page: string;
  readonly anchor?: string;
  readonly answer: Answer;
};

/** How the answer is kept true: by running its command, by a test that does so already, or not, for a reason. */
type Answer =
  /** A block of the page by its id; what it prints must match. */
  | { readonly block: string; readonly prints: RegExp }
  /** A command in the page's text, run in the root of the repository. */
  | { readonly command: string; readonly prints: RegExp }
  /** The file that runs it, and a text by which the command is found there. */
  | { readonly ranBy: string; readonly finds: string }
  | { readonly notRun: string };

export const QUESTIONS: readonly Question[] = [
  {
    asks: 'Which base URL for my SDK?',
    page: 'connect/overview',
    anchor: 'base-urls',
    answer: { block: 'addresses', prints: /"object":"list"/ },
  },
  {
    asks: 'Which header carries the key?',
    page: 'connect/overview',
    anchor: 'api-key',
    answer: { block: 'key', prints: /"data":/ },
  },
  {
    asks: 'What do I write as model name?',
    page: 'connect/overview',
    anchor: 'model-names',
    answer: { block: 'names', prints: /"id":"gpt-/ },
  },
  {
    asks: 'How do I use Claude Code with it?',
    page: 'connect/clients/claude-code',
    anchor: 'settings',
    answer: {
      command: 'trivium connect claude-code --url https://gw.example.com --model anthropic/claude-sonnet-4.6',
      prints: /ANTHROPIC_BASE_URL/,
    },
  },
  {
    asks: 'Why 401?',
    page: 'operate/troubleshooting',
    anchor: '401-unauthenticated',
    answer: { block: 'check-key', prints: /^200\nNAME +ID/m },
  },
  {
    asks: 'Why 402?',
    page: 'operate/troubleshooting',
    anchor: '402-over-budget',
    answer: { block: 'check-credit', prints: /^available +\$[\s\S]*SCOPE/m },
  },
  {
    asks: 'Why 429, and whose limit is it?',
    page: 'operate/troubleshooting',
    anchor: '429-rate-limit',
    answer: { block: 'check-limits', prints: /x-ratelimit-remaining-requests: \d+/ },
  },
  {
    asks: 'What does this error mean?',
    page: 'reference/faults',
    anchor: 'when',
    answer: { ranBy: 'tests/docs/docs.test.ts', finds: 'generate-faults' },
  },
  {
    asks: 'What was dropped from my request?',
    page: 'understand/lanes',
    anchor: 'losses-what-was-dropped-from-a-request',
    answer: { block: 'losses', prints: /x-trivium-losses: logit_bias/ },
  },
  {
    asks: 'Can I refuse dropped parameters?',
    page: 'call/text',
    anchor: 'refuse-dropped-parameters',
    answer: { block: 'strict', prints: /logit_bias/ },
  },
  {
    asks: 'Does my field reach the provider?',
    page: 'reference/support-matrix',
    answer: { ranBy: 'tests/docs/docs.test.ts', finds: 'generate-support-matrix' },
  },
  {
    asks: 'What did it cost?',
    page: 'call/usage',
    anchor: 'cost-in-the-answer',
    answer: { block: 'cost', prints: /x-trivium-cost: 0\.\d+/ },
  },
  {
    asks: 'Which provider answered, and why?',
    page: 'call/explain',
    anchor: 'afterwards-get-v1requestsid',
    answer: { block: 'afterwards', prints: /"provider":"openai"/ },
  },
  {
    asks: 'Where would it go? A dry run',
    page: 'call/explain',
    anchor: 'where-it-would-go-as-a-dry-run-post-v1route',
    answer: { block: 'dry-run', prints: /"google"/ },
  },
  {
    asks: 'How do I pin or prefer a provider?',
    page: 'call/routing',
    anchor: 'preferences',
    answer: { block: 'pin', prints: /x-trivium-provider: openai/ },
  },
  {
    asks: 'Is my retry charged twice?',
    page: 'call/idempotency',
    anchor: 'made-once-charged-once',
    answer: { block: 'twice', prints: /x-trivium-replayed: true/ },
  },
  {
    asks: 'Does thinking survive a model switch?',
    page: 'understand/seals',
    anchor: 'switching-models',
    answer: { ranBy: 'tests/laws/seals.test.ts', finds: 'seal' },
  },
  { asks: 'How do I get a video?', page: 'start/video', answer: { block: 'order', prints: /"name":/ } },
  {
    asks: 'How do I verify a webhook?',
    page: 'call/webhooks',
    anchor: 'verify-a-webhook',
    answer: { ranBy: 'tests/journeys/webhooks.test.ts', finds: 'webhook-signature' },
  },
  {
    asks: 'What do I need to run it?',
    page: 'start/install',
    anchor: 'what-you-need-to-run-it',
    answer: { notRun: 'a list of what to install' },
  },
  {
    asks: "How do I add a provider's key?",
    page: 'operate/providers',
    anchor: 'add-a-credential',
    answer: { block: 'store-credential', prints: /groq .*\b(file|database)\b/ },
  },
  {
    asks: 'And a server of my own?',
    page: 'connect/local-models',
    answer: { block: 'check', prints: /Configuration OK/ },
  },
  {
    asks: 'File or database: which wins?',
    page: 'operate/configure',
    anchor: 'file-or-database-which-wins',
    answer: { block: 'diff', prints: /WHAT +NAME +FILE +DATABASE +USED/ },
  },
  {
    asks: "How do I cap a team's spend?",
    page: 'operate/budgets',
    anchor: 'set-a-budget',
    answer: { block: 'set', prints: /account +month +\$200\.00/ },
  },
  {
    asks: 'Days in which time zone?',
    page: 'operate/budgets',
    anchor: 'days-and-months-are-utc',
    answer: { notRun: 'a rule, held by the tests of budgets' },
  },
  {
    asks: 'How do I rotate or revoke a key?',
    page: 'operate/keys',
    anchor: 'rotate-and-revoke',
    answer: { block: 'rotate', prints: /secret, shown this once[\s\S]*revoked/ },
  },
  {
    asks: 'Are prompts stored?',
    page: 'understand/security',
    anchor: 'what-is-stored',
    answer: { notRun: 'a list of what is stored' },
  },
  {
    asks: 'Who sees what?',
    page: 'operate/keys',
    anchor: 'who-sees-what-accounts-members-and-roles',
    answer: { ranBy: 'tests/admin/roles.test.ts', finds: 'developer' },
  },
  {
    asks: 'Why is a provider not used?',
    page: 'operate/providers',
    anchor: 'why-a-provider-is-not-used',
    answer: { block: 'why-not', prints: /"openai"/ },
  },
  {
    asks: 'What happens when PostgreSQL or Redis is down?',
    page: 'operate/nodes',
    anchor: 'when-postgresql-or-redis-is-down',
    answer: { ranBy: 'tests/rt/registry.ts', finds: 'postgresFailover' },
  },
  {
    asks: 'What do I watch, what wakes me?',
    page: 'operate/metrics',
    anchor: 'alerts-and-dashboard',
    answer: { ranBy: 'tests/deploy/prometheus.test.ts', finds: 'promtool' },
  },
  {
    asks: 'How do I back up and restore?',
    page: 'operate/database',
    anchor: 'back-up',
    answer: { ranBy: 'tests/docs/operate.test.ts', finds: "'back-up'" },
  },
  {
    asks: 'How do I upgrade, and go back?',
    page: 'operate/upgrade',
    anchor: 'go-back',
    answer: { ranBy: 'tests/rt/registry.ts', finds: 'rollingUpgrade' },
  },
  {
    asks: 'How many requests per core?',
    page: 'understand/scale',
    anchor: 'requests-per-core',
    answer: { notRun: 'npm run bench takes minutes on a quiet machine; CI runs it with --smoke' },
  },
  {
    asks: 'Behind nginx, Caddy or Kubernetes?',
    page: 'operate/behind-a-proxy',
    answer: { ranBy: 'tests/deploy/samples.test.ts', finds: 'nginx takes its sample' },
  },
  {
    asks: 'Is it safe to expose?',
    page: 'understand/security',
    anchor: 'what-listens-where',
    answer: { notRun: 'a list of listeners' },
  },
  {
    asks: 'Where is a rule in the code?',
    page: 'contribute/architecture',
    anchor: 'find-a-rule-in-the-code',
    answer: { command: 'grep -rn "CR-06" tests packages', prints: /CR-06/ },
  },
  {
    asks: 'How do I add a provider in code?',
    page: 'contribute/add-a-provider',
    answer: { command: 'npm run trivium -- catalogue check', prints: /models/ },
  },
  {
    asks: 'Which tests must pass?',
    page: 'contribute/set-up',
    anchor: 'tests-that-must-pass',
    answer: { notRun: 'the tests themselves' },
  },
  { asks: 'Why is it so? Decisions and reasons', page: 'decisions/index', answer: { notRun: 'a list of papers' } },
];

/** Terms of the field: each must find a page. The page is the first that a reader of the term would want. */
export const TERMS: readonly (readonly [term: string, page: string])[] = [
  ['rate limit', 'operate/limits'],
  ['circuit breaker', 'understand/failing-over'],
  ['fallback', 'understand/failing-over'],
  ['retry budget', 'understand/failing-over'],
  ['exponential backoff', 'understand/failing-over'],
  ['hedged request', 'understand/failing-over'],
  ['idempotency key', 'call/idempotency'],
  ['webhook', 'call/webhooks'],
  ['load balancing', 'call/routing'],
  ['prompt caching', 'connect/anthropic-sdk'],
  ['streaming', 'call/text'],
  ['function calling', 'call/text'],
  ['structured output', 'call/text'],
  ['embeddings', 'call/embeddings'],
  ['token counting', 'call/embeddings'],
  ['virtual key', 'operate/keys'],
  ['budget', 'operate/budgets'],
  ['TLS termination', 'operate/behind-a-proxy'],
  ['Prometheus metrics', 'operate/metrics'],
  ['migrate from LiteLLM', 'connect/from-litellm'],
];
