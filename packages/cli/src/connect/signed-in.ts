// How each coding agent is started with the token of a signed-in person, without writing its settings files.

import { inQuotes } from '../completion/quoting.ts';
import { type Client, type ClientConnection, jsonText, openAiBase } from './client.ts';
import { CODING_AGENTS } from './coding-agents.ts';

/** The token takes the place of the key. */
interface SignedInAs extends ClientConnection {
  /** Prints a token that is good now: for agents that ask again when one ends. */
  readonly tokenCommand: readonly string[];
}

interface StartSettings {
  readonly args?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Variables that would stand against these. */
  readonly unset?: readonly string[];
}

interface SignedInAgent {
  readonly program: string;
  /** It asks for a new token when one ends. Others go on with the one they were started with, for an hour at most. */
  readonly renews: boolean;
  readonly settings: (as: SignedInAs) => StartSettings;
}

const HELPER_EVERY_MS = 240_000;

const claude = (as: SignedInAs): StartSettings => ({
  args: ['--settings', JSON.stringify({ apiKeyHelper: as.tokenCommand.map(inQuotes).join(' ') })],
  environment: {
    ANTHROPIC_BASE_URL: as.gateway,
    ANTHROPIC_MODEL: as.model,
    CLAUDE_CODE_API_KEY_HELPER_TTL_MS: String(HELPER_EVERY_MS),
  },
  unset: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
});

function codex(as: SignedInAs): StartSettings {
  const [command, ...args] = as.tokenCommand;
  const provider = [
    'name="Trivium"',
    `base_url=${JSON.stringify(openAiBase(as))}`,
    'wire_api="responses"',
    `auth={command=${JSON.stringify(command)},args=${JSON.stringify(args)}}`,
  ];
  const settings = [
    'model_provider="trivium"',
    `model_providers.trivium={${provider.join(',')}}`,
    `model=${JSON.stringify(as.model)}`,
    ...(as.contextLength === undefined ? [] : [`model_context_window=${as.contextLength}`]),
  ];
  return { args: settings.flatMap((setting) => ['-c', setting]), environment: {} };
}

/** Its settings as a variable, over those of its files. */
const opencode = (as: SignedInAs, client: Client): StartSettings => ({
  environment: {
    ...client.environment?.(as),
    OPENCODE_CONFIG_CONTENT: jsonText({
      ...JSON.parse(client.files?.[0]?.text(as) ?? '{}'),
      model: `trivium/${as.model}`,
    }),
  },
});

/** Variables, and the options that name the model. */
function byEnvironment(as: SignedInAs, client: Client): StartSettings {
  const [, ...words] = client.start?.(as).split(' ') ?? [];
  return { environment: client.environment?.(as) ?? {}, args: words[0]?.startsWith('-') ? words : [] };
}

const OWN_WAYS: Readonly<Record<string, { readonly renews: boolean; readonly settings: typeof opencode }>> = {
  'claude-code': { renews: true, settings: claude },
  codex: { renews: true, settings: codex },
  opencode: { renews: false, settings: opencode },
};

export const SIGNED_IN_AGENTS: readonly SignedInAgent[] = CODING_AGENTS.map((client) => {
  const { renews, settings } = OWN_WAYS[client.id] ?? { renews: false, settings: byEnvironment };
  const [program = ''] = client.start?.({ gateway: '', key: '', model: '' }).split(' ') ?? [];
  return { program, renews, settings: (as) => settings(as, client) };
});
