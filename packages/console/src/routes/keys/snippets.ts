/** How a new key is used: SDKs read the lines of a shell, agents are set up by `trivium connect`. */
export type KeySnippet = { readonly id: string; readonly title: string; readonly text: string };

const body = '{"model":"MODEL","messages":[{"role":"user","content":"Hello"}]}';

export const keySnippets = (url: string, secret: string): readonly KeySnippet[] => [
  {
    id: 'openai',
    title: 'OpenAI SDK',
    text: `export OPENAI_BASE_URL=${url}/v1\nexport OPENAI_API_KEY=${secret}`,
  },
  {
    id: 'anthropic',
    title: 'Anthropic SDK, Claude Code',
    text: `export ANTHROPIC_BASE_URL=${url}\nexport ANTHROPIC_API_KEY=${secret}`,
  },
  {
    id: 'google',
    title: 'Google Gen AI SDK, Gemini CLI',
    text: `export GOOGLE_GEMINI_BASE_URL=${url}\nexport GEMINI_API_KEY=${secret}`,
  },
  {
    id: 'agents',
    title: 'Codex, Cursor, opencode…',
    text: `export TRIVIUM_KEY=${secret}\ntrivium connect codex --url ${url}`,
  },
  {
    id: 'curl',
    title: 'curl',
    text: `curl ${url}/v1/chat/completions -H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json' -d '${body}'`,
  },
];
