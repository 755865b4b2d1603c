/** What this gateway speaks with Claude Code, for people who look at it with a browser or curl. */
export const GATEWAY_PROTOCOL = `# Claude Code at this gateway

This gateway (Trivium) speaks the gateway protocol of Claude Code. A person signs in once with the company's account; no
key is pasted. The paths below are relative to the base URL.

| Request | Answer |
|---|---|
| GET /.well-known/oauth-authorization-server | where to sign in (RFC 8414) |
| POST /oauth/device_authorization, POST /oauth/token | device flow and refresh (RFC 8628, RFC 6749) |
| POST of the \`revocation_endpoint\` | sign out (RFC 7009) |
| POST /v1/messages, POST /v1/messages/count_tokens | the Messages API |
| GET /v1/models | the models this person may use |
| GET /managed/settings | uuid, checksum and settings, with an ETag; 404: there are none for this person |
| GET /api/oauth/usage | what was spent of the person's limit, in cents |
| POST /v1/metrics, /v1/logs, /v1/traces | 200: passed to the operator's receiver, or dropped |
| GET /protocol | this text |

All but sign-in and this text need \`Authorization: Bearer <access token>\`. The token is opaque. Errors have the form of the
Messages API; 401, 402 and 403 come with \`x-should-retry: false\`. A model the person may not use is 404 \`not_found_error\`.
At a spending limit the answer is 429 \`billing_error\` with \`retry-after\` and the headers \`anthropic-ratelimit-unified-*\`;
below it, answers carry these headers too. Telemetry and identity attributes in it are what the program says, unchecked.

Claude Code signs in only at hosts with private addresses.
`;
