// Every fault the simulator can produce. Several may be combined; the docs' table and `/_simulator/scenarios` read
// this.

export const faultTable = {
  'stall-before-headers': 'Accepts the request, then silence.',
  'stall-after-headers': 'Sends the head of the answer, then silence.',
  'stall-mid-event': 'After `after` pieces, half an event (or half the body), then silence.',
  'reset-before-headers': 'TCP reset instead of an answer.',
  'reset-mid-stream': 'TCP reset after `after` pieces (or half the body).',
  'close-mid-stream': 'FIN after `after` pieces (or half the body), the HTTP message left unfinished.',
  'end-mid-stream': 'A well-formed end of the HTTP message after `after` pieces, without finish or end marker.',
  'malformed-frame': 'After `after` pieces a frame whose JSON is cut (or a body whose JSON is cut).',
  'bad-checksum': 'After `after` pieces a frame with a wrong checksum, in framings that have one.',
  'error-frame-first': 'HTTP 200, and an error as the first frame.',
  'error-frame-mid': 'An error frame after `after` pieces, then the end.',
  'no-done': 'No end marker.',
  'no-finish': 'An end marker without a finish before it.',
  'duplicate-done': 'The end marker twice.',
  'data-after-done': 'One more piece after the end marker.',
  'usage-missing': 'No usage, even if asked for.',
  'seal-refused': 'Refuses seals that come back, however genuine, in the words of the vendor.',
  'html-200': 'HTTP 200 with a web page.',
  'json-error-200': 'HTTP 200 with an error body.',
  'truncated-json': 'A content-length larger than what is sent before the FIN.',
  'split-bytes': 'Every write is `split` bytes long (default 1).',
  'slow-drip': 'One byte every `drip` milliseconds.',
  crlf: 'Lines end in CR LF.',
  comments: 'Comment lines between events.',
  'multi-line': 'Each event in several data lines.',
  'usage-iterations': 'Messages: every pass listed in `usage.iterations`, one that compacted among them.',
  'stop-details': 'Messages: `stop_details` beside the stop reason.',
  'no-message': 'Chat: a filtered choice without a message.',
  'content-index-1': 'Responses: the text streams as part 1 and ends as part 0.',
  'annotations-first': 'Chat: citations in the first chunk, before any text.',
  'doubled-finish': 'Chat: the finish twice.',
  'padding-p': 'Chat: padding in a member `p` of every chunk.',
  'string-error': 'Errors whose `error` is a sentence.',
} as const;

export type FaultName = keyof typeof faultTable;

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(faultTable, name);
}
